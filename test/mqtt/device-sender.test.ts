import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import type { DueSend } from "../../src/core/outputs/outputs-part.ts";
import {
  NOTHING_SENT,
  type OutputsState,
  readOutputsState,
  recordAcknowledgement,
  recordSending,
} from "../../src/core/outputs/outputs-state.ts";
import type { OutputsEvent } from "../../src/core/outputs/take-outputs.ts";
import type { BrokerLink } from "../../src/mqtt/base-connection.ts";
import { ConnectionLost, PublishRefused, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import type { ReceivedMessage } from "../../src/mqtt/connection.ts";
import { createDeviceSink } from "../../src/mqtt/device-sink.ts";
import type { Message } from "../../src/mqtt/publish-queue.ts";
import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import { driveOutputs, settled } from "../support/drive-outputs.ts";
import { logTo } from "../support/logs.ts";
import {
  BOILER,
  confirmBy,
  hasFailed,
  outputsOf,
  type SavedState,
  savedState,
  sendingOf,
  stateAfter,
  toTopic,
} from "../support/outputs.ts";

/** A broker that acknowledges all messages, or only when the test says so. */
function fakeBroker(acknowledges: "all" | "none" = "all") {
  const published: string[] = [];
  const messages: Message[] = [];
  const subscribed: string[] = [];
  let close: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => {
    close = resolve;
  });
  const waiting: (() => void)[] = [];
  const way = { refuses: undefined as string | undefined, refusesSubscriptions: false };
  const publish = async (message: Message) => {
    const { topic, payload } = message;
    if (way.refuses === payload) throw new PublishRefused(`The broker refuses ${topic}: not authorized`);
    published.push(`${topic} ${payload}`);
    messages.push(message);
    if (acknowledges === "all") return;
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      void closed.then(() => reject(new ConnectionLost("gone")));
    });
  };
  const subscribe = async (topic: string) => {
    subscribed.push(topic);
    if (way.refusesSubscriptions)
      throw new SubscribeRefused(`The broker does not let vigie subscribe to ${topic}`);
  };
  const link: BrokerLink = {
    version: 5,
    publish,
    subscribe,
    unsubscribe: async () => undefined,
    waitForRetained: async () => undefined,
    readRetained: async () => new Map(),
    closed,
  };
  const acknowledge = () => waiting.splice(0).forEach((goOn) => void goOn());
  return { link, published, messages, subscribed, way, acknowledge, close: () => close("cut") };
}

function start(list: Output[], saved: SavedState = savedState(), clock: ClockWithTimers = systemClock) {
  const lines: string[] = [];
  const outputs = driveOutputs(list, { saved, log: logTo(lines), clock, peak: false });
  onTestFinished(outputs.kill);
  /** A device publishes this. */
  const hear = (message: ReceivedMessage) => {
    outputs.take(message);
    return settled();
  };
  const open = (link: BrokerLink) => {
    outputs.connected(link);
    return settled();
  };
  return { outputs, turn: outputs.turn, open, hear, lines, saved };
}

/** Outputs with a connection. */
function connect(
  list: Output[],
  broker = fakeBroker(),
  saved = savedState(),
  clock: ClockWithTimers = systemClock,
) {
  const started = start(list, saved, clock);
  started.outputs.connected(broker.link);
  return { ...started, broker };
}

/** Saves that do not end until `answer`. */
function slowState(first?: OutputsState) {
  const saved = savedState(first);
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const save = async (state: OutputsState) => {
    await saved.save(state);
    await answered;
  };
  return { get: saved.get, save, answer };
}

