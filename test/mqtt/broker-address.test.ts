import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { nameAddress, nameBroker, readAddress } from "../../src/mqtt/broker-address.ts";
import { ConnectFailed } from "../../src/mqtt/broker-errors.ts";
import { folderWith } from "../config/folder.ts";
import { brokerAt } from "../support/publisher.ts";

describe("readAddress", () => {
  test.each<[url: string, address: object]>([
    ["mqtt://nas", { protocol: "mqtt", host: "nas", port: 1883 }],
    ["mqtt://192.168.1.10:1884", { protocol: "mqtt", host: "192.168.1.10", port: 1884 }],
    ["mqtt://[::1]:1883", { protocol: "mqtt", host: "::1", port: 1883 }],
    ["ws://nas/mqtt", { protocol: "ws", host: "nas", port: 80, path: "/mqtt" }],
    ["ws://[::1]:9001", { protocol: "ws", host: "[::1]", port: 9001, path: "/" }],
    [
      "mqtts://nas",
      {
        protocol: "mqtts",
        host: "nas",
        port: 8883,
        rejectUnauthorized: true,
        wsOptions: { rejectUnauthorized: true },
      },
    ],
  ])("reads %s", async (url, address) => {
    expect(await readAddress(brokerAt(url))).toEqual(address);
  });

  test("takes user name and password of the configuration", async () => {
    const address = await readAddress(brokerAt("mqtt://nas", { username: "c", password: "d" }));
    expect(address).toMatchObject({ username: "c", password: "d" });
  });

  test("says which TLS file cannot be read", async () => {
    const reading = readAddress(
      brokerAt("mqtts://nas", { tls: { verify: true, ca_file: "/nowhere/ca.pem" } }),
    );
    await expect(reading).rejects.toThrow(/^mqtt.tls.ca_file: .*nowhere/);
    await expect(reading).rejects.toBeInstanceOf(ConnectFailed);
  });

  test("waits for no pipe in place of a TLS file into which nobody writes", async () => {
    const ca_file = join(await folderWith(), "ca.pem");
    execFileSync("mkfifo", [ca_file]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const reading = readAddress(brokerAt("mqtts://nas", { tls: { verify: true, ca_file } }));
    const refused = expect(reading).rejects.toThrow(/^mqtt.tls.ca_file: it is a pipe/);
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(10_000);
    await refused;
  });

  test("names a broker with the port in use", () => {
    expect(nameBroker(brokerAt("mqtt://nas"))).toBe("mqtt://nas:1883");
  });

  test.each(["mqtt://nas:1883", "mqtt://[::1]:1883", "ws://[::1]:9001"])(
    "names %s in a failure as it is configured",
    async (url) => {
      expect(nameAddress(await readAddress(brokerAt(url)))).toBe(url);
      expect(nameBroker(brokerAt(url))).toBe(url);
    },
  );
});
