import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Output } from "../../src/core/outputs/output.ts";
import { readOutputsState } from "../../src/core/outputs/outputs-state.ts";
import type { BrokerLink } from "../../src/mqtt/base-connection.ts";
import { ConnectionLost, PublishRefused, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import { type DeviceSender, startDeviceSender } from "../../src/mqtt/device-sender.ts";
import type { Message } from "../../src/mqtt/publish-queue.ts";
import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { logTo } from "../support/logs.ts";
import {
  BOILER,
  hasFailed,
  outputsOf,
  type SavedState,
  savedState,
  stateAfter,
  verdictsOf,
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
  const log = logTo(lines);
  let states: Record<string, boolean | null> = { peak: false };
  let refreshes = 0;
  const refresh = () => {
    refreshes += 1;
    sender.update(verdictsOf(states));
  };
  const sender: DeviceSender = startDeviceSender({
    outputs: outputsOf(list),
    state: saved.get(),
    save: saved.save,
    clock,
    log,
    problemLog: createProblemLog(log, clock),
    refresh,
  });
  const update = (next: Record<string, boolean | null>) => {
    states = next;
    sender.update(verdictsOf(states));
  };
  /** Gives the sender the time to act on it. */
  const updateAndWait = async (next: Record<string, boolean | null>) => {
    update(next);
    await soon();
  };
  return { sender, update, updateAndWait, lines, saved, refreshes: () => refreshes };
}

/** A sender that is connected. */
function connect(
  list: Output[],
  broker = fakeBroker(),
  saved = savedState(),
  clock: ClockWithTimers = systemClock,
) {
  const started = start(list, saved, clock);
  started.sender.onConnection(broker.link);
  return { ...started, broker };
}

const lastSentOn = () => savedState(stateAfter({ "boiler/set": "on" }));
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));
const until = (holds: () => boolean) => expect.poll(holds, { interval: 5 }).toBe(true);

