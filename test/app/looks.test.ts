import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
import { BOILER, confirmBy, outputsOf } from "../support/outputs.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const NOON = Date.parse("2026-01-05T12:00:00Z");
const SECOND = 1_000;
const CONFIRM = confirmBy("boiler", { every: 30 * SECOND, for: 3_600_000 });

/** A boiler that was told "off", and how often all was looked at since. */
async function open() {
  const clock = { at: NOON };
  let looks = 0;
  const { loop, outputs, memories, command, nextTimer } = openTestLoop({
    clock,
    days: knownDaysOf(officialDays("2026-01-01", "2026-01-12")),
    rules: rulesOptions.parse([{ id: "cheap", when: { day: "now", color: "bleu" } }]),
    outputs: outputsOf([{ ...BOILER, choose: [{ when: "cheap", payload: "off" }], confirm: CONFIRM }]),
    ask: () => new Promise(() => undefined),
    sinks: [
      {
        name: "looks",
        show: () => {
          looks += 1;
        },
      },
    ],
  });
  const report = async (payload: string) => {
    outputs({ kind: "report", topic: "boiler", payload, retain: false });
    await settled();
  };
  outputs({ kind: "connection opened", connection: 1, version: 5 });
  await settled();
  for (const { number } of loop.view().sends) outputs({ kind: "acknowledged", number });
  await settled();
  return {
    loop,
    clock,
    memories,
    command,
    nextTimer,
    report,
    looksOf: async (run: () => Promise<void> | void) => {
      looks = 0;
      await run();
      await settled();
      return looks;
    },
    answer: () => loop.view().outputs[0]?.state,
  };
}

test("a report that changes nothing costs no look, one that confirms does, and one of the same second is judged a second later", async () => {
  const { loop, clock, report, looksOf, answer, nextTimer } = await open();
  expect(await looksOf(() => report("off"))).toBeGreaterThan(0);
  expect(answer()).toBe("confirmed");
  clock.at += SECOND;
  expect(await looksOf(() => report("off"))).toBe(0);
  // It comes in the same second, and is judged when that is over.
  expect(await looksOf(() => report("on"))).toBe(0);
  expect(nextTimer()).toBe(SECOND);
  clock.at += SECOND;
  expect(await looksOf(loop.refresh)).toBeGreaterThan(0);
  clock.at += 5 * SECOND;
  expect(await looksOf(loop.refresh)).toBeGreaterThan(0);
  expect(answer()).toBe("contrary");
});

test("a report of something else than was sent is shown at once, before it counts", async () => {
  const { report, looksOf, loop } = await open();
  expect(await looksOf(() => report("on"))).toBeGreaterThan(0);
  expect(loop.view().outputs[0]).toMatchObject({ sent: { last_answer: "on", answer: "awaited" } });
});

test("time in which nothing is due costs no look, and a count of requests only if it is worth a write", async () => {
  const { loop, clock, memories, looksOf } = await open();
  clock.at += SECOND;
  expect(await looksOf(loop.refresh)).toBe(0);
  const { service: memory } = memories;
  const count = (count: number) => memory.set({ ...memory.get(), spent: { day: "2026-01-05", count } });
  const looks: number[] = [];
  for (let sent = 1; sent <= 21; sent += 1) looks.push(await looksOf(() => count(sent)));
  // Each look gives the disk what is counted. That the disk has ended its write changes nothing that is shown.
  expect(looks).toEqual([...Array(10).fill(1), ...Array(9).fill(0), 1, 0]);
});

describe("what devices say in one turn of the event loop", () => {
  const acknowledge = ({ loop }: Awaited<ReturnType<typeof open>>) => {
    for (const number of [101, 102, 103])
      loop.post({ kind: "outputs", event: { kind: "acknowledged", number } });
  };

  test("is looked at once", async () => {
    const test = await open();
    expect(await test.looksOf(() => acknowledge(test))).toBe(1);
  });

  test("is looked at with a command that comes after it", async () => {
    const test = await open();
    const looks = await test.looksOf(async () => {
      acknowledge(test);
      await test.command({ kind: "enabled", rule: "cheap", enabled: true });
    });
    expect(looks).toBe(1);
  });

  test("is not shown after the loop was paused", async () => {
    const test = await open();
    const looks = await test.looksOf(() => {
      acknowledge(test);
      test.loop.pause();
    });
    expect(looks).toBe(0);
  });
});

test("what is posted while a view is shown is taken after it: each sink sees the views in their order", () => {
  const seen: unknown[] = [];
  const { loop } = openTestLoop({
    clock: { at: NOON },
    sinks: [
      {
        name: "answers",
        show: ({ homeAssistant }) => {
          if (homeAssistant === "offline") loop.post({ kind: "home assistant", status: "online" });
        },
      },
      { name: "sees", show: ({ homeAssistant }) => void seen.push(homeAssistant) },
    ],
  });
  loop.post({ kind: "home assistant", status: "offline" });
  expect(seen).toEqual([null, "offline", "online"]);
});
