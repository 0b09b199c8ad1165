import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { ConnectFailed } from "../../src/mqtt/broker-errors.ts";
import {
  explainBroker,
  type FoundBroker,
  findBrokers,
  seesHomeAssistant,
  watchBroker,
  withoutTls,
  withTls,
} from "../../src/setup/broker.ts";
import type { Questions } from "../../src/setup/person.ts";
import { settleBroker } from "../../src/setup/settle-broker.ts";
import { WORDS } from "../../src/setup/words.ts";
import { passwordLine, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { createCleanup } from "../support/vigie.ts";

test.each([
  ["its birth message", "homeassistant/status", "online", true],
  [
    "a message that another program wrote for it",
    "homeassistant/sensor/a/config",
    '{"origin":{"name":"z2m"}}',
    true,
  ],
  ["what a vigie wrote as one device", "homeassistant/device/house/config", vigieWrote(), false],
  [
    "what a vigie wrote as single entities",
    "homeassistant/sensor/house/now_color/config",
    vigieWrote(),
    false,
  ],
])("Home Assistant is seen by %s: %s", (_title, topic, payload, isSeen) => {
  expect(seesHomeAssistant(new Map([[topic, payload]]))).toBe(isSeen);
});

function vigieWrote(): string {
  return JSON.stringify({ device: { name: "Vigie" }, origin: { name: "vigie", sw_version: "1" } });
}

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

describe.skipIf(withoutMosquitto)(`the choice of a broker ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  /** A person who chooses the last of a list, and types this. */
  const choose = async (found: FoundBroker[], typed: string) => {
    const asked: string[] = [];
    const said: string[] = [];
    const ask: Questions = {
      choose: async (question, choices) => {
        asked.push(question, ...choices.map(({ label, hint = "" }) => `${label} ${hint}`.trim()));
        const last = choices.at(-1);
        if (!last) throw new Error("Expected a choice");
        return last.value;
      },
      type: async (question, { check } = {}) => {
        asked.push(question);
        expect([check?.("mqtt://"), check?.(typed)]).toEqual([WORDS.en.not_a_broker, undefined]);
        return typed;
      },
      typeSecret: async () => "",
      agree: async () => true,
    };
    const signal = new AbortController().signal;
    const person = {
      ask,
      say: (_: string, words: string) => said.push(words),
      signal,
      leave: () => undefined,
    };
    const options = { devices: [], messages: [], tries: false, yes: false };
    const setup = { options, person, words: WORDS.en, language: "en" as const, io: { env: {}, cwd: "/" } };
    const broker = await settleBroker(setup, Promise.resolve(found));
    cleanup.add(broker.close);
    return { asked, said, url: broker.given.url };
  };

  test("offers what was found, and takes an address without a scheme", async () => {
    const { url, port, remove } = await startMosquitto();
    cleanup.add(remove);
    const found = { url: "mqtt://core-mosquitto:1883", wantsLogin: true };
    expect(await choose([found], `127.0.0.1:${port}`)).toMatchObject({
      url,
      asked: [
        WORDS.en.which_broker,
        `${found.url} ${WORDS.en.broker_wants_login}`,
        WORDS.en.broker_other,
        WORDS.en.broker_address,
      ],
    });
    const none = await choose([], url);
    expect(none).toMatchObject({ url, asked: [WORDS.en.broker_address] });
    expect(none.said[0]).toBe(WORDS.en.no_broker_found);
  });
});

test.skipIf(withoutMosquitto)(
  `a topic on which much is published hides no other one ${withoutMosquitto}`,
  async () => {
    const { url, remove } = await startMosquitto();
    onTestFinished(remove);
    const watched = await watchBroker({ url }, new AbortController().signal);
    onTestFinished(watched.close);
    const observer = await observe(url, "none");
    onTestFinished(observer.disconnect);
    for (let frame = 0; frame < 5_200; frame += 1) await observer.publish("camera", "x".repeat(4_000), false);
    await observer.publish("tele/boiler/LWT", "Online", false);
    await expect.poll(() => watched.seen.get("tele/boiler/LWT")).toBe("Online");
  },
);

test("a port that wants no TLS is told apart without a password that is sent in the clear", async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (part) => {
        heard.push(part);
        // A CONNECT in the clear is answered as by a broker that wants a login; a greeting in TLS is cut off.
        if (part[0] === 0x10) socket.end(Buffer.of(0x20, 3, 0, 135, 0));
        else socket.destroy();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const given = { url: `mqtts://127.0.0.1:${port}`, username: "vigie", password: "s3cret" };
  const { signal } = new AbortController();
  const failure = await watchBroker(given, signal).catch((error: unknown) => error);
  expect(await explainBroker(failure as ConnectFailed, given, signal)).toBe("no_tls");
  const sent = Buffer.concat(heard).toString("latin1");
  expect(sent).toContain("vigie-setup-");
  expect(sent).not.toContain("s3cret");
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
