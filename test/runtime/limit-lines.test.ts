import { expect, test } from "vitest";
import { limitLines } from "../../src/runtime/limit-lines.ts";
import { logTo } from "../support/logs.ts";

test("of many lines within a minute the first ones are written, and then how many were left out", () => {
  const lines: string[] = [];
  let endMinute: () => void = () => undefined;
  const after = (_milliseconds: number, run: () => void) => {
    endMinute = run;
    return () => undefined;
  };
  const log = limitLines(logTo(lines), { after });
  for (let number = 1; number <= 2_000; number += 1) log.info(`line ${number}`);
  expect(lines).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index + 1}`));
  endMinute();
  expect(lines.slice(10)).toEqual(["1990 more such lines were left out within a minute"]);
  log.warn("later");
  endMinute();
  expect(lines.slice(11)).toEqual(["later"]);
});

test("how many were left out is written at an end before the minute's, and once only", () => {
  const lines: string[] = [];
  const running = new Set<() => void>();
  const after = (_milliseconds: number, run: () => void) => {
    running.add(run);
    return () => void running.delete(run);
  };
  const log = limitLines(logTo(lines), { after });
  log.end();
  for (let number = 1; number <= 12; number += 1) log.info(`line ${number}`);
  log.end();
  expect(lines.slice(10)).toEqual(["2 more such lines were left out within a minute"]);
  expect(running.size).toBe(0);
  log.end();
  log.info("later");
  for (const endMinute of running) endMinute();
  expect(lines.slice(11)).toEqual(["later"]);
});