const lastSentOn = () => savedState(stateAfter({ "boiler/set": "on" }));
/** Of the fake timers. What follows takes turns of the real event loop. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await settled();
}
async function passMinutes(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) await pass(60_000);
}
async function passUntil(holds: () => boolean): Promise<void> {
  for (let passed = 0; !holds(); passed += 500) {
    expect(passed, "milliseconds in vain").toBeLessThan(600_000);
    await pass(500);
  }
}
const until = (holds: () => boolean) => expect.poll(holds, { interval: 5 }).toBe(true);

describe("the device sink", () => {
  const dueOf = (number: number, payload: string): DueSend => ({
    number,
    output: `plug${number}`,
    payload,
    by: { kind: "mqtt", connection: 1, topic: `plug${number}/set`, qos: 1, retain: false },
  });

  test("publishes each payload that is due once, in the order of the view, whatever their numbers, as long as it stays due", async () => {
    const broker = fakeBroker("none");
    const posted: OutputsEvent[] = [];
    const sink = createDeviceSink({
      outputs: outputsOf([BOILER]),
      problemLog: createProblemLog(logTo([]), systemClock),
      post: (event) => posted.push(event),
    });
    sink.connected(broker.link);
    const [first, second, third] = [dueOf(1, "off"), dueOf(2, "on"), dueOf(3, "off")];
    sink.show([second, first]);
    sink.show([second, first]);
    sink.show([third, second, first]);
    sink.show([first]);
    expect(broker.published).toEqual(["plug2/set on", "plug1/set off", "plug3/set off"]);
    broker.acknowledge();
    await sink.allAnswered();
    const acknowledged = posted.filter(({ kind }) => kind === "acknowledged");
    expect(acknowledged).toEqual([2, 1, 3].map((number) => ({ kind: "acknowledged", number })));
  });
});

describe("the device sender", () => {
  test("sends the payload in force once, and saves that the broker has acknowledged it", async () => {
    const { turn, lines, saved, broker } = connect([BOILER], fakeBroker("none"));
    await turn({ peak: true });
    await turn({ peak: true });
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: false });
    broker.acknowledge();
    await settled();
    await turn({ peak: true });
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: true });
    expect(lines).toEqual(['Sent "off" to boiler/set: peak is ON']);
    await turn({ peak: false });
    expect(broker.published.at(-1)).toBe("boiler/set on");
    expect(broker.published).toHaveLength(2);
  });

  test("sends the payload in force when the broker is back, and none of those in between", async () => {
    const { turn, open } = start([BOILER], lastSentOn());
    const first = fakeBroker();
    await turn({ peak: true });
    await turn({ peak: false });
    await open(first.link);
    expect(first.published).toEqual([]);
    first.close();
    await settled();
    await turn({ peak: true });
    await turn({ peak: null });
    await turn({ peak: true });
    const second = fakeBroker();
    await open(second.link);
    expect([first.published, second.published]).toEqual([[], ["boiler/set off"]]);
  });

  test("has the rules evaluated on each connection, as the verdicts from before it may be old", async () => {
    const { outputs, open } = start([BOILER]);
    expect(outputs.evaluations()).toBe(1);
    for (const evaluations of [2, 3]) {
      await open(fakeBroker().link);
      expect(outputs.evaluations()).toBe(evaluations);
    }
  });

  test("sends a changed payload after the acknowledgement of the one before", async () => {
    const { turn, saved, broker } = connect([BOILER], fakeBroker("none"), lastSentOn());
    await turn({ peak: true });
    await turn({ peak: false });
    expect(broker.published).toEqual(["boiler/set off"]);
    broker.acknowledge();
    await settled();
    expect(broker.published).toEqual(["boiler/set off", "boiler/set on"]);
    broker.acknowledge();
    await settled();
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "on", acknowledged: true });
  });

  test("sends a payload without acknowledgement again on the next connection, after half a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { turn, open } = start([BOILER]);
    const [first, second] = [fakeBroker("none"), fakeBroker()];
    await open(first.link);
    await turn({ peak: true });
    first.close();
    await settled();
    await open(second.link);
    expect([first.published, second.published]).toEqual([["boiler/set off"], []]);
    await pass(30_000);
    expect([first.published, second.published]).toEqual([["boiler/set off"], ["boiler/set off"]]);
  });

  test("with qos 0 sends nothing again on the next connection, nor after a restart", async () => {
    const output = { ...BOILER, ...toTopic("boiler/set", { qos: 0 }) };
    const { turn, open, saved } = start([output]);
    const [first, second, third] = [fakeBroker("none"), fakeBroker("none"), fakeBroker("none")];
    await open(first.link);
    await turn({ peak: true });
    first.acknowledge();
    await settled();
    first.close();
    await settled();
    await open(second.link);
    await turn({ peak: true });
    const next = start([output], saved);
    await next.turn({ peak: true });
    await next.open(third.link);
    await settled();
    expect([first, second, third].map(({ published }) => published)).toEqual([["boiler/set off"], [], []]);
  });

  test("sends another payload instead where that is in force by then", async () => {
    const { turn, open } = start([BOILER], lastSentOn());
    const [first, second] = [fakeBroker("none"), fakeBroker()];
    await open(first.link);
    await turn({ peak: true });
    first.close();
    await settled();
    await turn({ peak: false });
    await open(second.link);
    expect(second.published).toEqual(["boiler/set on"]);
  });

  test("logs a refused payload as a problem, until it is accepted or not wanted any more", async () => {
    const broker = fakeBroker();
    broker.way.refuses = "off";
    const { outputs, turn, lines } = connect([BOILER], broker, lastSentOn());
    await turn({ peak: true });
    await turn({ peak: true });
    expect(hasFailed(outputs)).toBe(true);
    expect(lines).toEqual(['The broker refuses boiler/set: not authorized; "off" was not sent']);
    // It may have gone out after all: nobody knows.
    await turn({ peak: false });
    expect(hasFailed(outputs)).toBe(false);
    expect(broker.published).toEqual(["boiler/set on"]);
  });

  test("sends a refused payload again after ten minutes on the same connection: the broker's access list may be right by then", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const broker = fakeBroker();
    broker.way.refuses = "off";
    const { outputs, turn, lines } = connect([BOILER], broker, lastSentOn());
    await turn({ peak: true });
    await passMinutes(25);
    expect([broker.published, hasFailed(outputs)]).toEqual([[], true]);
    expect(outputs.statuses()[0]?.sent?.tries).toBe(3);
    broker.way.refuses = undefined;
    await passMinutes(5);
    expect([broker.published, hasFailed(outputs)]).toEqual([["boiler/set off"], false]);
    expect(lines.map((line) => line.replace(/, after .*/, ""))).toEqual([
      'The broker refuses boiler/set: not authorized; "off" was not sent',
      'Sent "off" to boiler/set: peak is ON',
      "The broker accepts messages to boiler/set again",
    ]);
    await outputs.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not send a refused payload again that is not in force any more", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const broker = fakeBroker();
    broker.way.refuses = "off";
    const { outputs, turn } = connect([BOILER], broker, lastSentOn());
    await turn({ peak: true });
    await passMinutes(1);
    await turn({ peak: false });
    await passMinutes(60);
    expect(broker.published).toEqual(["boiler/set on"]);
    await turn({ peak: true });
    await outputs.stop();
    await passMinutes(60);
    expect(broker.published).toEqual(["boiler/set on"]);
  });

  test("waits for acknowledgements when it stops, and sends nothing new", async () => {
    const { outputs, turn, broker } = connect([BOILER], fakeBroker("none"));
    await turn({ peak: true });
    const stopping = outputs.stop();
    broker.acknowledge();
    await stopping;
    await turn({ peak: false });
    expect(broker.published).toEqual(["boiler/set off"]);
  });
});

