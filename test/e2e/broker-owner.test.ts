import mqtt from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import type { Publisher } from "../../src/mqtt/publisher.ts";
import { purgeAll } from "../../src/mqtt/purge.ts";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Log } from "../../src/runtime/log.ts";
import { logTo, SILENT_LOG } from "../support/logs.ts";
import { LONG } from "../support/long.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, type ReceivedMessage } from "../support/observer.ts";
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
  const urls = { "MQTT 5": () => mosquitto.url, "MQTT 3.1.1": () => embedded.url };
  const protocols = Object.keys(urls) as (keyof typeof urls)[];
  const purge = (url: string, base_topic: string, log: Log = SILENT_LOG, instance = base_topic) =>
    purgeAll({
      clearDiscovery: async () => [],
      broker: brokerAt(url, { base_topic }),
      instance,
      clock: systemClock,
      log,
      random: Math.random,
      signal: new AbortController().signal,
    });

  for (const protocol of protocols) {
    describe.concurrent(`on ${protocol}`, () => {
      const version = protocol === "MQTT 5" ? 5 : 4;
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

      test.concurrent("what-if: Another program writes to `owner` · a running vigie yields to an answer with the claimed incarnation, and its online does not stay", async () => {
        const base = newBase();
        const url = urls[protocol]();
        const first = keep(url, { broker: { base_topic: base, grace: 1_000 } });
        await first.publisher.allAcknowledged();
        const stop = await answerPingsAs(ownerNamed("z"), url, base);
        const observer = await observe(url, `${base}/#`, version);
        const claim = JSON.stringify(ownerNamed("z"));
        await observer.publish(`${base}/owner`, claim);
        expect(await first.yielded).toBe("run-z");
        await observer.until(({ retained }) => retained.get(`${base}/availability`) === "offline", "offline");
        expect(observer.retained.get(`${base}/owner`)).toBe(claim);
        await observer.disconnect();
        await stop();
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

      // What follows is the same on both versions.
      if (version === 4 && !LONG) return;

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

      test.concurrent("a vigie that starts from a copy of the state folder replaces the one that runs", async () => {
        const broker = { base_topic: newBase() };
        const first = keep(urls[protocol](), { broker });
        await first.publisher.allAcknowledged();
        const successor = { ...identity("a", "run-a"), incarnation: "run-2" };
        const second = keep(urls[protocol](), { broker, identity: successor });
        expect(await first.yielded).toBe("run-2");
        await second.publisher.allAcknowledged();
        const observer = await observe(urls[protocol](), `${broker.base_topic}/#`, version);
        await observer.until(
          ({ retained }) => retained.get(`${broker.base_topic}/availability`) === "online",
          "online",
        );
        expect(second.hasYielded()).toBe(false);
        await observer.disconnect();
      });

      test.concurrent("a running vigie asks who claims its base topic, publishes meanwhile, and owns the base where nobody answers", async () => {
        const base = newBase();
        const url = urls[protocol]();
        const { publisher, hasYielded, lines } = keep(url, { broker: { base_topic: base } });
        await publisher.allAcknowledged();
        const stop = await answerPingsAs(ownerNamed("y"), url, base);
        const observer = await observe(url, `${base}/#`, version);
        const owns = (name: string) => observer.retained.get(`${base}/owner`)?.includes(`"run-${name}"`);
        await observer.until(() => owns("a") === true, "it owns the base");
        for (let n = 0; n < 100; n += 1)
          await observer.publish(`${base}/owner`, JSON.stringify(ownerNamed(`z${n}`)));
        await observer.until(() => owns("z99") === true, "another program has the last word");
        publisher.setTopics(topics({ "now/color": "rouge" }));
        await observer.until(() => owns("a") === true, "it owns the base again");
        const order = observer.received.map(({ topic, payload }) => `${topic} ${payload}`);
        const own = JSON.stringify(ownerOf(identity("a"), base));
        expect(order.indexOf(`${base}/now/color rouge`)).toBeGreaterThan(0);
        expect(order.indexOf(`${base}/now/color rouge`)).toBeLessThan(
          order.lastIndexOf(`${base}/owner ${own}`),
        );
        expect(hasYielded()).toBe(false);
        expect(lines.filter((line) => line.includes("owner"))).toEqual([
          "Another program wrote to owner: vigie publishes its own values again",
        ]);
        expect(order.filter((line) => line.startsWith(`${base}/owner/ping`)).length).toBeLessThan(100);
        await observer.disconnect();
        await stop();
      });

      test.concurrent("a newcomer finds the owner among more topics below owner than a broker holds ready", async () => {
        const base = newBase();
        const url = urls[protocol]();
        const stop = await answerPingsAs(ownerNamed("z"), url, base);
        const observer = await observe(url, "nothing", version);
        await observer.publish(`${base}/owner`, JSON.stringify(ownerNamed("z")));
        for (let n = 0; n < 3_000; n += 1) await observer.publish(`${base}/owner/${n}`, "x".repeat(100));
        const { publisher, yielded } = keep(url, { broker: { base_topic: base } });
        expect(await Promise.race([yielded, publisher.allAcknowledged()])).toBe("run-z");
        await Promise.all([observer.disconnect(), stop()]);
      });

      test.concurrent("a start goes on though other programs write to owner without end", async () => {
        const base = newBase();
        const url = urls[protocol]();
        const observer = await observe(url, `${base}/owner`, version);
        let count = 0;
        const write = () => {
          count += 1;
          return observer.publish(`${base}/owner`, JSON.stringify(ownerNamed(`z${count}`)));
        };
        await write();
        const writing = setInterval(write, 500);
        const { publisher, lines, hasYielded } = keep(url, { broker: { base_topic: base } });
        const values = await observe(url, `${base}/now/color`, version);
        await values.until(({ retained }) => retained.get(`${base}/now/color`) === "bleu", "it publishes");
        clearInterval(writing);
        await publisher.allAcknowledged();
        await observer.until(
          ({ received }) => received.at(-1)?.payload.includes("run-a") === true,
          "its word",
        );
        expect(hasYielded()).toBe(false);
        expect(lines.filter((line) => line.includes("again and again"))).toEqual([
          "Other programs wrote to owner again and again, and no vigie answers for them: vigie claims the base topic",
        ]);
        await Promise.all([observer.disconnect(), values.disconnect()]);
      });

      test.concurrent.each([
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
          const base = newBase();
          const url = urls[protocol]();
          const claimed = { ...ownerNamed("z"), ...name(base) };
          const other = await mqtt.connectAsync(url, {
            clientId: claimed.client_id,
            protocolVersion: version,
            reconnectPeriod: 0,
          });
          const observer = await observe(url, `${base}/#`, version);
          const claim = JSON.stringify(claimed);
          await observer.publish(`${base}/owner`, claim);
          const lines: string[] = [];
          await purge(url, base, logTo(lines));
          for (const takeOver of [false, true]) {
            await observer.publish(`${base}/owner`, claim);
            const kept = keep(url, {
              broker: { base_topic: base },
              identity: identity("a", "run-before"),
              takeOver,
            });
            await kept.publisher.allAcknowledged();
            await kept.publisher.stop();
          }
          expect(other.connected).toBe(true);
          expect(lines).toEqual([
            `owner named the client id "${claimed.client_id}", which is not one of the instance ${base}: its session stays. Where it was a vigie, availability is offline within mqtt.grace: then purge again`,
          ]);
          await Promise.all([observer.disconnect(), other.endAsync()]);
        },
      );
    });
  }

  test.concurrent("on MQTT 5 a word on owner that is not retained is no claim, whoever answers for it", async () => {
    const base = newBase();
    const { publisher, hasYielded } = keep(mosquitto.url, { broker: { base_topic: base } });
    await publisher.allAcknowledged();
    const stop = await answerPingsAs(ownerNamed("z"), mosquitto.url, base);
    const observer = await observe(mosquitto.url, `${base}/owner`);
    await observer.publish(`${base}/owner`, JSON.stringify(ownerNamed("z")), false);
    await observer.until(
      ({ received }) => received.length > 2 && received.at(-1)?.payload.includes("run-a") === true,
      "its own word again",
    );
    expect(hasYielded()).toBe(false);
    await observer.disconnect();
    await stop();
  });

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
    expect(observer.retained.get(`${base_topic}/owner`)).toContain("vigie-other-runninga0000");
    expect(second.lines.filter((line) => line.includes("Another program"))).toEqual([]);
    await observer.disconnect();
  });

  test.concurrent("the session of this installation's former instance is ended, so that its will is not published", async () => {
    const broker = { base_topic: newBase(), grace: 3_000 };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    await first.publisher.stop();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/#`);
    const second = keep(mosquitto.url, {
      broker,
      instance: `${broker.base_topic}_new`,
      identity: { ...identity("a", "run-a"), incarnation: "run-2" },
    });
    await second.publisher.allAcknowledged();
    const since = observer.received.length;
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(observer.received.slice(since).filter(({ payload }) => payload === "offline")).toEqual([]);
    await observer.disconnect();
  });

  test.concurrent("what-if: A container is restarted · a vigie whose state folder was lost answers the will of the one before with online", async () => {
    // The second one asks for two seconds who lives, and has to be online before the will of the first one comes.
    const broker = { base_topic: newBase(), grace: 10_000 };
    const first = keep(mosquitto.url, { broker });
    await first.publisher.allAcknowledged();
    await first.publisher.stop();
    const observer = await observe(mosquitto.url, `${broker.base_topic}/availability`);
    const second = keep(mosquitto.url, { broker, name: "b" });
    await second.publisher.allAcknowledged();
    const values = () => observer.received.map(({ payload }) => payload);
    await observer.until(() => values().includes("offline"), "the grace of the first one is over");
    await observer.until(() => values().at(-1) === "online", "the second one is online");
    expect(second.lines).toContain("availability was not online: vigie publishes online again");
    await observer.disconnect();
  });

  test.concurrent("what-if: The network is away · a vigie that was disconnected while another one took its place ends when it is connected again", async () => {
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
