import mqtt from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownerOf } from "../../src/mqtt/owner.ts";
import type { Publisher } from "../../src/mqtt/publisher.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, readRetained } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { startProxy } from "../support/proxy.ts";
import { identity, keepPublishing, topics } from "../support/publisher.ts";

const SNAPSHOT = topics({
  ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`many/${n}`, `value ${n}`])),
  "now/color": "bleu",
  now: '{"color":"bleu"}',
});

describe.skipIf(withoutMosquitto)(
  `a publisher on a real broker ${withoutMosquitto}`,
  { concurrent: true },
  () => {
    let broker: Mosquitto;
    let base = 0;
    const running: Publisher[] = [];
    const own = (options: Parameters<typeof keepPublishing>[1] = {}) => {
      base += 1;
      const base_topic = options.broker?.base_topic ?? `b${base}`;
      // A client id of its own: these tests share a broker.
      const kept = keepPublishing(options.broker?.url ?? broker.url, {
        ...options,
        instance: base_topic,
        broker: { ...options.broker, base_topic },
      });
      running.push(kept.publisher);
      return { ...kept, base: base_topic };
    };
    beforeAll(async () => {
      broker = await startMosquitto();
    });
    afterAll(async () => {
      await Promise.all(running.map((publisher) => publisher.stop()));
      await broker.remove();
    });

    test("sends the whole snapshot, and online last", async () => {
      const observer = await observe(broker.url, "whole/#");
      const { publisher, base: name } = own({ broker: { base_topic: "whole" } });
      publisher.setTopics(SNAPSHOT);
      await publisher.allAcknowledged();
      await observer.until(({ retained }) => retained.get(`${name}/availability`) === "online", "online");
      for (const [topic, { payload }] of SNAPSHOT)
        expect(observer.retained.get(`${name}/${topic}`)).toBe(payload);
      const order = observer.received.filter(({ retain }) => retain).map(({ topic }) => topic);
      expect(order.at(0)).toBe(`${name}/owner`);
      expect(order.at(-1)).toBe(`${name}/availability`);
      expect(JSON.parse(observer.retained.get(`${name}/owner`) ?? "")).toEqual({
        installation: "runninga0000",
        incarnation: "run-a",
        host: "host-a",
        version: "1.0.0",
        since: "1970-01-01T00:00:00Z",
        client_id: "vigie-whole-runninga0000",
      });
      expect(publisher.state()).toEqual({ connected: true, url: broker.url });
      await observer.disconnect();
    });

    test("sends its own value again after a copy of it that expires early", async () => {
      const { publisher, base: name, lines } = own();
      publisher.setTopics(
        new Map([
          ["dated", { payload: "bleu" }],
          ["moment", { payload: "ON", expires: systemClock.now() + 3_600_000 }],
        ]),
      );
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/#`);
      await observer.until(({ retained }) => retained.get(`${name}/availability`) === "online", "online");
      const stranger = await mqtt.connectAsync(broker.url, { protocolVersion: 5 });
      const copies = ["dated", "moment", "availability", "owner"].map((topic) => `${name}/${topic}`);
      const properties = { messageExpiryInterval: 30 };
      for (const topic of copies)
        await stranger.publishAsync(topic, observer.retained.get(topic) ?? "", {
          retain: true,
          qos: 1,
          properties,
        });
      // What the broker holds, the copy, vigie's own value.
      const isBack = (topic: string) =>
        observer.received.filter((message) => message.topic === topic).length >= 3;
      await observer.until(() => copies.every(isBack), "each is sent again");
      expect(lines.filter((line) => line.startsWith("Another program wrote"))).not.toEqual([]);
      await stranger.endAsync();
      await observer.disconnect();
    });

    test("writes ten lines a minute about what others send, however many connections it takes, and at its end how many more there were", async ({
      expect,
    }) => {
      const proxy = await startProxy(broker.port);
      const { publisher, base: name, lines, commands } = own({ broker: { url: proxy.url } });
      publisher.setTopics(topics({ a: "1" }));
      const observer = await observe(broker.url, `${name}/#`);
      const flood = async (press: number) => {
        await publisher.allAcknowledged();
        for (let sent = 0; sent < 20; sent += 1) await observer.publish(`${name}/refresh/set`, "junk", false);
        await observer.publish(`${name}/refresh/set`, "PRESS", false);
        await expect.poll(() => commands.length, { timeout: PATIENCE }).toBe(press);
      };
      await flood(1);
      proxy.cut();
      await expect.poll(() => publisher.state().connected, { timeout: PATIENCE }).toBe(false);
      await proxy.mend();
      await expect.poll(() => publisher.state().connected, { timeout: PATIENCE }).toBe(true);
      await flood(2);
      await publisher.stop();
      expect(lines.filter((line) => line.startsWith("refresh/set"))).toHaveLength(10);
      expect(lines.filter((line) => line.includes("left out"))).toEqual([
        "30 more such lines were left out within a minute",
      ]);
      await observer.disconnect();
      await proxy.stop();
    });

    test("hears what others write to its topics also after many large messages", async () => {
      const { publisher, base: name } = own();
      publisher.setTopics(topics({ a: "own" }));
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/a`);
      for (let sent = 0; sent < 30; sent += 1)
        await observer.publish(`${name}/large`, "x".repeat(1_500_000), false);
      await observer.publish(`${name}/a`, "foreign");
      // What the broker held, the foreign value, vigie's own.
      await observer.until(({ received }) => received.length >= 3, "it is corrected");
      expect(observer.retained.get(`${name}/a`)).toBe("own");
      await observer.disconnect();
    });

    test("then sends only what differs, the latest of what came together, and events that are not kept", async () => {
      const { publisher, base: name } = own();
      publisher.setTopics(topics({ a: "1", b: "1", c: "1" }));
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/#`);
      await observer.until(({ received }) => received.length >= 5, "the retained ones");
      observer.received.length = 0;
      publisher.setTopics(topics({ a: "2", b: "1", c: "1" }));
      publisher.setTopics(topics({ a: "3", b: "1" }));
      await publisher.allAcknowledged();
      publisher.publishEvent({ event_type: "announced", color: "rouge" });
      await observer.until(
        ({ received }) => received.some(({ topic }) => topic.endsWith("/event")),
        "the event",
      );
      const told = observer.received.flatMap(({ at: _, ...said }) =>
        said.topic.includes("owner/") ? [] : [said],
      );
      expect(told.filter(({ topic }) => topic === `${name}/a`).at(-1)?.payload).toBe("3");
      expect(told.some(({ topic }) => topic === `${name}/b`)).toBe(false);
      expect(told).toContainEqual({ topic: `${name}/c`, payload: "", qos: 1, retain: true });
      expect(told).toContainEqual({
        topic: `${name}/event`,
        payload: '{"event_type":"announced","color":"rouge"}',
        qos: 1,
        retain: false,
      });
      await observer.disconnect();
    });

    test("tells an event after what it is about, though it is announced first", async () => {
      const { publisher, base: name } = own();
      publisher.setTopics(topics({ a: "OFF" }));
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/#`);
      await observer.until(({ received }) => received.length >= 3, "the retained ones");
      observer.received.length = 0;
      publisher.publishEvent({ event_type: "rule_on" });
      publisher.setTopics(topics({ a: "ON" }));
      await observer.until(
        ({ received }) => received.some(({ topic }) => topic === `${name}/event`),
        "the event",
      );
      const told = observer.received.filter(({ topic }) => !topic.includes("owner/"));
      expect(told.map(({ payload }) => payload)).toEqual(["ON", '{"event_type":"rule_on"}']);
      await observer.disconnect();
    });

    test("sends a value again when it lives longer, though it is equal", async () => {
      const { publisher, base: name } = own();
      const until = (seconds: number) =>
        topics({ a: { payload: "1", expires: Date.now() + seconds * 1000 } });
      publisher.setTopics(until(60));
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/a`);
      await observer.until(({ received }) => received.length === 1, "the retained one");
      publisher.setTopics(until(120));
      await observer.until(({ received }) => received.length === 2, "the second");
      await observer.disconnect();
    });

    test("clears what nobody keeps, and leaves another vigie's subtree alone", async () => {
      const observer = await observe(broker.url, "nest/#");
      for (const topic of ["old/color", "now/colour", "annexe/now/color", "annexe/refresh/set"]) {
        await observer.publish(`nest/${topic}`, "x");
      }
      await observer.publish("nest/annexe/owner", JSON.stringify(ownerOf(identity("z"), "annexe")));
      await observer.publish("outside/nest", "x");
      const { publisher, lines } = own({ broker: { base_topic: "nest" } });
      publisher.setTopics(topics({ "now/color": "bleu" }));
      await observer.until(
        ({ retained }) => !(retained.has("nest/old/color") || retained.has("nest/now/colour")),
        "cleared",
      );
      await observer.publish("nest/later", "x");
      await observer.until(
        ({ received }) => received.at(-1)?.topic === "nest/later" && received.at(-1)?.payload === "",
        "cleared live",
      );
      await observer.publish("nest/annexe/more", "x");
      await publisher.stop();
      const left = await readRetained(broker.url, ["nest/#", "outside/nest"]);
      expect([...left.keys()].sort()).toEqual([
        ...["nest/annexe/more", "nest/annexe/now/color", "nest/annexe/owner", "nest/annexe/refresh/set"],
        ...["nest/availability", "nest/now/color", "nest/owner", "outside/nest"],
      ]);
      // One line or several: what the broker holds arrives in one piece or in several.
      const said = "Within seconds vigie clears retained topics that it does not publish: ";
      const named = lines.flatMap((line) =>
        line.startsWith(said) ? line.slice(said.length).split(", ") : [],
      );
      expect(named.sort()).toEqual(["later", "now/colour", "old/color"]);
      await observer.disconnect();
    });

    test("sends again what somebody else wrote, cleared or said offline, and does not answer itself", async () => {
      const { publisher, base: name, lines } = own();
      publisher.setTopics(topics({ a: "1", b: "1" }));
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/#`);
      await observer.publish(`${name}/a`, "foreign");
      await observer.publish(`${name}/b`, "");
      await observer.publish(`${name}/availability`, "offline");
      const last = (topic: string) =>
        observer.received.findLast((one) => one.topic === `${name}/${topic}`)?.payload;
      await observer.until(
        () => last("a") === "1" && last("b") === "1" && last("availability") === "online",
        "all is right again",
      );
      const count = observer.received.filter(({ topic }) => !topic.includes("owner")).length;
      for (let n = 2; n < 30; n += 1) publisher.setTopics(topics({ a: `${n}`, b: "1" }));
      await observer.until(() => last("a") === "29", "the newest");
      expect(observer.received.filter(({ topic }) => !topic.includes("owner")).length).toBeLessThan(
        count + 30,
      );
      expect(lines.filter((line) => line.startsWith("Another program wrote"))).not.toEqual([]);
      await observer.disconnect();
    });

    test("leaves other vigies' subtrees alone, also if there are more topics than the broker sends at once", async () => {
      const { publisher, base: name } = own();
      const observer = await observe(broker.url, `${name}/+`);
      const annexes = Array.from({ length: 20 }, (_, n) => `${name}/annexe${n}`);
      for (const annexe of annexes) {
        await observer.publish(`${annexe}/owner`, JSON.stringify(ownerOf(identity("z"), "annexe")));
        await observer.publish(`${annexe}/now/color`, "x");
      }
      for (let n = 0; n < 1_500; n += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, index) => observer.publish(`${name}/${n + index}`, "x")),
        );
      publisher.setTopics(topics({ a: "1" }));
      // a, owner, availability
      await observer.until(({ retained }) => retained.size === 3, "all others are cleared");
      await observer.disconnect();
      const others = await observe(broker.url, `${name}/+/now/color`);
      await others.until(({ retained }) => retained.size === annexes.length, "theirs have stayed", 5_000);
      await others.disconnect();
    });

    test("what-if: Somebody else writes vigie's topics · carries out commands, refuses and clears retained ones, and answers other payloads with one line", async () => {
      const { publisher, base: name, lines, commands } = own();
      const observer = await observe(broker.url, `${name}/#`);
      await observer.publish(`${name}/refresh/set`, "PRESS");
      publisher.setTopics(topics({ a: "1" }));
      await publisher.allAcknowledged();
      await observer.until(
        ({ retained }) => !retained.has(`${name}/refresh/set`),
        "the retained command is cleared",
      );
      expect(commands).toEqual([]);
      await observer.publish(`${name}/refresh/set`, "PRESS", true);
      await observer.until(({ retained }) => !retained.has(`${name}/refresh/set`), "cleared again");
      await observer.publish(`${name}/refresh/set`, "", false);
      await observer.publish(`${name}/refresh/set`, "push", false);
      await observer.publish(`${name}/a/set`, "5", false);
      await observer.publish(`${name}/refresh/set`, "PRESS", false);
      await observer.until(() => commands.length > 0, "the command came");
      expect(commands).toEqual([["refresh/set", { kind: "poll" }]]);
      expect(lines.filter((line) => line.startsWith("Refused and cleared refresh/set"))).toHaveLength(2);
      expect(lines.filter((line) => /^\S+\/set: /.test(line))).toEqual([
        "refresh/set: expected PRESS, got 'push'",
        "a/set: vigie has no such command",
      ]);
      await observer.until(
        ({ received }) => received.filter(({ topic }) => topic === `${name}/a`).length >= 2,
        "the state again",
      );
      await observer.disconnect();
    });

    test("takes commands of a rule with the id owner", async () => {
      const { publisher, base: name, commands } = own();
      publisher.setTopics(topics({ "rules/owner": '{"state":true}', "rules/owner/threshold": "50" }));
      await publisher.allAcknowledged();
      const observer = await observe(broker.url, `${name}/#`);
      await observer.publish(`${name}/rules/owner/threshold/set`, "60", false);
      await observer.publish(`${name}/refresh/set`, "PRESS", false);
      await observer.until(
        () => commands.some(([topic]) => topic === "refresh/set"),
        "the last command came",
      );
      expect(commands.map(([topic]) => topic)).toEqual(["rules/owner/threshold/set", "refresh/set"]);
      await observer.disconnect();
    });

    test("what-if: vigie is stopped or killed · ends with its will delayed by the grace, and a restart within the grace is not visible", async () => {
      const observer = await observe(broker.url, "calm/#");
      const first = own({ broker: { base_topic: "calm" } });
      first.publisher.setTopics(topics({ a: "1" }));
      await first.publisher.allAcknowledged();
      await first.publisher.stop();
      await observer.publish("calm/refresh/set", "PRESS", false);
      const second = own({ broker: { base_topic: "calm" } });
      second.publisher.setTopics(topics({ a: "1" }));
      await second.publisher.allAcknowledged();
      await observer.until(() => second.commands.length === 1, "the command of meanwhile");
      expect(observer.received.filter(({ payload }) => payload === "offline")).toEqual([]);
      await observer.disconnect();
    });

    test("says offline when the grace is over", async () => {
      const observer = await observe(broker.url, "brief/#");
      const { publisher } = own({ broker: { base_topic: "brief", grace: 1000 } });
      publisher.setTopics(topics({ a: "1" }));
      await publisher.allAcknowledged();
      await publisher.stop();
      await observer.until(({ retained }) => retained.get("brief/availability") === "offline", "offline");
      await observer.disconnect();
    });
  },
);