describe("the device sender", () => {
  test("sends the payload in force once, and saves that the broker has acknowledged it", async () => {
    const { updateAndWait, lines, saved, broker } = connect([BOILER], fakeBroker("none"));
    await updateAndWait({ peak: true });
    await updateAndWait({ peak: true });
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: false });
    broker.acknowledge();
    await soon();
    await updateAndWait({ peak: true });
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: true });
    expect(lines).toEqual(['Sent "off" to boiler/set: peak is ON']);
    await updateAndWait({ peak: false });
    expect(broker.published.at(-1)).toBe("boiler/set on");
    expect(broker.published).toHaveLength(2);
  });

  test("sends the payload in force when the broker is back, and none of those in between", async () => {
    const { sender, update, updateAndWait } = start([BOILER], lastSentOn());
    const first = fakeBroker();
    update({ peak: true });
    update({ peak: false });
    sender.onConnection(first.link);
    await soon();
    expect(first.published).toEqual([]);
    first.close();
    await soon();
    update({ peak: true });
    update({ peak: null });
    await updateAndWait({ peak: true });
    const second = fakeBroker();
    sender.onConnection(second.link);
    await soon();
    expect([first.published, second.published]).toEqual([[], ["boiler/set off"]]);
  });

  test("has the rules evaluated on each connection, as the verdicts from before it may be old; not without outputs", () => {
    const [some, none] = [connect([BOILER]), connect([])];
    expect([some.refreshes(), none.refreshes()]).toEqual([1, 0]);
    some.sender.onConnection(fakeBroker().link);
    none.sender.onConnection(fakeBroker().link);
    expect([some.refreshes(), none.refreshes()]).toEqual([2, 0]);
  });

  test("sends a changed payload after the acknowledgement of the one before", async () => {
    const { updateAndWait, saved, broker } = connect([BOILER], fakeBroker("none"), lastSentOn());
    await updateAndWait({ peak: true });
    await updateAndWait({ peak: false });
    expect(broker.published).toEqual(["boiler/set off"]);
    broker.acknowledge();
    await soon();
    expect(broker.published).toEqual(["boiler/set off", "boiler/set on"]);
    broker.acknowledge();
    await soon();
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "on", acknowledged: true });
  });

  test("sends a payload without acknowledgement again on the next connection", async () => {
    const { sender, updateAndWait } = start([BOILER]);
    const [first, second] = [fakeBroker("none"), fakeBroker()];
    sender.onConnection(first.link);
    await updateAndWait({ peak: true });
    first.close();
    await soon();
    sender.onConnection(second.link);
    await soon();
    expect([first.published, second.published]).toEqual([["boiler/set off"], ["boiler/set off"]]);
  });

  test("with qos 0 sends nothing again on the next connection, nor after a restart", async () => {
    const output = { ...BOILER, qos: 0 } as const;
    const { sender, updateAndWait, saved } = start([output]);
    const [first, second, third] = [fakeBroker("none"), fakeBroker("none"), fakeBroker("none")];
    sender.onConnection(first.link);
    await updateAndWait({ peak: true });
    first.acknowledge();
    await soon();
    first.close();
    await soon();
    sender.onConnection(second.link);
    await updateAndWait({ peak: true });
    const next = start([output], saved);
    next.update({ peak: true });
    next.sender.onConnection(third.link);
    await soon();
    expect([first, second, third].map(({ published }) => published)).toEqual([["boiler/set off"], [], []]);
  });

  test("sends another payload instead where that is in force by then", async () => {
    const { sender, update, updateAndWait } = start([BOILER], lastSentOn());
    const [first, second] = [fakeBroker("none"), fakeBroker()];
    sender.onConnection(first.link);
    await updateAndWait({ peak: true });
    first.close();
    await soon();
    update({ peak: false });
    sender.onConnection(second.link);
    await soon();
    expect(second.published).toEqual(["boiler/set on"]);
  });

  test("logs a refused payload as a problem, until it is accepted or not wanted any more", async () => {
    const broker = fakeBroker();
    broker.way.refuses = "off";
    const { sender, updateAndWait, lines, refreshes } = connect([BOILER], broker, lastSentOn());
    await updateAndWait({ peak: true });
    await updateAndWait({ peak: true });
    expect(hasFailed(sender)).toBe(true);
    // On the connection, when the payload is about to be sent, and when it is refused.
    expect(refreshes()).toBe(3);
    expect(lines).toEqual(['The broker refuses boiler/set: not authorized; "off" was not sent']);
    // It may have gone out after all: nobody knows.
    await updateAndWait({ peak: false });
    expect(hasFailed(sender)).toBe(false);
    expect(broker.published).toEqual(["boiler/set on"]);
  });

  test("sends a refused payload again after ten minutes on the same connection: the broker's access list may be right by then", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const broker = fakeBroker();
    broker.way.refuses = "off";
    const { sender, update, lines } = connect([BOILER], broker, lastSentOn());
    update({ peak: true });
    await vi.advanceTimersByTimeAsync(25 * 60_000);
    expect([broker.published, hasFailed(sender)]).toEqual([[], true]);
    expect(sender.statuses()[0]?.sent?.tries).toBe(3);
    broker.way.refuses = undefined;
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect([broker.published, hasFailed(sender)]).toEqual([["boiler/set off"], false]);
    expect(lines.map((line) => line.replace(/, after .*/, ""))).toEqual([
      'The broker refuses boiler/set: not authorized; "off" was not sent',
      'Sent "off" to boiler/set: peak is ON',
      "The broker accepts messages to boiler/set again",
    ]);
    await sender.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not send a refused payload again that is not in force any more", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const broker = fakeBroker();
    broker.way.refuses = "off";
    const { sender, update } = connect([BOILER], broker, lastSentOn());
    update({ peak: true });
    await vi.advanceTimersByTimeAsync(60_000);
    update({ peak: false });
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(broker.published).toEqual(["boiler/set on"]);
    update({ peak: true });
    await sender.stop();
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(broker.published).toEqual(["boiler/set on"]);
  });

  test("waits for acknowledgements when it stops, and sends nothing new", async () => {
    const { sender, updateAndWait, broker } = connect([BOILER], fakeBroker("none"));
    await updateAndWait({ peak: true });
    const stopping = sender.stop();
    broker.acknowledge();
    await stopping;
    await updateAndWait({ peak: false });
    expect(broker.published).toEqual(["boiler/set off"]);
  });
});