describe("a device that confirms", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());
  const confirm = confirmBy("boiler", { every: 20, for: 60_000 });
  const CONFIRMED = { ...BOILER, confirm };
  const SOON_MISSED = { ...BOILER, confirm: { ...confirm, for: 100 } };
  const report = (payload: string, retain = false) => ({ topic: "boiler", payload, retain });

  test("is sent the payload again until it confirms", async () => {
    const { outputs, turn, hear, saved, broker } = connect([CONFIRMED]);
    expect(broker.subscribed).toEqual(["boiler"]);
    await turn({ peak: true });
    await passUntil(() => broker.published.length >= 3);
    await hear(report("on"));
    await hear({ ...report("off"), topic: "another" });
    expect(saved.get()["boiler/set"]?.answer).toBe("awaited");
    await hear(report("off"));
    // Reports are judged once a second.
    await passUntil(() => saved.get()["boiler/set"]?.answer === "heard");
    const times = broker.published.length;
    await passMinutes(1);
    // After one confirmation nothing is repeated: somebody may have switched it by hand.
    await hear(report("on"));
    await passMinutes(1);
    expect(broker.published).toHaveLength(times);
    expect(new Set(broker.published)).toEqual(new Set(["boiler/set off"]));
    await outputs.stop();
  });

  test("is sent the payload again as it was sent first: with the qos and retain of the configuration", async () => {
    const { outputs, turn, broker } = connect([
      { ...CONFIRMED, ...toTopic("boiler/set", { qos: 2, retain: true }) },
    ]);
    await turn({ peak: true });
    await passUntil(() => broker.messages.length >= 2);
    const message = { topic: "boiler/set", payload: "off", qos: 2, retain: true };
    expect(broker.messages.slice(0, 2)).toEqual([message, message]);
    await outputs.stop();
  });

  test("is sent the payload once where the broker holds its report from before, and then counts as sent only", async () => {
    const { outputs, turn, hear, lines, saved, broker } = connect([CONFIRMED]);
    await hear(report("off", true));
    await turn({ peak: true });
    expect(saved.get()["boiler/set"]?.answer).toBe("retained");
    expect(outputs.statuses()[0]?.state).toBe("sent");
    expect(lines.at(-1)).toBe(
      'boiler/set is not sent "off" again: the broker holds the report "off" of boiler, which may be old',
    );
    await passMinutes(1);
    expect(broker.published).toEqual(["boiler/set off"]);
    await hear(report("off", true));
    await passUntil(() => outputs.statuses()[0]?.state === "confirmed");
    await outputs.stop();
  });

  test("is told to have a report from before only once the payload is sent, also if the report comes before the acknowledgement", async () => {
    const broker = fakeBroker("none");
    const link: BrokerLink = { ...broker.link, version: 4 };
    const { outputs, turn, hear, lines } = connect([CONFIRMED], { ...broker, link });
    await turn({ peak: true });
    await hear(report("off", true));
    expect(lines).toEqual([]);
    broker.acknowledge();
    await settled();
    expect(lines).toEqual([
      'Sent "off" to boiler/set: peak is ON',
      'boiler/set is not sent "off" again: the broker holds the report "off" of boiler, which may be old',
    ]);
    await outputs.stop();
  });

  test("has confirmed with a report that it publishes as retained, on MQTT 5", async () => {
    const { outputs, turn, hear } = connect([CONFIRMED]);
    await turn({ peak: true });
    await hear(report("on", true));
    expect(outputs.statuses()[0]?.state).toBe("waiting");
    await hear(report("off", true));
    await passUntil(() => outputs.statuses()[0]?.state === "confirmed");
    await outputs.stop();
  });

  test("has not confirmed with a report that is marked as retained on MQTT 3.1.1: it is from before", async () => {
    const broker = fakeBroker();
    const { outputs, turn, hear } = connect([CONFIRMED], {
      ...broker,
      link: { ...broker.link, version: 4 },
    });
    await turn({ peak: true });
    await hear(report("off", true));
    expect(outputs.statuses()[0]?.state).toBe("sent");
    await hear(report("off"));
    await passUntil(() => outputs.statuses()[0]?.state === "confirmed");
    await outputs.stop();
  });

  test("has not confirmed with a report that came before the payload was sent", async () => {
    const slow = slowState();
    const { outputs, turn, hear, broker } = connect([CONFIRMED], fakeBroker("none"), slow);
    await turn({ peak: true });
    await hear(report("off"));
    slow.answer();
    await settled();
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(outputs.statuses()[0]?.state).toBe("waiting");
    await hear(report("off"));
    expect(outputs.statuses()[0]?.state).toBe("confirmed");
    broker.acknowledge();
    await outputs.stop();
  });

  test("is sent the payload before again and again, when the next one was saved too late to be sent", async () => {
    const unconfirmed = recordSending(NOTHING_SENT, sendingOf("boiler/set", "on", "on"), 0);
    const slow = slowState(recordAcknowledgement(unconfirmed, "boiler/set", "on"));
    const { outputs, turn, hear, saved, broker } = connect([CONFIRMED], fakeBroker(), slow);
    await turn({ peak: true });
    await turn({ peak: false });
    slow.answer();
    await passUntil(() => broker.published.length >= 2);
    expect(new Set(broker.published)).toEqual(new Set(["boiler/set on"]));
    await hear(report("on"));
    expect(saved.get()["boiler/set"]?.answer).toBe("heard");
    await outputs.stop();
  });

  test("that goes on reporting the opposite is never taken for one that obeys, and its answer is told", async () => {
    const plug = {
      ...CONFIRMED,
      confirm: { ...confirm, every: 1_000, for: 120_000 },
      name: { fr: "Prise", en: "Plug" },
      choose: [{ when: "peak", payload: { state: "OFF" } }],
      else: { payload: { state: "ON" } },
    };
    let skipped = 0;
    const clock = {
      ...systemClock,
      now: () => systemClock.now() + skipped,
      steady: () => systemClock.steady() + skipped,
    };
    const { outputs, turn, hear, lines } = connect([plug], fakeBroker(), savedState(), clock);
    await turn({ peak: true });
    await hear(report('{"state":"ON","power":2000}'));
    expect(outputs.statuses()[0]).toMatchObject({
      state: "waiting",
      sent: { payload: '{"state":"OFF"}', last_answer: '{"state":"ON"}' },
    });
    // Another answer is told at most once a minute.
    skipped = 60_000;
    await hear(report('{"power":2001,"state":"BLINK"}'));
    expect(outputs.statuses()[0]?.sent?.last_answer).toContain("BLINK");
    await passUntil(() => (outputs.statuses()[0]?.sent?.tries ?? 0) > 1);
    skipped = plug.confirm.for;
    await passUntil(() => hasFailed(outputs));
    expect(lines.at(-1)).toMatch(
      /^Sent \{"state":"OFF"\} to Plug \(boiler\/set\) .* boiler never reported \{"state":"OFF"\}: it last reported \{"state":"BLINK"\}\. Check the device/,
    );
    await hear(report('{"state":"OFF","power":0}'));
    expect(outputs.statuses()[0]?.state).toBe("confirmed");
    await outputs.stop();
  });

  test("is sent its payload again by vigie's clock, however fast that runs", async () => {
    const hourly = { ...CONFIRMED, confirm: { ...confirm, every: 3_600_000, for: 1_000 * 3_600_000 } };
    const hourInMilliseconds = fastClock(0, 3_600_000 / 5, systemClock);
    const { outputs, turn, broker } = connect([hourly], fakeBroker(), savedState(), hourInMilliseconds);
    await turn({ peak: true });
    await passUntil(() => broker.published.length >= 3);
    expect(new Set(broker.published)).toEqual(new Set(["boiler/set off"]));
    await outputs.stop();
  });

  test("confirms with the value at its path", async () => {
    const shelly = {
      ...CONFIRMED,
      confirm: { ...confirm, path: "output" },
      choose: [
        {
          when: "peak",
          payload: { id: 1, src: "boiler_output", method: "Switch.Set", params: { id: 0, on: false } },
          expect: "false",
        },
      ],
    };
    const { outputs, turn, hear, lines } = connect([shelly]);
    await turn({ peak: true });
    expect(lines.at(-1)).toContain('"on":false}} to ');
    await hear(report('{"id":0,"output":true}'));
    expect(outputs.statuses()[0]).toMatchObject({ state: "waiting", sent: { last_answer: "true" } });
    await hear(report('{"id":0,"output":false}'));
    await passUntil(() => outputs.statuses()[0]?.state === "confirmed");
    expect(outputs.statuses()[0]).toMatchObject({ state: "confirmed", sent: { last_answer: "false" } });
    await outputs.stop();
  });

  test("is sent the payload again where an earlier report was not retained", async () => {
    const { outputs, turn, hear, saved } = connect([CONFIRMED]);
    await hear(report("off", true));
    await hear(report("off"));
    await turn({ peak: true });
    expect(saved.get()["boiler/set"]?.answer).toBe("awaited");
    await outputs.stop();
  });

  test("is a problem when it has not confirmed for too long, until it does", async () => {
    const { outputs, turn, hear, lines, broker } = connect([SOON_MISSED]);
    await turn({ peak: true });
    await passUntil(() => hasFailed(outputs));
    expect(lines.at(-1)).toMatch(
      /^Sent "off" to boiler\/set (once|\d+ times), but in 0\.1 s boiler never reported "off": check that the device/,
    );
    const times = broker.published.length;
    await passMinutes(1);
    expect(broker.published).toHaveLength(times);
    await hear(report("off"));
    expect(hasFailed(outputs)).toBe(false);
    expect(lines.at(-2)).toBe('boiler/set has confirmed "off": boiler reported "off"');
    expect(lines.at(-1)).toMatch(/^boiler\/set does what it was sent again, after/);
    await outputs.stop();
  });

  test("is no problem any more where the broker holds the report on the next connection, which is told once", async () => {
    const { outputs, turn, hear, lines, broker } = connect([SOON_MISSED]);
    await turn({ peak: true });
    await passUntil(() => hasFailed(outputs));
    broker.close();
    await settled();
    // The broker sends what it holds before it says that it has sent all.
    outputs.connected(fakeBroker().link);
    await hear(report("off", true));
    expect(hasFailed(outputs)).toBe(false);
    expect(lines.slice(-2)).toEqual([
      'boiler/set is not sent "off" again: the broker holds the report "off" of boiler, which may be old',
      expect.stringMatching(/^vigie waits for no report of boiler\/set any more, after /),
    ]);
    await outputs.stop();
  });

  test("is no problem any more after a restart with a corrected `expect` that the device reports", async () => {
    const { outputs, turn, saved } = connect([SOON_MISSED]);
    await turn({ peak: true });
    await passUntil(() => hasFailed(outputs));
    const corrected = { ...SOON_MISSED, choose: [{ when: "peak", payload: "off", expect: "OFF" }] };
    const next = start([corrected], saved);
    await next.turn({ peak: true });
    await next.open(fakeBroker().link);
    expect(hasFailed(next.outputs)).toBe(true);
    await next.hear(report("OFF", true));
    expect(hasFailed(next.outputs)).toBe(false);
    await Promise.all([next.outputs.stop(), outputs.stop()]);
  });

  test("is sent the payload again after a restart, if it is still wanted, and stays a problem until it confirms", async () => {
    const { outputs, turn, open, saved } = start([SOON_MISSED]);
    const [first, second, third] = [fakeBroker(), fakeBroker(), fakeBroker()];
    await open(first.link);
    await turn({ peak: true });
    await passUntil(() => hasFailed(outputs));
    first.close();
    await settled();
    const kept = JSON.stringify(saved.get());
    const next = start([CONFIRMED], savedState(readOutputsState(JSON.parse(kept))));
    expect(hasFailed(next.outputs)).toBe(true);
    await next.turn({ peak: true });
    await next.open(second.link);
    await passUntil(() => second.published.length > 0);
    expect([second.published, hasFailed(next.outputs)]).toEqual([["boiler/set off"], true]);
    await next.outputs.stop();
    const { else: _, ...bare } = CONFIRMED;
    const last = start([bare], savedState(readOutputsState(JSON.parse(kept))));
    await last.turn({ peak: false });
    await last.open(third.link);
    await passMinutes(1);
    expect([third.published, hasFailed(last.outputs)]).toEqual([[], false]);
    await Promise.all([last.outputs.stop(), outputs.stop()]);
  });

  test("is logged where the broker does not let vigie subscribe to its topic", async () => {
    const broker = fakeBroker();
    broker.way.refusesSubscriptions = true;
    const { outputs, lines } = connect([CONFIRMED], broker);
    await settled();
    expect(lines).toEqual(["The broker does not let vigie subscribe to boiler"]);
    await outputs.stop();
  });

  test("is read also where the broker does not let vigie subscribe to its own base topic", async () => {
    const broker = fakeBroker();
    const readRetained = async () => {
      throw new SubscribeRefused("The broker does not let vigie subscribe to vigie/#");
    };
    const link = { ...broker.link, readRetained };
    const { outputs, turn, hear } = connect([CONFIRMED], { ...broker, link });
    await turn({ peak: true });
    await hear(report("off"));
    expect(outputs.statuses()[0]?.state).toBe("confirmed");
    await outputs.stop();
  });
});

