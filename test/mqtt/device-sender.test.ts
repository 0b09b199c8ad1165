import { describe, expect, test } from "vitest";
import type { Output } from "../../src/core/outputs/output.ts";
import { readOutputsState } from "../../src/core/outputs/outputs-state.ts";
import { ConnectionLost, PublishRefused, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import type { BrokerLink } from "../../src/mqtt/connection-users.ts";
import { type OutputSender, startOutputSender } from "../../src/mqtt/device-sender.ts";
import type { Message } from "../../src/mqtt/publish-queue.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import {
  BOILER,
  outputsOf,
  type SavedState,
  savedState,
  stateAfter,
  verdictsOf,
} from "../support/outputs.ts";

/** A broker that takes messages when it is told to. */
function brokerAt(takes: "all" | "none" = "all") {
  const told: string[] = [];
  const subscribed: string[] = [];
  let close: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => {
    close = resolve;
  });
  const waiting: (() => void)[] = [];
  const way = { refuses: undefined as string | undefined, deaf: false };
  const publish = async ({ topic, payload }: Message) => {
    if (way.refuses === payload) throw new PublishRefused(`The broker refuses ${topic}: not authorized`);
    told.push(`${topic} ${payload}`);
    if (takes === "all") return;
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      void closed.then(() => reject(new ConnectionLost("gone")));
    });
  };
  const subscribe = async (topic: string) => {
    subscribed.push(topic);
    if (way.deaf) throw new SubscribeRefused(`The broker does not let vigie hear ${topic}`);
  };
  const link: BrokerLink = { version: 5, publish, subscribe, readRetained: async () => new Map(), closed };
  const acknowledge = () => waiting.splice(0).forEach((goOn) => void goOn());
  return { link, told, subscribed, way, acknowledge, close: () => close("cut") };
}

function start(list: Output[], saved: SavedState = savedState()) {
  const lines: string[] = [];
  const say = (sentence: string) => void lines.push(sentence);
  const log = { debug: say, info: say, warn: say, error: say };
  let states: Record<string, boolean | null> = { peak: false };
  let refreshes = 0;
  const refresh = () => {
    refreshes += 1;
    sender.update(verdictsOf(states));
  };
  const sender: OutputSender = startOutputSender({
    outputs: outputsOf(list),
    state: saved.get(),
    save: saved.save,
    clock: systemClock,
    log,
    problemLog: createProblemLog(log, systemClock),
    refresh,
  });
  const tell = (next: Record<string, boolean | null>) => {
    states = next;
    sender.update(verdictsOf(states));
  };
  /** Says it, and gives the sender time to act on it. */
  const settle = async (next: Record<string, boolean | null>) => {
    tell(next);
    await soon();
  };
  return { sender, say: tell, settle, lines, saved, refreshes: () => refreshes };
}

/** A sender that is connected. */
function connect(list: Output[], broker = brokerAt(), saved = savedState()) {
  const started = start(list, saved);
  started.sender.onConnection(broker.link);
  return { ...started, broker };
}

const lastSentOn = () => savedState(stateAfter({ "boiler/set": "on" }));
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));
async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; !holds(); round += 1) {
    if (round > 400) throw new Error("Waited in vain");
    await soon();
  }
}

