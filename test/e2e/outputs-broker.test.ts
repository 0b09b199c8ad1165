import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Output } from "../../src/core/outputs/output.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import { driveOutputs } from "../support/drive-outputs.ts";
import { logTo } from "../support/logs.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { BOILER, confirmBy, hasFailed, type SavedState, savedState, toTopic } from "../support/outputs.ts";
import { startProxy } from "../support/proxy.ts";
import { keepPublishing, topics } from "../support/publisher.ts";

const A_DAY = 86_400_000;
const ACL = "topic readwrite v1/#\ntopic readwrite v2/#\ntopic readwrite v3/#\ntopic readwrite boiler/#\n";

interface RunningVigie {
  /** The rule is so from now on. */
  say: ReturnType<typeof driveOutputs>["turn"];
  outputs: ReturnType<typeof driveOutputs>;
  lines: string[];
  settled: () => Promise<void>;
  /** All that it has sent so far has arrived at the observer. */
  allArrived: () => Promise<void>;
  stop: () => Promise<void>;
}

describe.skipIf(withoutMosquitto)(
  `outputs on a real broker ${withoutMosquitto}`,
  { concurrent: true },
  () => {
    let broker: Mosquitto;
    let observer: Observer;
    let count = 0;
    /** By which outputs wait; the broker answers in real time. */
    const clock = fastClock(systemClock.now(), 60, systemClock);
    /** By this clock: longer than vigie waits before it tells a device again. */
    const aWhile = () => new Promise<void>((resolve) => clock.after(30_000, resolve));
    const ends: (() => Promise<unknown>)[] = [];

    /** A publisher with outputs on board. */
    function connectVigie(
      list: Output[],
      saved: SavedState = savedState(),
      url = broker.url,
      base?: string,
    ): RunningVigie {
      count += 1;
      const base_topic = base ?? `running${count}`;
      // A client id of its own: these tests share a broker.
      const kept = keepPublishing(url, { instance: base_topic, broker: { base_topic }, connected: false });
      const { publisher, lines } = kept;
      const outputs = driveOutputs(list, { saved, log: logTo(lines), clock });
      publisher.setTopics(topics({ a: "1" }));
      publisher.connect([outputs]);
      const stop = async () => {
        await outputs.stop();
        await publisher.stop();
      };
      ends.push(stop);
      return {
        outputs,
        lines,
        settled: publisher.allAcknowledged,
        allArrived: async () => {
          publisher.setTopics(topics({ a: "2" }));
          await observer.until(
            ({ retained }) => retained.get(`${base_topic}/a`) === "2",
            "the topic arrived",
          );
        },
        stop,
        say: outputs.turn,
      };
    }
    const toldTo = (topic: string) =>
      observer.received.filter((one) => one.topic === topic).map(({ payload }) => payload);

    beforeAll(async () => {
      broker = await startMosquitto();
      observer = await observe(broker.url);
    });
    afterAll(async () => {
      await Promise.all(ends.map((end) => end()));
      await observer.disconnect();
      await broker.remove();
    });

    test("a peak is one off and one on, not retained, over restarts in between", async () => {
      const topic = "one/boiler/set";
      const output = { ...BOILER, ...toTopic(topic) };
      const saved = savedState();
      const live = async (peak: boolean) => {
        const running = connectVigie([output], saved, broker.url, "one");
        await running.say({ peak });
        await running.settled();
        await observer.until(
          () => saved.get().devices[topic]?.acknowledged !== false,
          "the word has arrived",
        );
        await running.stop();
      };
      for (const peak of [false, false, true, true, true, false, false]) await live(peak);
      expect(toldTo(topic)).toEqual(["off", "on"]);
      expect(observer.received.filter((one) => one.topic === topic).map(({ retain }) => retain)).toEqual([
        false,
        false,
      ]);
    });

    test.each([0, 1, 2] as const)(
      "goes out with QoS %i, and is retained only if that is configured",
      async (qos) => {
        const kept = `kept/${qos}`;
        const passing = `passing/${qos}`;
        // The broker passes a message on with the QoS of the publisher or of the subscription, whichever is less.
        const subscriber = await observe(broker.url, [kept, passing], 5, { qos: 2 });
        const { say } = connectVigie([
          { ...BOILER, ...toTopic(kept, { qos, retain: true }) },
          { ...BOILER, ...toTopic(passing, { qos, retain: false }) },
        ]);
        await say({ peak: true });
        await subscriber.until(({ received }) => received.length >= 2, "both came");
        const received = subscriber.received.map(({ at: _at, ...message }) => message);
        expect(received.sort((one, other) => one.topic.localeCompare(other.topic))).toEqual([
          { topic: kept, payload: "off", qos, retain: true },
          { topic: passing, payload: "off", qos, retain: false },
        ]);
        await subscriber.disconnect();
      },
    );

    test("what-if: The broker is down · of the changes while the broker is down, only the last payload is sent when it is back", async () => {
      const away = await startMosquitto();
      // The way is open again only when somebody listens: what is sent is not retained.
      const proxy = await startProxy(away.port);
      const saved = savedState();
      const running = connectVigie([BOILER], saved, proxy.url, "away");
      await running.say({ peak: true });
      await running.settled();
      await observer.until(() => saved.get().devices["boiler/set"]?.acknowledged === true, "the first word");
      proxy.cut();
      await away.end("SIGKILL");
      await running.say({ peak: false });
      await running.say({ peak: true });
      await running.say({ peak: false });
      await away.start();
      const there = await observe(away.url, "boiler/set");
      await proxy.mend();
      await there.until(({ received }) => received.length > 0, "the word came");
      await observer.until(() => saved.get().devices["boiler/set"]?.acknowledged === true, "it has arrived");
      expect(there.received.map(({ payload }) => payload)).toEqual(["on"]);
      await there.disconnect();
      await running.stop();
      await proxy.stop();
      await away.remove();
    });

    test("is told again until the relay says the same", async () => {
      const confirm = confirmBy("deaf/relay", { every: 1_000, for: A_DAY });
      const saved = savedState();
      const running = connectVigie([{ ...BOILER, ...toTopic("deaf/set"), confirm }], saved);
      await running.say({ peak: true });
      await observer.until(() => toldTo("deaf/set").length >= 3, "it was told three times");
      await observer.publish("deaf/relay", "on", false);
      await observer.until(() => toldTo("deaf/set").length >= 5, "it was told again");
      await observer.publish("deaf/relay", "off", false);
      await observer.until(() => saved.get().devices["deaf/set"]?.answer === "heard", "it was heard");
      await running.allArrived();
      const times = toldTo("deaf/set").length;
      await aWhile();
      expect(toldTo("deaf/set")).toHaveLength(times);
      expect(hasFailed(running.outputs)).toBe(false);
    });

    test("hears a state that the broker kept, and tells an obedient relay once", async () => {
      await observer.publish("kept/relay", "off", true);
      const confirm = confirmBy("kept/relay", { every: 1_000, for: A_DAY });
      const saved = savedState();
      const running = connectVigie([{ ...BOILER, ...toTopic("kept/set"), confirm }], saved);
      // The broker has handed out what it kept before anything is sent: else a slow one lets the relay be told twice.
      await running.settled();
      await running.say({ peak: true });
      await observer.until(
        () => saved.get().devices["kept/set"]?.answer === "retained",
        "the state was heard",
      );
      await aWhile();
      await running.allArrived();
      expect(toldTo("kept/set")).toEqual(["off"]);
    });

    test("what-if: A device does not answer · a relay that never answers is a problem, logged once", async () => {
      const confirm = confirmBy("dead/relay", { every: 1_000, for: 60_000 });
      const running = connectVigie([{ ...BOILER, ...toTopic("dead/set"), confirm }]);
      await running.say({ peak: true });
      await observer.until(() => hasFailed(running.outputs), "it is a problem");
      expect(
        running.lines.filter((line) => line.includes("check that the device is connected")),
      ).toHaveLength(1);
      await observer.publish("dead/relay", "off", false);
      await observer.until(() => !hasFailed(running.outputs), "it is none any more");
    });

    test("a topic that the broker refuses is a problem, and the others go on", async () => {
      const strict = await startMosquitto({
        lines: ["allow_anonymous true", "acl_file FOLDER/acl"],
        files: { acl: ACL },
      });
      const saved = savedState();
      const running = connectVigie(
        [BOILER, { ...BOILER, ...toTopic("secret/set") }],
        saved,
        strict.url,
        "v1",
      );
      await running.say({ peak: true });
      await observer.until(() => hasFailed(running.outputs), "it is a problem");
      await observer.until(
        () => saved.get().devices["boiler/set"]?.acknowledged === true,
        "the boiler knows",
      );
      expect(running.lines).toContain('The broker refuses secret/set: not authorized; "off" was not sent');
      await running.stop();
      await strict.remove();
    });
  },
);

