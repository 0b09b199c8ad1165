import { isIPv6 } from "node:net";
import type { IClientOptions } from "mqtt";
import type { MqttConfig } from "../config/config.ts";
import { readText } from "../config/read-text.ts";
import { ConnectFailed } from "./broker-errors.ts";

/** Address and credentials of a broker, as options of MQTT.js. */
export type BrokerAddress = IClientOptions & { host: string; port: number };
type Protocol = keyof typeof PORTS;

/** The usual port of a broker; the embedded broker tries it first. */
export const MQTT_PORT = 1883;
const PORTS = { mqtt: MQTT_PORT, mqtts: 8883, ws: 80, wss: 443 } as const;

/** Reads the TLS files each time, so that the next connection uses a renewed certificate. */
export async function readAddress(broker: MqttConfig): Promise<BrokerAddress> {
  const { username, password } = broker;
  const url = new URL(broker.url);
  const protocol = url.protocol.slice(0, -1) as Protocol;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isWebsocket = protocol.startsWith("ws");
  const isSecure = protocol === "mqtts" || protocol === "wss";
  return {
    protocol,
    // MQTT.js puts the host of a websocket into a URL again.
    host: isWebsocket && isIPv6(host) ? `[${host}]` : host,
    port: portOf(url),
    ...(isWebsocket && { path: url.pathname }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isSecure && (await tls(broker.tls))),
  };
}

/** The name of the broker in messages. */
export function nameBroker(broker: MqttConfig): string {
  const url = new URL(broker.url);
  return `${url.protocol}//${url.hostname}:${portOf(url)}`;
}

/** The same name, from an address that was read. */
export function nameAddress({ protocol, host, port }: BrokerAddress): string {
  return `${protocol}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function portOf({ protocol, port }: URL): number {
  return port === "" ? PORTS[protocol.slice(0, -1) as Protocol] : Number(port);
}

async function tls(options: MqttConfig["tls"]): Promise<IClientOptions> {
  const files = {
    ...(options.ca_file !== undefined && { ca: await read("ca_file", options.ca_file) }),
    ...(options.cert_file !== undefined && { cert: await read("cert_file", options.cert_file) }),
    ...(options.key_file !== undefined && { key: await read("key_file", options.key_file) }),
  };
  const name: { servername?: string } =
    options.server_name === undefined ? {} : { servername: options.server_name };
  // Over a websocket MQTT.js passes the files on, but not the name.
  return {
    ...files,
    ...name,
    rejectUnauthorized: options.verify,
    wsOptions: { rejectUnauthorized: options.verify, ...name },
  };
}

async function read(option: string, path: string): Promise<string> {
  try {
    return (await readText(path)).text;
  } catch (cause) {
    throw new ConnectFailed(`mqtt.tls.${option}: ${(cause as Error).message}`, "FILE", { cause });
  }
}
