import { beforeEach, describe, expect, it } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { Log } from "../../src/runtime/log.ts";
import type { ProblemLog } from "../../src/runtime/problem-log.ts";

const MINUTE = 60_000;
let lines: string[];
let steady: number;
let problemLog: ProblemLog;

beforeEach(() => {
  lines = [];
  steady = 0;
  const say = (level: string) => (sentence: string) => void lines.push(`${level}: ${sentence}`);
  const log: Log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  problemLog = createProblemLog(log, { now: () => 0, steady: () => steady });
});

describe("a problem that lasts", () => {
  it("is logged once when it starts, and once when it is over with how long it lasted", () => {
    for (let minute = 0; minute < 200; minute += 1) {
      steady = minute * MINUTE;
      problemLog.starts("broker", "The broker cannot be reached");
    }
    steady = 200 * MINUTE;
    problemLog.isOver("broker", "The broker is reached again");
    problemLog.isOver("broker", "The broker is reached again");
    expect(lines).toEqual([
      "warn: The broker cannot be reached",
      "info: The broker is reached again, after 3 h 20 min",
    ]);
  });

  it("that never started is not over", () => {
    problemLog.isOver("broker", "The broker is reached again");
    expect(lines).toEqual([]);
  });

  it("is logged again when its sentence changes, and lasts from its first start", () => {
    problemLog.starts("service", "The service does not answer");
    steady = MINUTE;
    problemLog.starts("service", "The service answers with an error");
    steady = 2 * MINUTE;
    problemLog.starts("service", "The service does not answer");
    problemLog.isOver("service", "The service answers again");
    expect(lines).toHaveLength(3);
    expect(lines.at(-1)).toBe("info: The service answers again, after 2 min");
  });

  it("does not affect that of another key", () => {
    problemLog.starts("service", "The service does not answer");
    problemLog.starts("broker", "The broker cannot be reached");
    problemLog.isOver("service", "The service answers again");
    expect(lines).toHaveLength(3);
  });

  it("that comes and goes is logged six times an hour at most, and the last line says so", () => {
    for (let time = 0; time < 120; time += 1) {
      steady = time * (MINUTE / 2);
      problemLog.starts("broker", "The broker cannot be reached");
      problemLog.isOver("broker", "The broker is reached again");
    }
    const warnings = lines.filter((line) => line.startsWith("warn"));
    expect(warnings).toHaveLength(6);
    expect(warnings.at(-1)).toContain("this problem is repeated");
    expect(lines).toHaveLength(12);
    steady += 61 * MINUTE;
    problemLog.starts("broker", "The broker cannot be reached");
    expect(lines).toHaveLength(13);
  });

  it("whose sentence changes each time is logged six times an hour at most", () => {
    for (let time = 0; time < 100; time += 1) problemLog.starts("service", `Attempt ${time} failed`);
    expect(lines).toHaveLength(6);
  });

  it("and lasts for weeks keeps its last hundred sentences in mind, and logs an older one again", () => {
    const startsAt = (time: number) => {
      steady = time * 15 * MINUTE;
      problemLog.starts("service", `Attempt ${time % 101} failed`);
    };
    for (let time = 0; time < 101; time += 1) startsAt(time);
    expect(lines).toHaveLength(101);
    problemLog.starts("service", "Attempt 1 failed");
    expect(lines).toHaveLength(101);
    startsAt(101);
    expect(lines.at(-1)).toBe("warn: Attempt 0 failed");
    expect(lines).toHaveLength(102);
  });
});
