import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionLost } from "../../src/mqtt/broker-errors.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import type { MessageSource } from "../../src/mqtt/publish-queue.ts";
import { createTopicSender } from "../../src/mqtt/topic-sender.ts";
import { type BaseWatch, watchBase } from "../../src/mqtt/watch-base.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { limitLines } from "../../src/runtime/limit-lines.ts";
import { logTo } from "../support/logs.ts";
import { identity, topics } from "../support/publisher.ts";

async function watchSlowBroker(echo: () => Promise<void>, version: 4 | 5 = 4, steady = () => 0) {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const heard: string[] = [];
  const lines: string[] = [];
  const closing = new AbortController();
  const arrive = async (): Promise<void> => undefined;
  const slow = { retainedArrive: arrive, ownArrive: arrive, subscribed: 0, reads: [] as string[] };
  let newest = "";
  const connection = {
    version,
    publish: async (source: MessageSource) => {
      if (typeof source === "object") sent.push(`${source.topic} ${source.payload}`);
    },
    subscribe: async (filter: string) => {
      newest = filter;
      if (filter === "#") slow.subscribed += 1;
      else if (!filter.includes("+")) slow.reads.push(filter);
    },
    unsubscribe: async () => undefined,
    waitForEcho: echo,
    // All that is below the base topic is read by `#`, vigie's own topics by their names.
    waitForRetained: () => (newest === "#" ? slow.retainedArrive() : slow.ownArrive()),
    closed: new Promise<string>((resolve) => closing.signal.addEventListener("abort", () => resolve("cut"))),
  };
  const sender = createTopicSender({
    owner: "{}",
    clock: { now: () => 0 },
    problemLog: { starts: String, isOver: String },
    post: () => undefined,
  });
  sender.setTopics(topics({ color: "rouge" }));
  sender.start({
    publish: async (source) => {
      const message = typeof source === "function" ? source() : source;
      if (message) sent.push(`${message.topic} ${message.payload}`);
    },
    subscribeToCommands: async () => undefined,
    // It stays open, as the next connection does when the watched one has ended.
    closed: new Promise(() => undefined),
  });
  await sender.allAcknowledged();
  sent.length = 0;
  const watch = watchBase({
    connection,
    sender,
    me: ownerOf(identity("a"), "vigie"),
    clock: { ...systemClock, steady },
    log: limitLines(logTo(lines), systemClock),
    problemLog: { starts: String, isOver: String },
    signal: new AbortController().signal,
    post: (event) => {
      if (event.kind === "unchecked") heard.push((event.error as Error).message);
      if (event.kind === "checked") heard.push("checked");
    },
  });
  return Object.assign(slow, { watch, sender, sent, heard, lines, close: () => closing.abort() });
}