describe("the sender of outputs", () => {
  test("sends what is in force once, and remembers it when the broker has it", async () => {
    const { settle, lines, saved, broker } = connect([BOILER], brokerAt("none"));
    await settle({ peak: true });
    await settle({ peak: true });
    expect(broker.told).toEqual(["boiler/set off"]);
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: false });
    broker.acknowledge();
    await soon();
    await settle({ peak: true });
    expect(broker.told).toEqual(["boiler/set off"]);
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "off", acknowledged: true });
    expect(lines).toEqual(['Sent "off" to boiler/set: peak is ON']);
    await settle({ peak: false });
    expect(broker.told.at(-1)).toBe("boiler/set on");
    expect(broker.told).toHaveLength(2);
  });

  test("sends what is in force when the broker is there again, and nothing of what was in between", async () => {
    const { sender, say, settle } = start([BOILER], lastSentOn());
    const first = brokerAt();
    say({ peak: true });
    say({ peak: false });
    sender.onConnection(first.link);
    await soon();
    expect(first.told).toEqual([]);
    first.close();
    await soon();
    say({ peak: true });
    say({ peak: null });
    await settle({ peak: true });
    const second = brokerAt();
    sender.onConnection(second.link);
    await soon();
    expect([first.told, second.told]).toEqual([[], ["boiler/set off"]]);
  });

  test("what changes while a message is on its way goes out after it", async () => {
    const { settle, saved, broker } = connect([BOILER], brokerAt("none"), lastSentOn());
    await settle({ peak: true });
    await settle({ peak: false });
    expect(broker.told).toEqual(["boiler/set off"]);
    broker.acknowledge();
    await soon();
    expect(broker.told).toEqual(["boiler/set off", "boiler/set on"]);
    broker.acknowledge();
    await soon();
    expect(saved.get()["boiler/set"]).toMatchObject({ payload: "on", acknowledged: true });
  });

  test("a message that was cut off goes out again on the next connection", async () => {
    const { sender, settle } = start([BOILER]);
    const [first, second] = [brokerAt("none"), brokerAt()];
    sender.onConnection(first.link);
    await settle({ peak: true });
    first.close();
    await soon();
    sender.onConnection(second.link);
    await soon();
    expect([first.told, second.told]).toEqual([["boiler/set off"], ["boiler/set off"]]);
  });

  test("a message that was cut off is taken back where something else is in force by then", async () => {
    const { sender, say, settle } = start([BOILER], lastSentOn());
    const [first, second] = [brokerAt("none"), brokerAt()];
    sender.onConnection(first.link);
    await settle({ peak: true });
    first.close();
    await soon();
    say({ peak: false });
    sender.onConnection(second.link);
    await soon();
    expect(second.told).toEqual(["boiler/set on"]);
  });

  test("says what the broker does not take, as a problem, until it takes it or it is not wanted", async () => {
    const broker = brokerAt();
    broker.way.refuses = "off";
    const { sender, settle, lines, refreshes } = connect([BOILER], broker, lastSentOn());
    await settle({ peak: true });
    await settle({ peak: true });
    expect(sender.hasProblem()).toBe(true);
    expect(refreshes()).toBe(2);
    expect(lines).toEqual(['The broker refuses boiler/set: not authorized; "off" was not sent']);
    // It may have gone out after all: nobody knows.
    await settle({ peak: false });
    expect(sender.hasProblem()).toBe(false);
    expect(broker.told).toEqual(["boiler/set on"]);
  });

  test("stops with what is on its way, and begins nothing new", async () => {
    const { sender, settle, broker } = connect([BOILER], brokerAt("none"));
    await settle({ peak: true });
    const stopping = sender.stop();
    broker.acknowledge();
    await stopping;
    await settle({ peak: false });
    expect(broker.told).toEqual(["boiler/set off"]);
  });
});

