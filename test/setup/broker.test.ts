import { afterAll, describe, expect, test } from "vitest";
import { findBrokers, withoutTls, withTls } from "../../src/setup/broker.ts";
import { passwordLine, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { createCleanup } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`the brokers that are offered ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("are those that answer as a broker does, with or without a login", async () => {
    const open = await startMosquitto();
    cleanup.add(open.remove);
    const guarded = await startMosquitto({
      lines: ["allow_anonymous false", "password_file FOLDER/passwords"],
      files: { passwords: passwordLine("vigie", "secret") },
    });
    cleanup.add(guarded.remove);
    const web = await startPlainService(() => ({ body: {} }));
    cleanup.add(web.stop);
    const urls = [`mqtt://${NOBODY}`, web.url.replace("http", "mqtt"), guarded.url, open.url];
    expect(await findBrokers(new AbortController().signal, urls)).toEqual([
      { url: guarded.url, wantsLogin: true },
      { url: open.url, wantsLogin: false },
    ]);
  });
});

test.each([
  ["mqtt://b", "mqtts://b:1883"],
  ["mqtt://b/", "mqtts://b:1883"],
  ["mqtt://b:1884", "mqtts://b:1884"],
  ["ws://b:80/mqtt", "wss://b:80/mqtt"],
])("the same port with encryption: %s", (plain, encrypted) => {
  expect(withTls(plain)).toBe(encrypted);
  expect(withTls(withoutTls(encrypted))).toBe(encrypted);
});
