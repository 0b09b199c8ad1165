import mqtt from "mqtt";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { type Identity, ownerOf } from "../../src/mqtt/owner.ts";
import type { Publisher } from "../../src/mqtt/publisher.ts";
import { purgeAll } from "../../src/mqtt/purge.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import type { Log } from "../../src/runtime/log.ts";
import { logTo, SILENT_LOG } from "../support/logs.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe, type ReceivedMessage, untilHandled } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { startProxy } from "../support/proxy.ts";
import {
  answerPingsAs,
  brokerAt,
  identity,
  keepPublishing,
  ownerNamed,
  topics,
} from "../support/publisher.ts";

const WANTED = topics({ "now/color": "bleu", "now/period": "hp" });
const OTHER = ownerNamed("z");

describe.skipIf(withoutMosquitto)(`one owner a base topic ${withoutMosquitto}`, { concurrent: true }, () => {
  let mosquitto: Mosquitto;
  let embedded: EmbeddedBroker;
  let bases = 0;
  const running: Publisher[] = [];
  const keep = (url: string, options: Parameters<typeof keepPublishing>[1] = {}) => {
    // A client id of its own: these tests share a broker.
    const kept = keepPublishing(url, { instance: options.broker?.base_topic ?? "vigie", ...options });
    running.push(kept.publisher);
    kept.publisher.setTopics(WANTED);
    return kept;
  };
  const newBase = () => {
    bases += 1;
    return `base${bases}`;
  };
  beforeAll(async () => {
    mosquitto = await startMosquitto();
    embedded = await startEmbeddedBroker({ port: 0, log: SILENT_LOG });
  });
  afterAll(async () => {
    await Promise.all(running.map((publisher) => publisher.stop()));
    await embedded.stop();
    await mosquitto.remove();
  });
  const purge = (base_topic: string, log: Log = SILENT_LOG) =>
    purgeAll({
      clearDiscovery: async () => [],
      broker: brokerAt(mosquitto.url, { base_topic }),
      instance: base_topic,
      clock: systemClock,
      log,
      random: Math.random,
      signal: new AbortController().signal,
    });

  const protocols = [
    ["MQTT 5", 5, () => mosquitto.url],
    ["MQTT 3.1.1", 4, () => embedded.url],
  ] as const;
  describe.concurrent.each(protocols)("on %s", (_, version, urlOf) => {
    test.concurrent("a newcomer yields to a vigie that lives, which notices nothing", async () => {
      const broker = { base_topic: newBase() };
      const first = keep(urlOf(), { broker });
      await first.publisher.allAcknowledged();
      const observer = await observe(urlOf(), `${broker.base_topic}/#`, 4);
      const other = keep(urlOf(), { broker, name: "b" });
      expect(await other.yielded).toBe("run-a");
      // The same installation in an old copy of the state folder: the same client id.
      const same = { ...identity("a"), incarnation: "copy" };
      expect(await keep(urlOf(), { broker, identity: same }).yielded).toBe("run-a");
      expect(first.publisher.state().connected).toBe(true);
      expect(first.lines).toHaveLength(1);
      expect(observer.received.filter(({ payload }) => payload === "offline")).toEqual([]);
      await observer.disconnect();
    });

    test.concurrent("what-if: Another program writes to `owner` · a running vigie yields to an answer with the claimed incarnation, and its online does not stay", async () => {
      const base = newBase();
      const first = keep(urlOf(), { broker: { base_topic: base, grace: 1_000 } });
      await first.publisher.allAcknowledged();
      const stop = await answerPingsAs(OTHER, urlOf(), base);
      const observer = await observe(urlOf(), `${base}/#`, version);
      const claim = JSON.stringify(OTHER);
      await observer.publish(`${base}/owner`, claim);
      expect(await first.yielded).toBe(OTHER.incarnation);
      await observer.until(({ retained }) => retained.get(`${base}/availability`) === "offline", "offline");
      expect(observer.retained.get(`${base}/owner`)).toBe(claim);
      await observer.disconnect();
      await stop();
    });
  });

  // What follows is the same on both versions.

  describe("what-if: Two vigies run · a vigie that had to leave its base topic", () => {
    const left: Identity = { ...identity("a", "run-before"), yieldedTo: OTHER.installation };
    /** It starts again while the broker has this on `owner`. */
    const startAgain = async (base_topic: string, held: string, speed: number) => {
      const observer = await observe(mosquitto.url, "nothing");
      await observer.publish(`${base_topic}/owner`, held);
      await observer.disconnect();
      const clock = fastClock(Date.now(), speed, systemClock);
      const { publisher, yielded } = keep(mosquitto.url, {
        broker: { base_topic, grace: GRACE },
        identity: left,
        clock,
      });
      const waitsFor = async (owner: object) =>
        vi.waitFor(() => expect(publisher.silentOwner()).toEqual(owner), { timeout: PATIENCE, interval: 10 });
      return { publisher, yielded, clock, waitsFor };
    };
    /** Milliseconds, less than the clock of the first test shows after one question. */
    const GRACE = 100_000;

    test("waits for mqtt.grace of silence, and takes it then", async () => {
      const { publisher, clock, waitsFor } = await startAgain(newBase(), JSON.stringify(OTHER), 100);
      await waitsFor(OTHER);
      const since = clock.steady();
      await publisher.allAcknowledged();
      expect(clock.steady() - since).toBeGreaterThan(GRACE / 2);
      expect(publisher.silentOwner()).toBe(null);
    });

    test("leaves it to one that only restarts", async () => {
      const base = newBase();
      const { yielded, waitsFor } = await startAgain(base, JSON.stringify(OTHER), 20);
      await waitsFor(OTHER);
      const stop = await answerPingsAs(OTHER, mosquitto.url, base);
      expect(await yielded).toBe(OTHER.incarnation);
      await stop();
    });

    test.each([
      ["has lost who owns it", () => ""],
      [
        "still names its start before",
        (base: string) => JSON.stringify({ ...ownerOf(left, base), incarnation: "run-before" }),
      ],
    ])("waits for that one, and for nobody else, also if the broker %s", async (_, held) => {
      const base = newBase();
      const stop = await answerPingsAs(ownerNamed("y"), mosquitto.url, base);
      const { yielded, waitsFor } = await startAgain(base, held(base), 20);
      await waitsFor({ installation: OTHER.installation });
      const stopOther = await answerPingsAs(OTHER, mosquitto.url, base);
      expect(await yielded).toBe(OTHER.incarnation);
      await Promise.all([stop(), stopOther()]);
    });
  });

  test.each(["a", "b"])(
    "of two that start at the same moment one lives, never none (the other is %s)",
    async (name) => {
      const broker = { base_topic: newBase() };
      const identities = [identity("a"), { ...identity(name), incarnation: "other" }];
      const both = identities.map((one) => keep(mosquitto.url, { broker, identity: one }));
      await Promise.race(both.map(({ yielded }) => yielded));
      const alive = both.filter(({ hasYielded }) => !hasYielded());
      expect(alive).toHaveLength(1);
      await alive[0]!.publisher.allAcknowledged();
      const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
      const winner = identities[both.indexOf(alive[0]!)]!;
      await observer.until(
        ({ retained }) =>
          retained.get(`${broker.base_topic}/availability`) === "online" &&
          retained.get(`${broker.base_topic}/owner`)?.includes(`"${winner.incarnation}"`) === true,
        "the winner owns the base",
      );
      expect(alive[0]!.hasYielded()).toBe(false);
      await observer.disconnect();
    },
  );

  test("a newcomer finds the owner among more topics below owner than a broker holds ready", async () => {
    const base = newBase();
    const stop = await answerPingsAs(OTHER, mosquitto.url, base);
    const observer = await observe(mosquitto.url, "nothing");
    await observer.publish(`${base}/owner`, JSON.stringify(OTHER));
    for (let n = 0; n < 3_000; n += 1) await observer.publish(`${base}/owner/${n}`, "x".repeat(100));
    const { publisher, yielded } = keep(mosquitto.url, { broker: { base_topic: base } });
    expect(await Promise.race([yielded, publisher.allAcknowledged()])).toBe(OTHER.incarnation);
    await Promise.all([observer.disconnect(), stop()]);
  });

  test("a vigie does not take itself for another one when its own word and its own answers come late", async () => {
    const base = newBase();
    const own = ownerOf(identity("a"), base);
    const stop = await answerPingsAs(own, mosquitto.url, base);
    const observer = await observe(mosquitto.url, `${base}/#`);
    await observer.publish(`${base}/owner`, JSON.stringify(OTHER));
    const { publisher, hasYielded } = keep(mosquitto.url, { broker: { base_topic: base } });
    const isAsking = ({ topic, payload }: ReceivedMessage) =>
      topic === `${base}/owner/pong` && payload.includes(own.incarnation);
    await observer.until(({ received }) => received.some(isAsking), "it asks, and is answered");
    await observer.publish(`${base}/owner`, JSON.stringify(own));
    await publisher.allAcknowledged();
    expect(hasYielded()).toBe(false);
    await Promise.all([observer.disconnect(), stop()]);
  });

  test.each([
    ["another program", (base: string) => ({ client_id: `zigbee2mqtt-${base}` })],
    ["another vigie", (base: string) => ownerOf(identity("y"), `${base}_other`)],
    [
      "another vigie, under this installation's name",
      (base: string) => ({
        installation: identity("a").installation,
        client_id: ownerOf(identity("y"), `${base}_other`).client_id,
      }),
    ],
    [
      "another vigie, as this one's start before",
      (base: string) => ({ ...ownerOf(identity("y"), `${base}_other`), incarnation: "run-before" }),
    ],
  ])(
    "a start, a start with --take-over and a purge leave the session of %s alone, though owner names it",
    async (_, name) => {
      const [base, purged] = [newBase(), newBase()];
      const { url } = mosquitto;
      const claimed = { ...OTHER, ...name(base) };
      const other = await mqtt.connectAsync(url, {
        clientId: claimed.client_id,
        protocolVersion: 5,
        reconnectPeriod: 0,
      });
      const observer = await observe(url, "nothing");
      const claim = JSON.stringify(claimed);
      const start = async (takeOver: boolean) => {
        await observer.publish(`${base}/owner`, claim);
        const kept = keep(url, {
          broker: { base_topic: base },
          identity: identity("a", "run-before"),
          takeOver,
        });
        await kept.publisher.allAcknowledged();
        expect(kept.lines).toEqual([expect.stringMatching(/^Connected to the broker/)]);
        await kept.publisher.stop();
      };
      const lines: string[] = [];
      await observer.publish(`${purged}/owner`, claim);
      await Promise.all([start(false).then(() => start(true)), purge(purged, logTo(lines))]);
      expect(other.connected).toBe(true);
      expect(lines).toEqual([
        `owner named the client id "${claimed.client_id}", which is not one of the instance ${purged}: its session stays. Where it was a vigie, availability is offline within mqtt.grace: then purge again`,
      ]);
      await Promise.all([observer.disconnect(), other.endAsync()]);
    },
  );

  test("a first start and a restart from the same state folder ask nobody; another instance of it ends the session of the former one, so that its will is not published", async () => {
    const broker = { base_topic: newBase(), grace: 2_000 };
    const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
    const pingsBefore = (incarnation: string) => {
      const claim = observer.received.findIndex(
        ({ topic, payload }) => topic.endsWith("/owner") && payload.includes(incarnation),
      );
      const before = observer.received.slice(0, claim);
      return claim < 0 ? null : before.filter(({ topic }) => topic.endsWith("/owner/ping")).length;
    };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    await observer.until(() => pingsBefore("run-a") !== null, "the first start owns the base");
    // Whoever asks the owner sends eight pings at least, in 2 s. A look at the broker takes one or two.
    expect(pingsBefore("run-a")).toBeLessThan(8);
    await first.publisher.stop();

    observer.received.length = 0;
    const wills = laterWill(observer, broker);
    const second = keep(mosquitto.url, {
      broker,
      instance: `${broker.base_topic}_new`,
      identity: { ...identity("a", "run-a"), incarnation: "run-2" },
    });
    await second.publisher.allAcknowledged();
    await observer.until(() => pingsBefore("run-2") !== null, "the restart owns the base");
    expect(pingsBefore("run-2")).toBeLessThan(8);
    await wills;
    expect(observer.received.filter(({ payload }) => payload === "offline")).toEqual([]);
    await observer.disconnect();
  });

  test("after a purge no offline comes from the vigie that had ended before", async () => {
    const broker = { base_topic: newBase(), grace: 3_000 };
    const { publisher } = keep(mosquitto.url, { broker });
    await publisher.allAcknowledged();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
    await publisher.stop();
    const wills = laterWill(observer, broker);
    // It asks for two seconds.
    await purge(broker.base_topic);
    await wills;
    const offline = observer.received.filter(({ payload }) => payload === "offline");
    expect([offline, [...observer.retained.keys()]]).toEqual([[], []]);
    await observer.disconnect();
  });

  /** Resolves when the broker has sent a will with this grace, of a program that ends now: those of earlier ends came before. */
  async function laterWill(observer: Observer, { base_topic, grace }: { base_topic: string; grace: number }) {
    const topic = `${base_topic}/later`;
    const seconds = grace / 1_000;
    const later = await mqtt.connectAsync(mosquitto.url, {
      protocolVersion: 5,
      reconnectPeriod: 0,
      properties: { sessionExpiryInterval: seconds },
      will: {
        topic,
        payload: Buffer.from("x"),
        qos: 1,
        retain: false,
        properties: { willDelayInterval: seconds },
      },
    });
    later.stream.destroy();
    await observer.until(({ received }) => received.some((one) => one.topic === topic), "a later will");
    await untilHandled(observer);
  }

  test("another instance of the same process writes its client id to owner, and takes that for no other program's word", async () => {
    const base_topic = newBase();
    const first = keep(mosquitto.url, { broker: { base_topic } });
    await first.publisher.allAcknowledged();
    await first.publisher.stop("end");
    const observer = await observe(mosquitto.url, `${base_topic}/#`);
    await observer.publish(`${base_topic}/old`, "x");
    const second = keep(mosquitto.url, { broker: { base_topic }, instance: "other" });
    await observer.until(
      ({ retained }) => !retained.has(`${base_topic}/old`),
      "what the broker held is checked",
    );
    expect(observer.retained.get(`${base_topic}/owner`)).toContain("vigie-other-runninga0000");
    expect(second.lines.filter((line) => line.includes("Another program"))).toEqual([]);
    await observer.disconnect();
  });

  test("what-if: A container is restarted · a vigie in the place of another one answers the will of that one with online", async () => {
    const broker = { base_topic: newBase(), grace: 1_000 };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/availability`);
    const second = keep(mosquitto.url, { broker, name: "b", takeOver: true });
    expect(await first.yielded).toBe("run-b");
    const values = () => observer.received.map(({ payload }) => payload);
    await observer.until(() => values().includes("offline"), "the grace of the first one is over");
    await observer.until(() => values().at(-1) === "online", "the second one is online");
    expect(second.lines).toContain("availability was not online: vigie publishes online again");
    expect(second.hasYielded()).toBe(false);
    await observer.disconnect();
  });

  test("what-if: The network is away · a vigie that was disconnected while another one took its place ends when it is connected again", async () => {
    const base_topic = newBase();
    const proxy = await startProxy(mosquitto.port);
    const first = keep(proxy.url, { broker: { base_topic } });
    await first.publisher.allAcknowledged();
    proxy.cut();
    const second = keep(mosquitto.url, { broker: { base_topic }, name: "b" });
    await second.publisher.allAcknowledged();
    await proxy.mend();
    expect(await first.yielded).toBe("run-b");
    expect(second.hasYielded()).toBe(false);
    await proxy.stop();
  });
});
