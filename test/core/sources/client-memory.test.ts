import { expect, it } from "vitest";
import {
  clientMemorySchema,
  EMPTY_MEMORY,
  isOfficialSilent,
  noteOfficial,
} from "../../../src/core/sources/client-memory.ts";

const AT = Date.UTC(2026, 0, 5, 10);
const HOUR = 3_600_000;

function afterAnswers(count: number, every: number, official: (index: number) => boolean | null) {
  let memory = EMPTY_MEMORY;
  for (let index = 0; index < count; index += 1)
    memory = noteOfficial(memory, official(index), AT + index * every);
  return { memory, now: AT + (count - 1) * every };
}

it("a service that says nothing official for three days is silent, and asked again after a week", () => {
  const { memory, now } = afterAnswers(73, HOUR, () => null);
  expect(isOfficialSilent(memory, now)).toBe(true);
  expect(isOfficialSilent(memory, now + 6 * 24 * HOUR)).toBe(true);
  expect(isOfficialSilent(memory, now + 7 * 24 * HOUR)).toBe(false);
});

it("a single false does not count as three days without an official colour", () => {
  const { memory, now } = afterAnswers(73, HOUR, (index) => (index === 40 ? false : null));
  expect(isOfficialSilent(memory, now)).toBe(false);
});

it("a clock set right between two answers makes no silence", () => {
  const early = noteOfficial(EMPTY_MEMORY, null, 0);
  expect(isOfficialSilent(noteOfficial(early, null, AT), AT)).toBe(false);
});

it("is plain data that its schema reads back", () => {
  const memory = noteOfficial({ ...EMPTY_MEMORY, percent: true, pause: { until: AT, turns: 2 } }, null, AT);
  expect(clientMemorySchema.parse(JSON.parse(JSON.stringify(memory)))).toEqual(memory);
});