describe("a save that takes long", () => {
  test("holds a payload back, which is not sent when its choice has ended by then", async () => {
    const slow = slowState(stateAfter({ "boiler/set": "on" }));
    const { outputs, turn, lines, saved, broker } = connect([BOILER], fakeBroker(), slow);
    await turn({ peak: true });
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: false });
    await turn({ peak: false });
    slow.answer();
    await until(() => saved.get()["boiler/set"]?.payload === "on");
    expect(saved.get()).toEqual(stateAfter({ "boiler/set": "on" }));
    await turn({ peak: true });
    await until(() => broker.published.length > 0);
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(lines).toEqual(['Sent "off" to boiler/set: peak is ON']);
    await outputs.stop();
  });

  test("holds a first payload back: nothing was sent when its choice has ended by then, and no else follows", async () => {
    const slow = slowState();
    const { outputs, turn, saved, broker } = connect([BOILER], fakeBroker(), slow);
    await turn({ peak: true });
    await turn({ peak: false });
    slow.answer();
    await until(() => saved.get()["boiler/set"] === undefined);
    expect(outputs.statuses()[0]?.state).toBe("nothing");
    await outputs.stop();
    expect(broker.published).toEqual([]);
  });

  test("sends a payload without it after 5 s: a disk that hangs must not keep a device from hearing of rouge", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { outputs, turn, broker } = connect([BOILER], fakeBroker(), slowState());
    await turn({ peak: true });
    await pass(4_900);
    expect(broker.published).toEqual([]);
    await pass(200);
    expect(broker.published).toEqual(["boiler/set off"]);
    await turn({ peak: false });
    await pass(10_100);
    expect(broker.published).toEqual(["boiler/set off", "boiler/set on"]);
    const stopped = outputs.stop();
    await pass(4_000);
    await stopped;
  });
});

