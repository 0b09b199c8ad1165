import { expect, test } from "vitest";
import { pretendRouge, quote } from "../../src/setup/pretend-rouge.ts";

const AT = "-t vigie/simulation/set -m rouge";

test.each([
  [{ url: "mqtt://192.0.2.10:1883" }, `mosquitto_pub -h 192.0.2.10 ${AT}`],
  [{ url: "mqtt://broker.lan:1884" }, `mosquitto_pub -h broker.lan -p 1884 ${AT}`],
  [{ url: "mqtt://[2001:db8::1]" }, `mosquitto_pub -h 2001:db8::1 ${AT}`],
  [{ url: "mqtts://broker.lan" }, `mosquitto_pub -h broker.lan -p 8883 --tls-use-os-certs ${AT}`],
  [
    { url: "mqtts://broker.lan", tls: { ca_file: "/etc/my ca.pem" } },
    `mosquitto_pub -h broker.lan -p 8883 --cafile '/etc/my ca.pem' ${AT}`,
  ],
  [{ url: "ws://broker.lan:9001" }, null],
])("a rouge day is pretended with the broker that was entered: %j", (broker, line) => {
  expect(pretendRouge(broker, undefined)).toBe(line);
});

test("the line reads the password, and does not hold it", () => {
  const broker = { url: "mqtt://192.0.2.10", username: "it's me", password: "s3cret" };
  expect(pretendRouge(broker, `sudo cat ${quote("/etc/vigie/mqtt_password")}`)).toBe(
    `mosquitto_pub -h 192.0.2.10 -u 'it'\\''s me' -P "$(sudo cat /etc/vigie/mqtt_password)" ${AT}`,
  );
});
