import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MqttConfig } from "../../src/config/config.ts";
import { ConnectFailed } from "../../src/mqtt/broker-errors.ts";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";
import { makeCertificate, withoutOpenssl } from "../support/certificate.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { freePort } from "../support/ports.ts";
import { brokerAt } from "../support/publisher.ts";

const missing = withoutMosquitto || withoutOpenssl;

describe.skipIf(missing)(`other ways to a broker ${missing}`, () => {
  let broker: Mosquitto;
  let folder: string;
  let ports: { tls: number; websocket: number };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "vigie-tls-"));
    const { cert, key } = makeCertificate(folder, "DNS:broker.lan");
    ports = { tls: await freePort(), websocket: await freePort() };
    broker = await startMosquitto({
      files: { "cert.pem": cert, "key.pem": key },
      lines: [
        ...[
          "allow_anonymous true",
          `listener ${ports.tls} 127.0.0.1`,
          "certfile FOLDER/cert.pem",
          "keyfile FOLDER/key.pem",
        ],
        ...[`listener ${ports.websocket} 127.0.0.1`, "protocol websockets"],
      ],
    });
  });
  afterAll(async () => {
    await broker.remove();
    rmSync(folder, { recursive: true });
  });
  const look = async (url: string, tls: Partial<MqttConfig["tls"]> = {}) => {
    const visit = await openShortConnection({
      broker: brokerAt(url, { tls: { verify: true, ...tls } }),
      instance: "vigie",
      random: Math.random,
      signal: new AbortController().signal,
    });
    const topics = await visit.read();
    await visit.close();
    return topics.size;
  };

  test("TLS with the certificate's authority and the name it is for", async () => {
    const ca_file = join(folder, "cert.pem");
    expect(await look(`mqtts://127.0.0.1:${ports.tls}`, { ca_file, server_name: "broker.lan" })).toBe(0);
  });

  test("TLS unverified, where the owner wants it so", async () => {
    expect(await look(`mqtts://127.0.0.1:${ports.tls}`, { verify: false })).toBe(0);
  });

  test("websockets", async () => {
    expect(await look(`ws://127.0.0.1:${ports.websocket}/mqtt`)).toBe(0);
  });

  test.each<[what: string, url: () => string, tls: Partial<MqttConfig["tls"]>, says: RegExp]>([
    ["an authority that is not known", () => `mqtts://127.0.0.1:${ports.tls}`, {}, /mqtt.tls.ca_file/],
    ["plain words to a TLS port", () => `mqtt://127.0.0.1:${ports.tls}`, {}, /TLS/],
    ["TLS to a plain port", () => `mqtts://127.0.0.1:${broker.port}`, {}, /TLS/],
    ["a host that does not exist", () => "mqtt://nowhere.invalid", {}, /unknown host name/],
  ])("%s is said as such", async (_what, url, tls, says) => {
    await expect(look(url(), tls)).rejects.toThrow(says);
  });

  test("a key that does not belong to the certificate, or is half written, is said as such, and ends nothing", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const text = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const cert_file = join(folder, "cert.pem");
    for (const [name, key] of [
      ["other.pem", text],
      ["half.pem", text.slice(0, 100)],
      ["none.pem", "nothing"],
    ] as const) {
      const key_file = join(folder, name);
      writeFileSync(key_file, key);
      const looking = look(`mqtts://127.0.0.1:${ports.tls}`, { verify: false, cert_file, key_file });
      await expect(looking).rejects.toThrow(ConnectFailed);
      await expect(looking).rejects.toThrow(
        /^The files of mqtt\.tls cannot be used \(.+\): check that cert_file/,
      );
    }
  });

  test("a certificate for another name is said as such", async () => {
    const ca_file = join(folder, "cert.pem");
    await expect(
      look(`mqtts://127.0.0.1:${ports.tls}`, { ca_file, server_name: "other.lan" }),
    ).rejects.toThrow(/server_name/);
  });
});
