import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import type { Publisher } from "../../src/mqtt/publisher.ts";
import { purgeAll } from "../../src/mqtt/purge.ts";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, type ReceivedMessage } from "../support/observer.ts";
import { startProxy } from "../support/proxy.ts";
import { brokerAt, identity, keepPublishing, topics } from "../support/publisher.ts";

const WANTED = topics({ "now/color": "bleu", "now/period": "hp" });

describe.skipIf(withoutMosquitto)(`one owner a base topic ${withoutMosquitto}`, { concurrent: true }, () => {
  let mosquitto: Mosquitto;
  let embedded: EmbeddedBroker;
  let count = 0;
  const running: Publisher[] = [];
  const keep = (url: string, options: Parameters<typeof keepPublishing>[1] = {}) => {
    // A client id of its own: these tests share a broker.
    const kept = keepPublishing(url, { instance: options.broker?.base_topic ?? "vigie", ...options });
    running.push(kept.publisher);
    kept.publisher.setTopics(WANTED);
    return kept;
  };
  const newBase = () => {
    count += 1;
    return `base${count}`;
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
  const urls = { "MQTT 5": () => mosquitto.url, "MQTT 3.1.1": () => embedded.url };
  const protocols = Object.keys(urls) as (keyof typeof urls)[];
  const purge = (url: string, base_topic: string) =>
    purgeAll({
      clearDiscovery: async () => [],
      broker: brokerAt(url, { base_topic }),
      instance: "vigie",
      clock: systemClock,
      random: Math.random,
      signal: new AbortController().signal,
    });

  for (const protocol of protocols) {
    describe.concurrent(`on ${protocol}`, () => {
      test.concurrent("a newcomer yields to a vigie that lives, which notices nothing", async () => {
        const broker = { base_topic: newBase() };
        const first = keep(urls[protocol](), { broker });
        await first.publisher.allAcknowledged();
        const observer = await observe(urls[protocol](), `${broker.base_topic}/#`, 4);
        const other = keep(urls[protocol](), { broker, name: "b" });
        expect(await other.yielded).toBe("run-a");
        // The same installation in a copied state folder: the same client id.
        const same = { ...identity("a"), incarnation: "copy" };
        expect(await keep(urls[protocol](), { broker, identity: same }).yielded).toBe("run-a");
        expect(first.publisher.state().connected).toBe(true);
        expect(first.lines).toHaveLength(1);
        expect(observer.received.filter(({ payload }) => payload === "offline")).toEqual([]);
        await observer.disconnect();
      });

      test.concurrent.each(["a", "b"])(
        "of two that start at the same moment one lives, never none (the other is %s)",
        async (name) => {
          const broker = { base_topic: newBase() };
          const identities = [identity("a"), { ...identity(name), incarnation: "other" }];
          const both = identities.map((one) => keep(urls[protocol](), { broker, identity: one }));
          await Promise.race(both.map(({ yielded }) => yielded));
          const alive = both.filter(({ hasYielded }) => !hasYielded());
          expect(alive).toHaveLength(1);
          await alive[0]!.publisher.allAcknowledged();
          const observer = await observe(urls[protocol](), `${broker.base_topic}/#`, 4);
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

      test.concurrent("--take-over makes the other yield", async () => {
        const broker = { base_topic: newBase() };
        const first = keep(urls[protocol](), { broker });
        await first.publisher.allAcknowledged();
        const second = keep(urls[protocol](), { broker, name: "b", takeOver: true });
        expect(await first.yielded).toBe("run-b");
        await second.publisher.allAcknowledged();
        const observer = await observe(urls[protocol](), `${broker.base_topic}/#`, 4);
        await observer.until(
          ({ retained }) => retained.get(`${broker.base_topic}/availability`) === "online",
          "online",
        );
        expect(second.hasYielded()).toBe(false);
        await observer.disconnect();
      });

      test.concurrent("purge is refused while the owner lives; then it leaves nothing, and no offline comes back", async () => {
        const base = newBase();
        const { publisher } = keep(urls[protocol](), { broker: { base_topic: base, grace: 3_000 } });
        await publisher.allAcknowledged();
        const refused = await purge(urls[protocol](), base);
        expect(refused).toMatchObject({ living: { incarnation: "run-a" } });
        await publisher.stop();
        const observer = await observe(urls[protocol](), `${base}/#`, 4);
        await purge(urls[protocol](), base);
        const after = observer.received.length;
        // The purge took 2 s of the will's 3.
        await new Promise((resolve) => setTimeout(resolve, protocol === "MQTT 5" ? 2_500 : 100));
        expect(observer.received.slice(after).filter(({ topic }) => !topic.includes("owner/"))).toEqual([]);
        await observer.disconnect();
        const left = await readRetainedBelow(urls[protocol](), base);
        expect(left).toEqual([]);
      });
    });
  }

  test.concurrent("a restart from the same state folder asks nobody", async () => {
    const broker = { base_topic: newBase() };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    await first.publisher.stop();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
    const again = keep(mosquitto.url, {
      broker,
      identity: { ...identity("a", "run-a"), incarnation: "run-2" },
    });
    await again.publisher.allAcknowledged();
    const claim = ({ topic, payload }: ReceivedMessage) =>
      topic === `${broker.base_topic}/owner` && payload.includes("run-2");
    await observer.until(({ received }) => received.some(claim), "it owns the base");
    const before = observer.received.slice(0, observer.received.findIndex(claim));
    // Whoever asks the owner sends eight pings at least, in 2 s. The first look at the broker takes one or two.
    expect(before.filter(({ topic }) => topic.endsWith("/owner/ping")).length).toBeLessThan(8);
    await observer.disconnect();
  });

  test.concurrent("another instance of the same process writes its client id to owner, and takes that for no other program's word", async () => {
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
    expect(observer.retained.get(`${base_topic}/owner`)).toContain("vigie-other-running-a");
    expect(second.lines.filter((line) => line.includes("Another program"))).toEqual([]);
    await observer.disconnect();
  });

  test.concurrent("the session of an owner that has ended is closed, so that its will is not published", async () => {
    const broker = { base_topic: newBase(), grace: 3_000 };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    await first.publisher.stop();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
    const second = keep(mosquitto.url, { broker, name: "b" });
    await second.publisher.allAcknowledged();
    const since = observer.received.length;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(observer.received.slice(since).filter(({ payload }) => payload === "offline")).toEqual([]);
    await observer.disconnect();
  });

  test.concurrent("a running vigie yields to a newer word on owner, and leaves that word alone", async () => {
    const broker = { base_topic: newBase() };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
    const owner = JSON.stringify({
      installation: "house-z",
      incarnation: "run-z",
      host: "z",
      version: "1",
      since: "1970-01-01T00:00:00Z",
      client_id: "vigie-vigie-house-z",
    });
    await observer.publish(`${broker.base_topic}/owner`, owner);
    expect(await first.yielded).toBe("run-z");
    await observer.until(
      ({ retained }) => retained.get(`${broker.base_topic}/owner`) === owner,
      "the word stands",
    );
    await observer.disconnect();
  });

  test.concurrent("a vigie that was disconnected while another one took its place ends when it is connected again", async () => {
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

  test.concurrent("junk on owner is no owner: it is written over", async () => {
    const broker = { base_topic: newBase() };
    const { publisher, hasYielded } = keep(mosquitto.url, { broker });
    await publisher.allAcknowledged();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/owner`);
    await observer.publish(`${broker.base_topic}/owner`, "me!");
    await observer.until(
      ({ received }) => received.at(-1)?.payload.includes("run-a") === true && received.length > 2,
      "my word",
    );
    expect(hasYielded()).toBe(false);
    await observer.disconnect();
  });
});

async function readRetainedBelow(url: string, base: string): Promise<string[]> {
  const visit = await openShortConnection({
    broker: brokerAt(url, { base_topic: base }),
    instance: "vigie",
    random: Math.random,
    signal: new AbortController().signal,
  });
  const left = [...(await visit.read()).keys()];
  await visit.close();
  return left;
}
