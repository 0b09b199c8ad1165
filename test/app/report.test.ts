import { expect, test } from "vitest";
import {
  reportBudget,
  reportMissingValues,
  reportPoll,
  reportRefusedWord,
  reportSimulationEnd,
  reportVerdictChange,
} from "../../src/app/report.ts";
import type { Simulation } from "../../src/core/facts/facts.ts";
import { NO_RULES_STATE } from "../../src/core/rules/rules-state.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { isBudgetSpent } from "../../src/service/request-limits.ts";
import { FORECAST_SERVICE, OFFICIAL_SOURCE } from "../../src/service/sources.ts";
import { knownDaysOf } from "../support/known-days.ts";
import { logTo } from "../support/logs.ts";
import { inputAt, refresh, ruleOf } from "../support/rules.ts";

const NOON = Date.parse("2026-01-05T12:00:00Z");
const DAY = 24 * 3_600_000;

test("the end of a simulation is logged where its time is over, and not where a command ended or replaced it", () => {
  const lines: string[] = [];
  const simulation = {
    color: "rouge",
    from: "now",
    date: "2026-01-05",
    begun: NOON,
    until: NOON + 60_000,
  } as const;
  const other = { ...simulation, begun: NOON + 30_000 };
  const report = (before: Simulation | null, now: Simulation | null, kept: Simulation | null) =>
    reportSimulationEnd({ before, now }, kept, logTo(lines));
  report(null, null, simulation);
  report(null, simulation, simulation);
  report(simulation, simulation, simulation);
  report(simulation, null, null);
  report(simulation, other, other);
  expect(lines).toEqual([]);
  report(simulation, null, simulation);
  expect(lines).toEqual([
    "The simulation has ended: rouge is not pretended any more for the tariff day 2026-01-05",
  ]);
});

test("a rule that becomes unknown is logged with the reason, and is no event: there are those of ON and OFF only", () => {
  const lines: string[] = [];
  const events: unknown[] = [];
  const publisher = { publishEvent: (event: unknown) => void events.push(event) };
  const change = { rule: "cold", date: null, color: null };
  const unknown = { ...change, state: null, because: ["garden is below 2 (too old)"] };
  reportVerdictChange(unknown, logTo(lines), publisher);
  reportVerdictChange({ ...change, state: true, because: ["by its value"] }, logTo(lines), publisher);
  expect(lines).toEqual([
    "Rule cold is unknown: garden is below 2 (too old)",
    "Rule cold is ON: by its value",
  ]);
  expect(events).toEqual([{ event_type: "rule_on", rule: "cold" }]);
});

test("the missing value of a rule is no problem any more while the rule is disabled", () => {
  const lines: string[] = [];
  const problemLog = createProblemLog(logTo(lines), { now: () => NOON, steady: () => 0 });
  const rule = ruleOf({ mqtt: { topic: "car", below: 40 } }, { when_unknown: "off" });
  for (const enabled of [true, false, true]) {
    const settings = { r: { enabled, threshold: null } };
    const { verdict } = refresh(rule, inputAt(NOON, knownDaysOf({})), NO_RULES_STATE, settings);
    reportMissingValues([verdict], problemLog);
  }
  const said = expect.stringMatching(/^Rule r counts as OFF \(when_unknown\)/);
  expect(lines).toEqual([said, "Rule r is disabled and needs no value any more, after 0 s", said]);
});

test("a source that never answered before answers, and not again", () => {
  const lines: string[] = [];
  const problemLog = createProblemLog(logTo(lines), { now: () => NOON, steady: () => 0 });
  for (const hasAnswered of [false, true]) {
    reportPoll({ failures: ["It is away"], answers: 0 }, FORECAST_SERVICE, { problemLog, hasAnswered });
    reportPoll({ failures: [], answers: 2 }, FORECAST_SERVICE, { problemLog, hasAnswered });
  }
  expect(lines).toEqual([
    "It is away",
    "The forecast service answers, after 0 s",
    "It is away",
    "The forecast service answers again, after 0 s",
  ]);
});

test("requests may be sent again when the next day begins, not when an hourly poll succeeds", () => {
  const lines: string[] = [];
  const problemLog = createProblemLog(logTo(lines), { now: () => NOON, steady: () => 0 });
  const spent = { day: "2026-01-05", count: FORECAST_SERVICE.budget };
  const reportAt = (now: number) => {
    reportPoll({ failures: [], answers: 2 }, FORECAST_SERVICE, { problemLog, hasAnswered: true });
    reportBudget(isBudgetSpent(spent, now, FORECAST_SERVICE.budget), FORECAST_SERVICE, problemLog);
  };
  reportAt(NOON);
  reportAt(NOON + 3_600_000);
  const said = "vigie has sent all requests that it may send today: only the hourly poll goes on";
  expect(lines).toEqual([said]);
  reportAt(NOON + DAY);
  expect(lines).toEqual([said, "vigie may send requests to the service again, after 0 s"]);
});

test("words of one source that are not used take no line from those of the other", () => {
  const lines: string[] = [];
  const problemLog = createProblemLog(logTo(lines), { now: () => NOON, steady: () => 0 });
  for (let answer = 0; answer < 10; answer += 1)
    reportRefusedWord(`old ${answer}`, FORECAST_SERVICE, problemLog);
  reportRefusedWord("old of RTE", OFFICIAL_SOURCE, problemLog);
  reportRefusedWord("old of RTE", OFFICIAL_SOURCE, problemLog);
  expect(lines).toHaveLength(7);
  expect(lines.at(-1)).toBe("old of RTE");
});
