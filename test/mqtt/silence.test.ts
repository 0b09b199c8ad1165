import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { watchSilence } from "../../src/mqtt/silence.ts";

const LONGEST = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

function watchOf() {
  const acted: number[] = [];
  let passed = 0;
  const acts: (() => void)[] = [];
  const silence = watchSilence(LONGEST, () => {
    acted.push(passed);
    return new Promise<void>((resolve) => acts.push(resolve));
  });
  return {
    silence,
    acted,
    endActs: () => {
      for (const end of acts.splice(0)) end();
    },
    pass: async (milliseconds: number) => {
      for (let step = 0; step < milliseconds; step += 100) {
        passed += 100;
        await vi.advanceTimersByTimeAsync(100);
        // A time-out waits for two more rounds of the event loop.
        for (let round = 0; round < 3; round += 1) await new Promise(setImmediate);
      }
    },
    ask: () => {
      let answer: (error?: Error) => void = () => undefined;
      const awaited = silence.awaitAnswer(
        new Promise<void>((resolve, reject) => {
          answer = (error) => (error ? reject(error) : resolve());
        }),
      );
      awaited.catch(() => undefined);
      return answer;
    },
  };
}

test("one that answers one after the other is not silent, however long an answer takes", async () => {
  const { acted, pass, ask } = watchOf();
  const answers = [ask(), ask(), ask(), ask()];
  for (const answer of answers) {
    await pass(900);
    answer();
  }
  await pass(10_000);
  expect(acted).toEqual([]);
});

test("silence counts from the last answer, and what is asked meanwhile does not prolong it", async () => {
  const { acted, pass, ask } = watchOf();
  const first = ask();
  ask();
  await pass(600);
  first();
  await pass(600);
  ask();
  await pass(300);
  expect(acted).toEqual([]);
  await pass(100);
  expect(acted).toEqual([1_600]);
});

test("it acts again after twice as long each time, also if answers come while what it began is not over", async () => {
  const { acted, endActs, pass, ask } = watchOf();
  const answers = [ask(), ask(), ask()];
  await pass(6_900);
  expect(acted).toEqual([1_000, 3_000]);
  answers[0]?.(new Error("refused"));
  await pass(3_000);
  expect(acted).toEqual([1_000, 3_000, 7_000]);
  endActs();
  answers[1]?.();
  await pass(1_000);
  expect(acted).toEqual([1_000, 3_000, 7_000, 10_900]);
});

test("what it began and what never ends keeps it from nothing that is asked later", async () => {
  const { acted, pass, ask } = watchOf();
  const first = ask();
  await pass(1_000);
  first();
  await pass(5_000);
  ask();
  await pass(1_000);
  expect(acted).toEqual([1_000, 7_000]);
});

test("nothing happens while no answer is awaited, nor after the end", async () => {
  const { silence, acted, pass, ask } = watchOf();
  ask()();
  await pass(5_000);
  const late = ask();
  silence.end();
  ask();
  late();
  await pass(5_000);
  expect(acted).toEqual([]);
});
