import { z } from "zod";
import { hasWrongPort, parseBrokerAddress, splitCredentials } from "./address.ts";
import { duration, optionalText, textWithout, topic } from "./value-schemas.ts";

const AN_ADDRESS =
  "embedded, or an address that begins with mqtt://, mqtts://, ws:// or wss://, such as mqtt://192.168.1.10:1883";

export const brokerUrl = textWithout(findFault, AN_ADDRESS);

function findFault(text: string): string | undefined {
  if (text === "embedded") return undefined;
  if (hasWrongPort(text)) return "an address with a port from 1 to 65535, such as mqtt://192.168.1.10:1883";
  const address = parseBrokerAddress(text);
  if (!address) return AN_ADDRESS;
  if (/[?#]/.test(text)) return "an address without ? and # (in a user or password write %3F and %23)";
  if (!address.protocol.startsWith("ws") && !/^\/?$/.test(address.pathname))
    return "an address without a path, which only ws:// and wss:// have";
  return isEncoded(address) ? undefined : "an address whose user and password have each % written as %25";
}

function isEncoded({ username, password }: URL): boolean {
  return !`${username}${password}`.replaceAll(/%[0-9a-f]{2}/gi, "").includes("%");
}

const tls = z
  .strictObject({
    ca_file: optionalText("the path of a file").meta({
      description:
        "File with the authority that signed the broker's certificate (PEM). Default none: the authorities that Node.js knows. Needed for a broker with a certificate of one's own.",
    }),
    cert_file: optionalText("the path of a file").meta({
      description:
        "File with the certificate that vigie shows to the broker (PEM). Default none: most brokers ask for a user and a password instead.",
    }),
    key_file: optionalText("the path of a file").meta({
      description: "File with the private key of cert_file (PEM). Default none; goes with cert_file.",
    }),
    server_name: optionalText("a host name").meta({
      description:
        "Name that the broker's certificate must carry. Default: the host of mqtt.url. For a broker that is reached by its IP address.",
    }),
    verify: z.boolean().default(true).meta({
      description:
        "Check the broker's certificate. Default true: with false, any machine between vigie and the broker can pose as the broker.",
    }),
  })
  .prefault({})
  .meta({ description: "Encryption, for mqtts:// and wss://." });

export const mqttOptions = z
  .strictObject({
    url: brokerUrl.prefault("embedded").meta({
      description:
        "Address of the broker (mqtt://, mqtts://, ws:// or wss://), or embedded for a broker of vigie's own on 127.0.0.1. Default embedded: a first look needs nothing else. For real use, mosquitto or the like.",
    }),
    username: optionalText("a user name (in quotes if it is a number)").meta({
      description: "User at the broker. Default none: the broker then sees an anonymous client.",
    }),
    password: optionalText("a password (in quotes if it is a number)").meta({
      description:
        "Password at the broker. Default none; needs a username. Better kept out of this file: see password_file.",
    }),
    password_file: optionalText("the path of a file").meta({
      description:
        "File that holds the password at the broker, instead of password. Default none. A password in a variable (VIGIE_MQTT_PASSWORD), in the file that VIGIE_MQTT_PASSWORD_FILE names, or in a credential of systemd (mqtt_password) counts more.",
    }),
    base_topic: topic.optional().meta({
      description:
        "Topic under which everything is published. Default: the instance. Another one where several vigies share a broker.",
    }),
    grace: duration("0s", "168h").prefault("10m").meta({
      description:
        "How long the topics still count as available after vigie has ended (MQTT 5). Default 10m: nobody notices a restart or an update, and no old colour stays for long when vigie does not come back. 24h for whoever prefers an old value to none.",
    }),
    tls,
  })
  .prefault({})
  .meta({ description: "The MQTT broker." });

type MqttOptions = z.output<typeof mqttOptions>;

/** Moves a user and a password out of the address, so that the address may be shown, and fills in the base topic. */
export function finishMqtt(mqtt: MqttOptions, instance: string) {
  return { ...mqtt, ...splitCredentials(mqtt.url), base_topic: mqtt.base_topic ?? instance };
}