test("a value that another program wrote is corrected, though the first echoes do not come back", async () => {
  let echoes = 0;
  const { watch, sent, heard } = await watchSlowBroker(async () => {
    echoes += 1;
    if (echoes <= 2) throw new ConnectionLost("no echo");
  });
  watch.take({ topic: "color", payload: "bleu", retain: true, isOutside: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(["no echo", "no echo", "checked"]);
  expect(sent).toEqual(["color rouge"]);
});

test("a value of vigie's own that arrives late, when it publishes the next one already, is not taken for another program's", async () => {
  const slow = await watchSlowBroker(async () => {
    if (slow.sent.length > 1) return;
    // The value before last is noted, and the echo is on its way. Now the last one arrives after the newest was acknowledged.
    slow.sender.setTopics(topics({ color: "bleu" }));
    await slow.sender.allAcknowledged();
    slow.watch.take({ topic: "color", payload: "blanc", retain: true, isOutside: false });
    setTimeout(() => slow.watch.take({ topic: "color", payload: "bleu", retain: true, isOutside: false }), 1);
  });
  slow.sender.setTopics(topics({ color: "blanc" }));
  await slow.sender.allAcknowledged();
  slow.watch.take({ topic: "color", payload: "rouge", retain: true, isOutside: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.sent).toEqual(["color blanc", "color bleu"]);
});

test("a value of vigie's own that comes back twice, as vigie goes to and fro, is not taken for another program's", async () => {
  const slow = await watchSlowBroker(async () => {
    if (slow.sent.length > 1) return;
    // rouge is noted, and the echo is on its way. Now vigie publishes rouge and blanc again, and hears the second rouge.
    slow.sender.setTopics(topics({ color: "rouge" }));
    await slow.sender.allAcknowledged();
    slow.sender.setTopics(topics({ color: "blanc" }));
    await slow.sender.allAcknowledged();
    slow.watch.take({ topic: "color", payload: "rouge", retain: false, isOutside: false });
    setTimeout(
      () => slow.watch.take({ topic: "color", payload: "blanc", retain: false, isOutside: false }),
      1,
    );
  });
  slow.sender.setTopics(topics({ color: "blanc" }));
  await slow.sender.allAcknowledged();
  slow.watch.take({ topic: "color", payload: "rouge", retain: false, isOutside: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.sent).toEqual(["color blanc", "color rouge", "color blanc"]);
});

test("a value of vigie's own that arrives while it reads what the broker holds is not taken for another program's", async () => {
  const slow = await watchSlowBroker(async () =>
    slow.watch.take({ topic: "color", payload: "blanc", retain: false, isOutside: false }),
  );
  slow.retainedArrive = async () => {
    slow.sender.setTopics(topics({ color: "blanc" }));
    await slow.sender.allAcknowledged();
    slow.watch.take({ topic: "color", payload: "rouge", retain: true, isOutside: false });
  };
  await slow.watch.checkRetained();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.sent).toEqual(["color blanc"]);
});

test("on MQTT 3.1.1, what the broker held at the subscription may arrive after vigie's next value, and is older", async () => {
  const { watch, sender, sent } = await watchSlowBroker(async () => undefined);
  sender.setTopics(topics({ color: "blanc" }));
  await sender.allAcknowledged();
  watch.take({ topic: "color", payload: "blanc", retain: false, isOutside: false });
  watch.take({ topic: "color", payload: "rouge", retain: true, isOutside: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual(["color blanc"]);
});

test.each([
  ["on MQTT 5 a retained value", 5, true],
  ["on MQTT 3.1.1 a live value", 4, false],
] as const)(
  "%s that follows vigie's own is another program's, also where vigie published it before",
  async (_case, version, retain) => {
    const { watch, sender, sent } = await watchSlowBroker(async () => undefined, version);
    sender.setTopics(topics({ color: "blanc" }));
    await sender.allAcknowledged();
    watch.take({ topic: "color", payload: "blanc", retain, isOutside: false });
    watch.take({ topic: "color", payload: "rouge", retain, isOutside: false });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent).toEqual(["color blanc", "color blanc"]);
  },
);

test("a connection that ends is no longer watched", async () => {
  let echoes = 0;
  const { watch, close } = await watchSlowBroker(async () => {
    echoes += 1;
    close();
    throw new ConnectionLost("gone");
  });
  watch.take({ topic: "color", payload: "bleu", retain: true, isOutside: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(echoes).toBe(1);
});

test("topics of others stand in the log with their beginning only, and a flood of them in few lines", async () => {
  const { watch, lines } = await watchSlowBroker(async () => undefined);
  const long = "x".repeat(60_000);
  for (let number = 0; number < 200; number += 1) {
    watch.take({ topic: `${number}${long}/set`, payload: "ON", retain: false, isOutside: false });
    watch.take({ topic: `${number}${long}`, payload: "x", retain: true, isOutside: false });
    await vi.advanceTimersByTimeAsync(250);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines.join("\n")).toContain("more such lines were left out within a minute");
  expect(lines.join("\n").length).toBeLessThan(10_000);
});

test.each([
  ["noted", 5_000, 900],
  ["cleared at once", 1_000, 30_000],
])(
  "of more retained topics than there is room for to be %s, all are cleared in the end",
  async (_how, count, length) => {
    const held = new Set(Array.from({ length: count }, (_, number) => `${number}${"x".repeat(length)}`));
    const slow = await watchSlowBroker(async () => undefined, 5);
    let most = 0;
    const clear = () => {
      for (const line of slow.sent.splice(0)) held.delete(line.slice(0, line.indexOf(" ")));
    };
    slow.retainedArrive = async () => {
      clear();
      const before = held.size;
      for (const topic of held) slow.watch.take({ topic, payload: "x", retain: true, isOutside: false });
      most = Math.max(most, before);
    };
    await slow.watch.checkRetained();
    await vi.advanceTimersByTimeAsync(120_000);
    clear();
    expect([most, held.size]).toEqual([count, 0]);
    expect(slow.subscribed).toBeGreaterThan(2);
  },
);

test.each([
  [5_000, 900],
  [1_000, 30_000],
])(
  "%d topics of %d characters that the broker does not let vigie clear are not read again and again",
  async (count, length) => {
    const held = Array.from({ length: count }, (_, number) => `${number}${"x".repeat(length)}`);
    const slow = await watchSlowBroker(async () => undefined, 5);
    slow.retainedArrive = async () => {
      for (const topic of held) slow.watch.take({ topic, payload: "x", retain: true, isOutside: false });
    };
    await slow.watch.checkRetained();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(slow.subscribed).toBeLessThan(12);
  },
);

test("what vigie clears is read for half of the time at most: meanwhile the broker drops commands", async () => {
  /** Milliseconds. */
  let reading = 0;
  const held = new Set(Array.from({ length: 20_000 }, (_, number) => `${number}${"x".repeat(900)}`));
  const slow = await watchSlowBroker(
    async () => undefined,
    5,
    () => reading,
  );
  slow.retainedArrive = async () => {
    for (const line of slow.sent.splice(0)) held.delete(line.slice(0, line.indexOf(" ")));
    for (const topic of held) slow.watch.take({ topic, payload: "x", retain: true, isOutside: false });
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    reading += 10_000;
  };
  void slow.watch.checkRetained();
  await vi.advanceTimersByTimeAsync(200_000);
  expect(reading).toBeGreaterThan(80_000);
  expect(reading).toBeLessThanOrEqual(110_000);
});

test("a retained topic that is longer than any vigie's is cleared as it arrives, and its clearing is not cleared", async () => {
  const { watch, sent, lines } = await watchSlowBroker(() => new Promise(() => undefined), 5);
  const topic = "x".repeat(30_000);
  watch.take({ topic, payload: "x", retain: true, isOutside: false });
  watch.take({ topic, payload: "", retain: true, isOutside: false });
  expect(sent).toEqual([`${topic} `]);
  expect(lines).toEqual([
    `Within seconds vigie clears retained topics that it does not publish: ${"x".repeat(100)}…`,
  ]);
});

test("what-if: Somebody else writes vigie's topics · on MQTT 3.1.1 what arrives live may be held by the broker: it is read, once in ten minutes, and cleared", async () => {
  const slow = await watchSlowBroker(async () => undefined, 4);
  const held = new Set<string>();
  slow.retainedArrive = async () => {
    for (const topic of held) slow.watch.take({ topic, payload: "x", retain: true, isOutside: false });
  };
  for (const topic of ["old", "rules/ev/enabled/set"]) {
    held.add(topic);
    slow.watch.take({ topic, payload: "x", retain: false, isOutside: false });
  }
  await vi.advanceTimersByTimeAsync(599_000);
  expect(slow.subscribed).toBe(0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.subscribed).toBe(1);
  expect(slow.sent).toEqual(["old ", "rules/ev/enabled/set "]);
  held.clear();
  await vi.advanceTimersByTimeAsync(6_000_000);
  expect(slow.subscribed).toBe(1);
});

/** As many as have arrived when a broker that keeps 1,000 ready for vigie has dropped the one after these. */
function flood({ watch }: { watch: BaseWatch }): void {
  for (let number = 0; number < 1_000; number += 1)
    watch.take({ topic: `x/${number}`, payload: "", retain: false, isOutside: false });
}

test.each([5, 4] as const)(
  "what vigie did not hear of, as the broker dropped it behind others, is right again within seconds, MQTT %s",
  async (version) => {
    const slow = await watchSlowBroker(async () => {
      // From before the reading: on MQTT 3.1.1 it does not hide what the broker holds.
      if (slow.reads.length === 0)
        slow.watch.take({ topic: "color", payload: "rouge", retain: version === 5, isOutside: false });
    }, version);
    slow.ownArrive = async () => {
      slow.watch.take({ topic: "color", payload: "pink", retain: true, isOutside: false });
      slow.watch.take({ topic: "owner", payload: "{}", retain: true, isOutside: false });
    };
    flood(slow);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(slow.sent.toSorted()).toEqual(["availability online", "color rouge"]);
    expect(slow.reads.toSorted()).toEqual(["availability", "color", "owner"]);
  },
);

test("messages outside of the base topic, however many, are no reason to read vigie's own topics", async () => {
  const { watch, reads } = await watchSlowBroker(async () => undefined, 5);
  for (let number = 0; number < 1_000; number += 1)
    watch.take({ topic: "house/meter", payload: String(number), retain: false, isOutside: true });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(reads).toEqual([]);
});

test.each([
  ["ten a second for most of a minute are", 100, true],
  ["one a second for half an hour are not", 1_000, false],
])(
  "of the messages below the base topic, %s a reason to read vigie's own topics",
  async (_title, gap, isRead) => {
    let steady = 0;
    const { watch, reads } = await watchSlowBroker(
      async () => undefined,
      5,
      () => steady,
    );
    for (let number = 0; number < (isRead ? 500 : 1_800); number += 1) {
      watch.take({ topic: "event", payload: "x", retain: false, isOutside: false });
      steady += gap;
      await vi.advanceTimersByTimeAsync(gap);
    }
    await vi.advanceTimersByTimeAsync(15_000);
    expect(reads.includes("color")).toBe(isRead);
  },
);

test("vigie's own topics are read once after a flood, and not for what that reading brings", async () => {
  const slow = await watchSlowBroker(async () => undefined, 5);
  const own = new Map(Array.from({ length: 1_000 }, (_, number) => [`day/${number}`, { payload: "bleu" }]));
  slow.sender.setTopics(own);
  await slow.sender.allAcknowledged();
  slow.ownArrive = async () => {
    for (const [topic, { payload }] of slow.sender.wanted())
      slow.watch.take({ topic, payload, retain: true, isOutside: false });
  };
  slow.sent.length = 0;
  flood(slow);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(slow.reads).toHaveLength(own.size + 2);
  expect(slow.sent).toEqual([]);
});

test("vigie's own topics are read once more for what is dropped while they are read, though nothing arrives after that", async () => {
  const slow = await watchSlowBroker(async () => undefined, 5);
  slow.ownArrive = async () => {
    slow.ownArrive = async () => undefined;
    flood(slow);
  };
  flood(slow);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(slow.reads.filter((name) => name === "color")).toHaveLength(2);
});

test("a reading of vigie's own topics that fails is followed by another one", async () => {
  const slow = await watchSlowBroker(async () => undefined, 5);
  slow.ownArrive = async () => {
    slow.ownArrive = async () => undefined;
    throw new ConnectionLost("no echo");
  };
  flood(slow);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(slow.heard).toContain("no echo");
  expect(slow.sent).toContain("color rouge");
});

test("what-if: Somebody else writes vigie's topics · vigie's own topics do not wait, though those of others were cleared in vain for hours", async () => {
  const slow = await watchSlowBroker(async () => undefined, 5);
  slow.retainedArrive = async () => {
    for (let number = 0; number < 1_000; number += 1)
      slow.watch.take({ topic: `x/${number}`, payload: "x", retain: true, isOutside: false });
  };
  await slow.watch.checkRetained();
  await vi.advanceTimersByTimeAsync(10_800_000);
  slow.reads.length = 0;
  flood(slow);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(slow.reads).toContain("color");
});

test("an own topic that expired is not sent again because the broker does not hold it any more", async () => {
  const slow = await watchSlowBroker(async () => undefined, 5);
  slow.sender.setTopics(new Map([["color", { payload: "bleu", expires: -1 }]]));
  await slow.sender.allAcknowledged();
  slow.sent.length = 0;
  flood(slow);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(slow.reads).toContain("color");
  expect(slow.sent).not.toContain("color bleu");
});

test("many topics of another vigie, of which nothing is to be cleared, are not read again and again", async () => {
  const slow = await watchSlowBroker(async () => undefined, 5);
  const owner = JSON.stringify(ownerOf(identity("b"), "vigie"));
  slow.retainedArrive = async () => {
    slow.watch.take({ topic: "annexe/owner", payload: owner, retain: true, isOutside: false });
    for (let number = 0; number < 1_000; number += 1)
      slow.watch.take({ topic: `annexe/${number}`, payload: "x", retain: true, isOutside: false });
  };
  await slow.watch.checkRetained();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(slow.subscribed).toBeLessThan(12);
  expect(slow.sent.filter((line) => line.startsWith("annexe"))).toEqual([]);
});

test("a message of QoS 0 that none of QoS 1 follows is a reason to ask for an echo, once", async () => {
  let echoes = 0;
  const { watch } = await watchSlowBroker(async () => {
    echoes += 1;
  });
  const take = (qos?: 0) =>
    watch.take({ topic: "event", payload: "x", retain: false, isOutside: false, ...(qos === 0 && { qos }) });
  take(0);
  take(0);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(echoes).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(echoes).toBe(1);
  take(0);
  take();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(echoes).toBe(1);
});
