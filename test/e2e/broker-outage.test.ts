import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import {
  type Mosquitto,
  type MosquittoOptions,
  passwordLine,
  startMosquitto,
  withoutMosquitto,
} from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { onBusyMachine } from "../support/patience.ts";
import { NOBODY } from "../support/ports.ts";
import { keepPublishing, topics } from "../support/publisher.ts";

const SNAPSHOT = topics(
  Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`many/${n}`, `value ${n}`])),
);

describe.skipIf(withoutMosquitto)(`a publisher and a broker in trouble ${withoutMosquitto}`, () => {
  const ends: (() => Promise<void>)[] = [];
  const brokerWith = async (options: MosquittoOptions = {}): Promise<Mosquitto> => {
    const broker = await startMosquitto(options);
    ends.unshift(broker.remove);
    return broker;
  };
  const keep = (broker: Mosquitto, options: Parameters<typeof keepPublishing>[1] = {}) => {
    const kept = keepPublishing(broker.url, options);
    ends.unshift(kept.publisher.stop);
    return kept;
  };
  /** Whole again within 5 s: every topic, and online. */
  const becomesWhole = async (broker: Mosquitto, wanted = SNAPSHOT) => {
    const observer = await observe(broker.url, "vigie/#");
    const start = systemClock.steady();
    await observer.until(
      ({ retained }) =>
        retained.get("vigie/availability") === "online" &&
        [...wanted].every(([topic, { payload }]) => retained.get(`vigie/${topic}`) === payload),
      "the broker holds the whole again",
    );
    expect(systemClock.steady() - start).toBeLessThan(onBusyMachine(5_000));
    await observer.disconnect();
  };
  afterAll(async () => {
    for (const end of ends) await end();
  });

  test.concurrent.each([
    ["saved nothing", {}],
    ["saved all", { persistence: "each change" }],
  ] as const)("what-if: The broker comes back empty · having %s, all is right again", async (_, options) => {
    const broker = await brokerWith(options);
    const { publisher, lines } = keep(broker);
    publisher.setTopics(SNAPSHOT);
    await publisher.allAcknowledged();
    await broker.end("SIGKILL");
    publisher.setTopics(
      topics({
        ...Object.fromEntries([...SNAPSHOT].map(([key, { payload }]) => [key, payload])),
        more: "1",
      }),
    );
    await broker.start();
    await becomesWhole(broker);
    await publisher.allAcknowledged();
    expect((await readRetained(broker.url)).get("vigie/more")).toBe("1");
    expect(lines.filter((line) => line.includes("accepts the connection again"))).toHaveLength(1);
  });

  test.concurrent("says online again after a broker that was stopped in order had sent the will", async () => {
    const broker = await brokerWith({ persistence: "each change" });
    const { publisher } = keep(broker);
    publisher.setTopics(SNAPSHOT);
    await publisher.allAcknowledged();
    await broker.end();
    await broker.start();
    await becomesWhole(broker);
  });

  test.concurrent("goes on where it was when a frozen broker thaws, with the newest value", async () => {
    const broker = await brokerWith();
    const { publisher, lines } = keep(broker);
    publisher.setTopics(SNAPSHOT);
    await publisher.allAcknowledged();
    broker.freeze();
    publisher.setTopics(topics({ "many/0": "old" }));
    publisher.setTopics(topics({ "many/0": "new" }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    broker.thaw();
    await publisher.allAcknowledged();
    await becomesWhole(broker, topics({ "many/0": "new" }));
    expect(lines).toEqual([`Connected to the broker at ${broker.url} (MQTT 5)`]);
  });

  test.concurrent("stops within 5 s while the broker is frozen, and while it is away", async () => {
    const broker = await brokerWith();
    const { publisher } = keep(broker);
    publisher.setTopics(SNAPSHOT);
    await publisher.allAcknowledged();
    broker.freeze();
    publisher.setTopics(topics({ "many/0": "never heard" }));
    const start = systemClock.steady();
    await publisher.stop();
    expect(systemClock.steady() - start).toBeLessThan(onBusyMachine(5_000));
    const away = keepPublishing(`mqtt://${NOBODY}`);
    away.publisher.setTopics(SNAPSHOT);
    await away.publisher.stop();
  });

  test.concurrent("may be started before the broker, and says once what it waits for", async () => {
    const broker = await brokerWith({ idle: true });
    const { publisher, lines } = keep(broker);
    publisher.setTopics(SNAPSHOT);
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(lines).toEqual([
      `The broker at ${broker.url} is not listening (connection refused). Check that it is running and that the port is right`,
    ]);
    await broker.start();
    await becomesWhole(broker);
    expect(lines[1]).toMatch(/^The broker at .* accepts the connection again, after /);
  });

  test.concurrent("what-if: The broker's password is changed · logs a wrong password once, and goes on when it is right", async () => {
    const broker = await brokerWith({
      lines: ["allow_anonymous false", "password_file FOLDER/passwords"],
      files: { passwords: passwordLine("vigie", "secret1") },
    });
    const { publisher, lines } = keep(broker, { broker: { username: "vigie", password: "secret2" } });
    publisher.setTopics(SNAPSHOT);
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^The broker at .* (refuses the user name or password|refuses the login)/);
    expect(lines[0]).not.toContain("secret");
    await broker.renew({ passwords: passwordLine("vigie", "secret2") });
    await publisher.allAcknowledged();
    await becomesWhole({ ...broker, url: broker.url.replace("//", "//vigie:secret2@") });
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^The broker at .* accepts the connection again, after /),
      `Connected to the broker at ${broker.url} (MQTT 5)`,
    ]);
  });

  test.concurrent("what-if: The power fails · readme: Never more than it knows · leaves no topic of the moment after a power cut of both", async () => {
    const broker = await brokerWith({ persistence: "each change" });
    const { publisher } = keep(broker);
    publisher.setTopics(topics({ "season/label": "2025-2026" }));
    await publisher.allAcknowledged();
    // A slow machine needs some seconds until it is saved.
    const expires = Date.now() + 6_000;
    publisher.setTopics(topics({ "now/color": { payload: "bleu", expires }, "season/label": "2025-2026" }));
    await publisher.allAcknowledged();
    for (const topic of ["vigie/now/color", "vigie/season/label"]) await broker.untilSaved(topic);
    await broker.end("SIGKILL");
    await publisher.stop();
    // mosquitto counts whole seconds, and starts anew with a second's doubt.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, expires + 3_000 - Date.now())));
    await broker.start();
    const left = await readRetained(broker.url);
    expect(left.get("vigie/season/label")).toBe("2025-2026");
    expect(left.has("vigie/now/color")).toBe(false);
  });

  test.concurrent("says once which topic the broker refuses, and keeps the others true", async () => {
    const broker = await brokerWith({
      lines: ["allow_anonymous true", "acl_file FOLDER/acl"],
      files: {
        acl: `${["owner", "owner/ping", "owner/pong", "availability", "a"].map((topic) => `topic readwrite vigie/${topic}`).join("\n")}\ntopic read #\n`,
      },
    });
    const { publisher, lines } = keep(broker);
    publisher.setTopics(topics({ a: "1", forbidden: "1" }));
    await publisher.allAcknowledged();
    publisher.setTopics(topics({ a: "2", forbidden: "2" }));
    await publisher.allAcknowledged();
    const observer = await observe(broker.url, "vigie/#");
    await observer.until(({ retained }) => retained.get("vigie/a") === "2", "the newest value is there");
    await observer.disconnect();
    expect(lines.filter((line) => line.includes("forbidden"))).toEqual([
      "The broker refuses vigie/forbidden: not authorized; the other topics are published",
    ]);
  });

  test.concurrent("says what is too large for the broker, and sends the rest", async () => {
    const broker = await brokerWith({ lines: ["allow_anonymous true", "max_packet_size 2000"] });
    const { publisher, lines } = keep(broker);
    publisher.setTopics(topics({ a: "1", forecast: "x".repeat(3_000) }));
    await publisher.allAcknowledged();
    await becomesWhole(broker, topics({ a: "1" }));
    expect(
      lines.filter((line) => line.includes("for vigie/forecast is larger than the broker accepts")),
    ).toHaveLength(1);
  });
});