describe("a device that confirms", () => {
  const confirm = { topic: "boiler", every: 20, for: 60_000 };
  const CONFIRMED = { ...BOILER, confirm };
  const SOON_MISSED = { ...BOILER, confirm: { ...confirm, for: 100 } };
  const report = (payload: string, retain = false) => ({ topic: "boiler", payload, retain });

  test("is sent the payload again until it confirms", async () => {
    const { sender, update, saved, broker } = connect([CONFIRMED]);
    expect(broker.subscribed).toEqual(["boiler"]);
    update({ peak: true });
    await until(() => broker.published.length >= 3);
    sender.onMessage(report("on"));
    sender.onMessage({ ...report("off"), topic: "another" });
    expect(saved.get()["boiler/set"]?.answer).toBe("awaited");
    sender.onMessage(report("off"));
    const times = broker.published.length;
    expect(saved.get()["boiler/set"]?.answer).toBe("heard");
    await new Promise((resolve) => setTimeout(resolve, 80));
    // After one confirmation nothing is repeated: somebody may have switched it by hand.
    sender.onMessage(report("on"));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(broker.published).toHaveLength(times);
    expect(new Set(broker.published)).toEqual(new Set(["boiler/set off"]));
    await sender.stop();
  });

  test("is sent the payload again as it was sent first: with the qos and retain of the configuration", async () => {
    const { sender, update, broker } = connect([{ ...CONFIRMED, qos: 2, retain: true }]);
    update({ peak: true });
    await until(() => broker.messages.length >= 2);
    const message = { topic: "boiler/set", payload: "off", qos: 2, retain: true };
    expect(broker.messages.slice(0, 2)).toEqual([message, message]);
    await sender.stop();
  });

  test("is sent the payload once where the broker holds its report from before, and then counts as sent only", async () => {
    const { sender, updateAndWait, saved, lines, broker } = connect([CONFIRMED]);
    sender.onMessage(report("off", true));
    await updateAndWait({ peak: true });
    expect(saved.get()["boiler/set"]?.answer).toBe("retained");
    expect(sender.statuses()[0]?.state).toBe("sent");
    expect(lines.at(-1)).toBe(
      'boiler/set is not sent "off" again: the broker holds the report "off" of boiler, which may be old',
    );
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(broker.published).toEqual(["boiler/set off"]);
    sender.onMessage(report("off", true));
    expect(sender.statuses()[0]?.state).toBe("confirmed");
    await sender.stop();
  });

  test("has confirmed with a report that it publishes as retained, on MQTT 5", async () => {
    const { sender, updateAndWait } = connect([CONFIRMED]);
    await updateAndWait({ peak: true });
    sender.onMessage(report("on", true));
    expect(sender.statuses()[0]?.state).toBe("waiting");
    sender.onMessage(report("off", true));
    expect(sender.statuses()[0]?.state).toBe("confirmed");
    await sender.stop();
  });

  test("has not confirmed with a report that is marked as retained on MQTT 3.1.1: it is from before", async () => {
    const broker = fakeBroker();
    const { sender, updateAndWait } = connect([CONFIRMED], {
      ...broker,
      link: { ...broker.link, version: 4 },
    });
    await updateAndWait({ peak: true });
    sender.onMessage(report("off", true));
    expect(sender.statuses()[0]?.state).toBe("sent");
    sender.onMessage(report("off"));
    expect(sender.statuses()[0]?.state).toBe("confirmed");
    await sender.stop();
  });

  test("has not confirmed with a report that came before the payload was sent", async () => {
    const saved = savedState();
    let written: () => void = () => undefined;
    const slow: SavedState = {
      get: saved.get,
      save: async (state) => {
        await saved.save(state);
        await new Promise<void>((resolve) => {
          written = resolve;
        });
      },
    };
    const { sender, updateAndWait, broker } = connect([CONFIRMED], fakeBroker("none"), slow);
    await updateAndWait({ peak: true });
    sender.onMessage(report("off"));
    written();
    await soon();
    expect(broker.published).toEqual(["boiler/set off"]);
    expect(sender.statuses()[0]?.state).toBe("waiting");
    sender.onMessage(report("off"));
    expect(sender.statuses()[0]?.state).toBe("confirmed");
    await sender.stop();
  });

  test("that goes on reporting the opposite is never taken for one that obeys, and its answer is told", async () => {
    const plug = {
      ...CONFIRMED,
      name: { fr: "Prise", en: "Plug" },
      choose: [{ when: "peak", payload: { state: "OFF" } }],
      else: { payload: { state: "ON" } },
    };
    let steady = 0;
    const clock = { ...systemClock, steady: () => steady };
    const { sender, updateAndWait, lines } = connect([plug], fakeBroker(), savedState(), clock);
    await updateAndWait({ peak: true });
    sender.onMessage(report('{"state":"ON","power":2000}'));
    expect(sender.statuses()[0]).toMatchObject({
      state: "waiting",
      sent: { payload: '{"state":"OFF"}', last_answer: '{"state":"ON"}' },
    });
    sender.onMessage(report('{"power":2001,"state":"BLINK"}'));
    expect(sender.statuses()[0]?.sent?.last_answer).toContain("ON");
    await until(() => (sender.statuses()[0]?.sent?.tries ?? 0) > 1);
    expect(sender.statuses()[0]?.sent?.last_answer).toContain("BLINK");
    steady = confirm.for;
    await until(() => hasFailed(sender));
    expect(lines.at(-1)).toMatch(
      /^Sent "{.*OFF.*}" to Plug \(boiler\/set\) .* but boiler never reported .*: it last reported "{.*state.*BLINK.*}"\. Check the device/,
    );
    sender.onMessage(report('{"state":"OFF","power":0}'));
    expect(sender.statuses()[0]?.state).toBe("confirmed");
    await sender.stop();
  });

  test("is sent its payload again by vigie's clock, however fast that runs", async () => {
    const waits: number[] = [];
    const clock: ClockWithTimers = {
      ...systemClock,
      after: (milliseconds, run) => {
        waits.push(milliseconds);
        return systemClock.after(waits.length > 2 ? 3_600_000 : 0, run);
      },
    };
    const hourly = { ...CONFIRMED, confirm: { ...confirm, every: 3_600_000 } };
    const { sender, updateAndWait, broker } = connect([hourly], fakeBroker(), savedState(), clock);
    await updateAndWait({ peak: true });
    await until(() => waits.length === 3);
    expect(waits).toEqual([3_600_000, 3_600_000, 3_600_000]);
    expect(broker.published).toEqual(["boiler/set off", "boiler/set off", "boiler/set off"]);
    await sender.stop();
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
    const { sender, updateAndWait, lines } = connect([shelly]);
    await updateAndWait({ peak: true });
    expect(lines.at(-1)).toContain('\\"on\\":false}}"');
    sender.onMessage(report('{"id":0,"output":true}'));
    expect(sender.statuses()[0]).toMatchObject({ state: "waiting", sent: { last_answer: "true" } });
    sender.onMessage(report('{"id":0,"output":false}'));
    expect(sender.statuses()[0]).toMatchObject({ state: "confirmed", sent: { last_answer: "false" } });
    await sender.stop();
  });

  test("is sent the payload again where an earlier report was not retained", async () => {
    const { sender, updateAndWait, saved } = connect([CONFIRMED]);
    sender.onMessage(report("off", true));
    sender.onMessage(report("off"));
    await updateAndWait({ peak: true });
    expect(saved.get()["boiler/set"]?.answer).toBe("awaited");
    await sender.stop();
  });

  test("is a problem when it has not confirmed for too long, until it does", async () => {
    const { sender, update, lines, refreshes, broker } = connect([SOON_MISSED]);
    update({ peak: true });
    await until(() => hasFailed(sender));
    expect(lines.at(-1)).toMatch(
      /^Sent "off" to boiler\/set (once|\d+ times) in 0 s, but boiler never reported "off": check that the device/,
    );
    const times = broker.published.length;
    const looks = refreshes();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(broker.published).toHaveLength(times);
    sender.onMessage(report("off"));
    expect([hasFailed(sender), refreshes()]).toEqual([false, looks + 1]);
    expect(lines.at(-2)).toBe('boiler/set has confirmed "off": boiler reported "off"');
    expect(lines.at(-1)).toMatch(/^boiler\/set does what it was sent again, after/);
    await sender.stop();
  });

  test("is no problem any more where the broker holds the report on the next connection, which is told once", async () => {
    const { sender, update, lines, broker } = connect([SOON_MISSED]);
    update({ peak: true });
    await until(() => hasFailed(sender));
    broker.close();
    await soon();
    sender.onConnection(fakeBroker().link);
    sender.onMessage(report("off", true));
    expect(hasFailed(sender)).toBe(false);
    expect(lines.slice(-2)).toEqual([
      'boiler/set is not sent "off" again: the broker holds the report "off" of boiler, which may be old',
      expect.stringMatching(/^vigie waits for no report of boiler\/set any more, after /),
    ]);
    await sender.stop();
  });

  test("is no problem any more after a restart with a corrected `expect` that the device reports", async () => {
    const { sender, update, saved } = connect([SOON_MISSED]);
    update({ peak: true });
    await until(() => hasFailed(sender));
    const corrected = { ...SOON_MISSED, choose: [{ when: "peak", payload: "off", expect: "OFF" }] };
    const next = start([corrected], saved);
    next.update({ peak: true });
    next.sender.onConnection(fakeBroker().link);
    expect(hasFailed(next.sender)).toBe(true);
    next.sender.onMessage(report("OFF", true));
    expect(hasFailed(next.sender)).toBe(false);
    await Promise.all([next.sender.stop(), sender.stop()]);
  });

  test("is sent the payload again on the next connection and after a restart, if it is still wanted", async () => {
    const { sender, update, saved } = start([SOON_MISSED]);
    const [first, second, third] = [fakeBroker(), fakeBroker(), fakeBroker()];
    sender.onConnection(first.link);
    update({ peak: true });
    await until(() => hasFailed(sender));
    first.close();
    await soon();
    const kept = JSON.stringify(saved.get());
    const next = start([CONFIRMED], savedState(readOutputsState(JSON.parse(kept))));
    expect(hasFailed(next.sender)).toBe(true);
    next.update({ peak: true });
    next.sender.onConnection(second.link);
    await until(() => second.published.length >= 2);
    await next.sender.stop();
    const { else: _, ...bare } = CONFIRMED;
    const last = start([bare], savedState(readOutputsState(JSON.parse(kept))));
    last.update({ peak: false });
    last.sender.onConnection(third.link);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([third.published, hasFailed(last.sender)]).toEqual([[], false]);
    await Promise.all([last.sender.stop(), sender.stop()]);
  });

  test("is logged where the broker does not let vigie subscribe to its topic", async () => {
    const broker = fakeBroker();
    broker.way.refusesSubscriptions = true;
    const { sender, lines } = connect([CONFIRMED], broker);
    await soon();
    expect(lines).toEqual(["The broker does not let vigie subscribe to boiler"]);
    await sender.stop();
  });

  test("is read also where the broker does not let vigie subscribe to its own base topic", async () => {
    const broker = fakeBroker();
    const readRetained = async () => {
      throw new SubscribeRefused("The broker does not let vigie subscribe to vigie/#");
    };
    const link = { ...broker.link, readRetained };
    const { sender, updateAndWait } = connect([CONFIRMED], { ...broker, link });
    await updateAndWait({ peak: true });
    sender.onMessage(report("off"));
    expect(sender.statuses()[0]?.state).toBe("confirmed");
    await sender.stop();
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
      const { sender, update, updateAndWait } = start([BOILER], saved);
      const publish = async ({ payload }: Message) => {
        if (!spend()) return never;
        published.push(payload);
      };
      update({ peak: true });
      const silent = async () => undefined;
      sender.onConnection({
        version: 5,
        publish,
        subscribe: silent,
        unsubscribe: silent,
        waitForRetained: silent,
        readRetained: async () => new Map(),
        closed: new Promise(() => undefined),
      });
      await soon();
      if (!isKilled) await updateAndWait({ peak: false });
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