describe("a kill", () => {
  /** Is killed after so many steps: writes to the disk and messages to the broker. Then starts again. */
  async function killAfter(steps: number): Promise<string[]> {
    const published: string[] = [];
    let disk = "{}";
    let left = steps;
    const run = async (isKilled: boolean) => {
      const spend = () => {
        if (isKilled && left === 0) return false;
        left -= 1;
        return true;
      };
      const never = new Promise<void>(() => undefined);
      let state = readOutputsState(JSON.parse(disk));
      const saved: SavedState = {
        get: () => state,
        save: async (next) => {
          state = next;
          if (!spend()) return never;
          disk = JSON.stringify(next);
        },
      };
      const { outputs, turn } = start([BOILER], saved);
      const publish = async ({ payload }: Message) => {
        if (!spend()) return never;
        published.push(payload);
      };
      await turn({ peak: true });
      const silent = async () => undefined;
      outputs.connected({
        version: 5,
        publish,
        subscribe: silent,
        unsubscribe: silent,
        waitForRetained: silent,
        readRetained: async () => new Map(),
        closed: new Promise(() => undefined),
      });
      await settled();
      if (!isKilled) await turn({ peak: false });
    };
    await run(true);
    await run(false);
    return published;
  }

  test.each([
    ["before anything was written", 0, ["off", "on"]],
    ["between the first write and the message", 1, ["off", "on"]],
    ["between the message and the second write", 2, ["off", "off", "on"]],
    ["after both writes", 3, ["off", "on"]],
  ])("%s", async (_title, steps, published) => {
    expect(await killAfter(steps)).toEqual(published);
  });
});