describe("a device that is asked", () => {
  const confirm = { topic: "boiler", every: 20, for: 150 };
  const ASKED = { ...BOILER, confirm };
  const word = (payload: string, retain = false) => ({ topic: "boiler", payload, retain });

  test("is told again until it answers", async () => {
    const { sender, say, saved, broker } = connect([ASKED]);
    expect(broker.subscribed).toEqual(["boiler"]);
    say({ peak: true });
    await until(() => broker.told.length >= 3);
    sender.onMessage(word("on"));
    sender.onMessage({ ...word("off"), topic: "another" });
    expect(saved.get()["boiler/set"]?.answer).toBe("awaited");
    sender.onMessage(word("off"));
    const times = broker.told.length;
    expect(saved.get()["boiler/set"]?.answer).toBe("heard");
    await new Promise((resolve) => setTimeout(resolve, 80));
    // What is heard once is settled: somebody's hand is not fought.
    sender.onMessage(word("on"));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(broker.told).toHaveLength(times);
    expect(new Set(broker.told)).toEqual(new Set(["boiler/set off"]));
    await sender.stop();
  });

  test("that the broker knows to have obeyed already is told once", async () => {
    const { sender, settle, saved } = connect([ASKED]);
    sender.onMessage(word("off", true));
    await settle({ peak: true });
    expect(saved.get()["boiler/set"]?.answer).toBe("heard");
    await sender.stop();
  });

  test("is not believed for what it said before it was told", async () => {
    const { sender, settle, saved } = connect([ASKED]);
    sender.onMessage(word("off", true));
    sender.onMessage(word("off"));
    await settle({ peak: true });
    expect(saved.get()["boiler/set"]?.answer).toBe("awaited");
    await sender.stop();
  });

  test("that never answers is a problem after a while, until it does or nothing is wanted of it", async () => {
    const { sender, say, lines, refreshes, broker } = connect([ASKED]);
    say({ peak: true });
    await until(() => sender.hasProblem());
    expect(lines.at(-1)).toMatch(
      /^Sent "off" to boiler\/set (once|\d+ times) in 0 s, but boiler never reported "off": check that the device/,
    );
    const times = broker.told.length;
    const looks = refreshes();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(broker.told).toHaveLength(times);
    sender.onMessage(word("off"));
    expect([sender.hasProblem(), refreshes()]).toEqual([false, looks + 1]);
    expect(lines.at(-1)).toMatch(/^boiler has reported "off", after/);
    await sender.stop();
  });

  test("is told again over the next connection, also by the next process; what nobody wants is not repeated", async () => {
    const { sender, say, saved } = start([ASKED]);
    const [first, second, third] = [brokerAt(), brokerAt(), brokerAt()];
    sender.onConnection(first.link);
    say({ peak: true });
    await until(() => sender.hasProblem());
    first.close();
    await soon();
    const kept = JSON.stringify(saved.get());
    const next = start([ASKED], savedState(readOutputsState(JSON.parse(kept))));
    expect(next.sender.hasProblem()).toBe(true);
    next.say({ peak: true });
    next.sender.onConnection(second.link);
    await until(() => second.told.length >= 2);
    await next.sender.stop();
    const { else: _, ...bare } = ASKED;
    const last = start([bare], savedState(readOutputsState(JSON.parse(kept))));
    last.say({ peak: false });
    last.sender.onConnection(third.link);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([third.told, last.sender.hasProblem()]).toEqual([[], false]);
    await Promise.all([last.sender.stop(), sender.stop()]);
  });

  test("that may not be heard is said", async () => {
    const broker = brokerAt();
    broker.way.deaf = true;
    const { sender, lines } = connect([ASKED], broker);
    await soon();
    expect(lines).toEqual(["The broker does not let vigie hear boiler"]);
    await sender.stop();
  });
});

describe("a sudden death", () => {
  /** Dies after so many things that last: writes to the disk and messages to the broker. */
  async function dieAfter(steps: number): Promise<string[]> {
    const told: string[] = [];
    let disk = "{}";
    let left = steps;
    const live = async (mortal: boolean) => {
      const spend = () => {
        if (mortal && left === 0) return false;
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
      const { sender, say, settle } = start([BOILER], saved);
      const publish = async ({ payload }: Message) => {
        if (!spend()) return never;
        told.push(payload);
      };
      say({ peak: true });
      const silent = async () => undefined;
      sender.onConnection({
        version: 5,
        publish,
        subscribe: silent,
        readRetained: async () => new Map(),
        closed: new Promise(() => undefined),
      });
      await soon();
      if (!mortal) await settle({ peak: false });
    };
    await live(true);
    await live(false);
    return told;
  }

  test.each([
    ["before anything was written", 0, ["off", "on"]],
    ["between the note and the message", 1, ["off", "on"]],
    ["between the message and the note that it has arrived", 2, ["off", "off", "on"]],
    ["after both notes", 3, ["off", "on"]],
  ])("%s", async (_title, steps, told) => {
    expect(await dieAfter(steps)).toEqual(told);
  });
});