describe.skipIf(withoutMosquitto)(`commands on a real broker ${withoutMosquitto}`, () => {
  test("are handed on as read; junk and rules that are not there are said, and the state is told again", async () => {
    const broker = await startMosquitto();
    const { publisher, commands, lines } = keepPublishing(broker.url);
    publisher.setTopics(
      topics({
        "rules/peak/enabled": "ON",
        "simulation/color": "auto",
        simulation: "{}",
      }),
    );
    await publisher.allAcknowledged();
    const observer = await observe(broker.url, "vigie/#");
    await observer.until(({ retained }) => retained.has("vigie/simulation"), "the state");
    const send = (topic: string, payload: string) => observer.publish(`vigie/${topic}/set`, payload, false);
    await send("rules/peak/enabled", "OFF");
    await send("rules/peak/enabled", '{"enabled":false,"for":"12h"}');
    await send("rules/peak/threshold", "50");
    await send("rules/other/enabled", "OFF");
    await send("rules/peak/enabled", "maybe");
    await send("simulation", "red");
    await send("simulation", '{"color":"rouge","from":"next"}');
    await send("refresh", "PRESS");
    await observer.until(() => commands.length >= 4, "the commands came");
    expect(commands).toEqual([
      ["rules/peak/enabled/set", { kind: "enabled", rule: "peak", enabled: false }],
      ["rules/peak/enabled/set", { kind: "enabled", rule: "peak", enabled: false, for: 12 * 3_600_000 }],
      ["simulation/set", { kind: "simulation", request: { color: "rouge", from: "next", for: 3_600_000 } }],
      ["refresh/set", { kind: "poll" }],
    ]);
    const again = (topic: string) => observer.received.filter((one) => one.topic === `vigie/${topic}`).length;
    await observer.until(
      () => again("rules/peak/enabled") === 2 && again("simulation/color") === 2,
      "told again",
    );
    expect(lines.filter((line) => line.includes("/set: "))).toEqual([
      "rules/peak/threshold/set: the rule peak has no threshold",
      "rules/other/enabled/set: there is no rule other",
      `rules/peak/enabled/set: expected ON, OFF, or JSON such as {"enabled":false,"for":"12h"}, got 'maybe'`,
      expect.stringMatching(
        /^simulation\/set: expected auto, bleu, blanc, rouge, a colour with :next such as rouge:next, or JSON such as .*, got 'red'$/,
      ),
    ]);
    await observer.disconnect();
    await publisher.stop();
    await broker.remove();
  });
});
