import mqtt from "mqtt";
import { afterAll, describe, expect, test } from "vitest";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";
import { LONG, runs } from "../support/long.ts";
import { MOST_MEMORY, peakMemory } from "../support/memory.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { startOldBroker } from "../support/old-broker.ts";
import { PATIENCE } from "../support/patience.ts";
import { brokerAt } from "../support/publisher.ts";
import { serveBleuDays, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const KB = 1024;
const VERSIONS = LONG ? ([5, 4] as const) : ([5] as const);

describe.skipIf(withoutMosquitto)(`a stranger who floods the base topic ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  /** Carries out a command still. */
  const obeys = async ({ broker, stranger }: { broker: Mosquitto; stranger: mqtt.MqttClient }) => {
    const observer = await observe(broker.url, "vigie/simulation/color");
    cleanup.add(observer.disconnect);
    await stranger.publishAsync("vigie/simulation/set", "rouge", { qos: 1 });
    await observer.until(
      ({ retained }) => retained.get("vigie/simulation/color") === "rouge",
      "rouge is pretended",
    );
  };
  const start = async (version: 4 | 5, queue: readonly string[] = ["max_queued_messages 0"]) => {
    const broker = await startMosquitto({ lines: ["allow_anonymous true", ...queue] });
    cleanup.add(broker.remove);
    const old = version === 4 ? await startOldBroker(broker.port) : null;
    if (old) cleanup.add(old.stop);
    const folder = await cleanup.createFolder();
    const config = vigieConfig(await serveBleuDays(cleanup), old?.url ?? broker.url);
    const stranger = await mqtt.connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 0 });
    cleanup.add(() => stranger.endAsync(true));
    /** Resolves when it listens to commands. */
    const run = async () => {
      const observer = await observe(broker.url, "vigie/availability");
      cleanup.add(observer.disconnect);
      const vigie = await cleanup.startVigie({ folder, config });
      await observer.until(({ retained }) => retained.get("vigie/availability") === "online", "it is online");
      return vigie;
    };
    return { broker, run, stranger };
  };
  const send = async (
    { stranger }: { stranger: mqtt.MqttClient },
    count: number,
    message: (number: number) => { topic: string; payload: Buffer | string },
    retain: boolean,
  ) => {
    for (let number = 0; number < count; number += 1) {
      const { topic, payload } = message(number);
      await stranger.publishAsync(topic, payload, { qos: 1, retain });
    }
  };
  /** Resolves when the broker holds none of what the stranger has sent. */
  const untilCleared = async ({ broker }: { broker: Mosquitto }) => {
    const isJunk = (topic: string) => topic.startsWith("vigie/junk");
    const left = async () => [...(await readRetained(broker.url)).keys()].filter(isJunk).length;
    // Each look reads all of what is left.
    await expect.poll(left, { interval: 1_000, timeout: 2 * PATIENCE }).toBe(0);
  };
  /** Messages to a client for which too many waited. The broker counts them each second with `sys_interval 1`. */
  const dropped = async ({ url }: Mosquitto) => {
    const topic = "$SYS/broker/publish/messages/dropped";
    return Number((await readRetained(url, [topic])).get(topic) ?? 0);
  };
  const long = (number: number) => `${number}/${"long ".repeat(6 * KB)}`;

  /** In the long run the largest is larger than MOST_MEMORY: a vigie that keeps what it hears does not pass. */
  const FLOODS = [
    [
      "retained topics of 30 KB each",
      runs(1_000),
      (n: number) => ({ topic: `vigie/junk/${long(n)}`, payload: "x" }),
      true,
    ],
    [
      "retained payloads of 256 KB",
      runs(900),
      (n: number) => ({ topic: `vigie/junk/${n}`, payload: Buffer.alloc(256 * KB, "x") }),
      true,
    ],
    [
      "commands on topics of 30 KB each",
      runs(2_000),
      (n: number) => ({ topic: `vigie/${long(n)}/set`, payload: "ON" }),
      false,
    ],
  ] as const;
  const CASES = VERSIONS.flatMap((version) =>
    (LONG ? FLOODS : FLOODS.slice(0, 1)).map(([name, ...flood]) => [name, version, ...flood] as const),
  );

  test.each(CASES)("%s, MQTT %s", async (_name, version, count, message, retain) => {
    const flood = await start(version);
    const vigie = await flood.run();
    await send(flood, count, message, retain);
    // On MQTT 3.1.1 a message that arrives live does not say whether it is retained.
    if (version === 5) await untilCleared(flood);
    await obeys(flood);
    expect(await peakMemory(vigie.pid)).toBeLessThan(MOST_MEMORY);
    expect(vigie.output().length).toBeLessThan(64 * KB);
  });

  test.each(LONG ? VERSIONS : [])("before a start, MQTT %s: all of it is cleared", async (version) => {
    const flood = await start(version);
    for (const [, count, message, retain] of FLOODS) if (retain) await send(flood, count, message, retain);
    const vigie = await flood.run();
    await untilCleared(flood);
    await obeys(flood);
    expect(await peakMemory(vigie.pid)).toBeLessThan(MOST_MEMORY);
    expect(vigie.output().length).toBeLessThan(64 * KB);
  });

  // Takes ten seconds, and 1,500 messages. `broker-traffic` has what vigie does then, with a clock that runs fast.
  test.each(LONG ? VERSIONS : [])(
    "what-if: Somebody else writes vigie's topics · so that mosquitto drops messages to vigie, MQTT %s: what vigie did not hear of is right again soon",
    async (version) => {
      const flood = await start(version, ["sys_interval 1"]);
      const vigie = await flood.run();
      await obeys(flood);
      process.kill(vigie.pid, "SIGSTOP");
      // On MQTT 3.1.1 what fills the sockets does not wait.
      const payload = Buffer.alloc(64 * KB, "x");
      await send(flood, 1_500, (number) => ({ topic: `vigie/x/${number}`, payload }), false);
      await expect.poll(() => dropped(flood.broker), { timeout: PATIENCE }).toBeGreaterThan(0);
      await send(flood, 1, () => ({ topic: "vigie/availability", payload: "" }), true);
      await send(flood, 1, () => ({ topic: "vigie/simulation/color", payload: "pink" }), true);
      const own = async () => {
        const held = await readRetained(flood.broker.url, ["vigie/availability", "vigie/simulation/color"]);
        return Object.fromEntries(held);
      };
      expect(await own()).toEqual({ "vigie/simulation/color": "pink" });
      process.kill(vigie.pid, "SIGCONT");
      await expect
        .poll(own, { interval: 500, timeout: PATIENCE })
        .toEqual({ "vigie/availability": "online", "vigie/simulation/color": "rouge" });
    },
  );

  // mosquitto drops packets to a program for which 1,000 wait, and awaits the acknowledgements of dropped messages of QoS 1 for ever.
  // It sends 20 further ones for each of the first 20: 400, while a long message keeps the sockets full.
  test("what-if: Somebody else writes vigie's topics · so that mosquitto drops what it holds, MQTT 3.1.1: vigie keeps its connection, and obeys", async () => {
    const flood = await start(4, []);
    const retain = (name: string, payload: string | Buffer, qos: 0 | 1) =>
      flood.stranger.publishAsync(`vigie/junk/${name}`, payload, { qos, retain: true });
    for (let number = 0; number < 20; number += 1) await retain(`first/${number}`, "x", 1);
    await retain("large", Buffer.alloc(20 * KB * KB, "x"), 0);
    for (let number = 0; number < 1_100; number += 1) await retain(`fast/${number}`, "x", 0);
    for (let number = 0; number < 500; number += 1) await retain(`last/${number}`, "x", 1);
    const vigie = await flood.run();
    const color = async () => {
      // A command is dropped, too, if it comes while so many packets wait.
      await flood.stranger.publishAsync("vigie/simulation/set", "rouge", { qos: 1 });
      return (await readRetained(flood.broker.url, ["vigie/simulation/color"])).get("vigie/simulation/color");
    };
    await expect.poll(color, { interval: 500, timeout: PATIENCE }).toBe("rouge");
    expect(vigie.output()).not.toMatch(/connection to the broker/i);
  });

  test("with a message that is larger than vigie accepts: the broker keeps it from vigie, which stays connected", async () => {
    const flood = await start(5);
    const vigie = await flood.run();
    for (const topic of ["vigie/junk", "vigie/simulation/color"])
      await flood.stranger.publishAsync(topic, Buffer.alloc(4 * KB * KB, "x"), { qos: 1, retain: true });
    await obeys(flood);
    expect(vigie.output()).not.toMatch(/connection to the broker/i);
  });

  test("with long payloads: of those below the base topic the beginning is read, and all of those outside of it", async () => {
    const { broker, stranger } = await start(5);
    for (const topic of ["vigie/junk", "homeassistant/long"])
      await stranger.publishAsync(topic, Buffer.alloc(256 * KB, "x"), { qos: 1, retain: true });
    const visit = await openShortConnection({
      broker: brokerAt(broker.url),
      instance: "vigie",
      random: Math.random,
      signal: new AbortController().signal,
    });
    cleanup.add(visit.close);
    const [below, outside] = [await visit.read(), await visit.link.readRetained(["homeassistant/long"])];
    expect(below.get("junk")).toHaveLength(64 * KB);
    expect(outside.get("homeassistant/long")).toHaveLength(256 * KB);
  });
});
