import { findContradictions } from "../days/contradictions.ts";
import { dayEventPayload, describeDayEvent, findDayEvents } from "../days/day-events.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { Simulation } from "../facts/facts.ts";
import type { LogLine } from "../log/log-line.ts";
import { NO_PROBLEMS, type Problems } from "../log/problem.ts";
import type { RulesState } from "../rules/rules-state.ts";
import { describeVerdictChange, findVerdictChanges, verdictChangeEvent } from "../rules/verdict-changes.ts";
import type { Kept } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import type { View } from "./view.ts";

/** What was said last: what a view shows is said if it is another one. */
export interface Said {
  /** What happened to the colours of the days. */
  days: KnownDays;
  /** Whether the sources contradict each other about days. */
  contradictions: KnownDays;
  rules: RulesState;
  problems: Problems;
  simulation: Simulation | null;
}

/** What has to be said: in the log, and as messages on the topic `event`. */
export interface Changes {
  said: Said;
  lines: readonly LogLine[];
  events: object[];
}

/** At a start what the state file holds was said. */
export function saidAtStart(kept: Kept): Said {
  return {
    days: kept.days,
    contradictions: kept.days,
    rules: kept.rules,
    problems: NO_PROBLEMS,
    simulation: null,
  };
}

/** Until each source was polled once, no verdict is a change, and no colour counts as shown. */
export function changes(before: Said, view: View, { tariff }: Pick<LoopConfig, "tariff">): Changes {
  const { factsInput, facts, input, evaluated, mayDecide } = view;
  const { knownDays, clock } = factsInput;
  const dayEvents = mayDecide ? findDayEvents(before.days, knownDays, clock.at, tariff) : [];
  const contradictions = findContradictions(before.contradictions, knownDays, clock.at, tariff);
  const verdictChanges = mayDecide && clock.right ? findVerdictChanges(before.rules, evaluated, input) : [];
  const lines: LogLine[] = [
    ...dayEvents.map((event): LogLine => {
      const level = event.kind === "revised" ? "warn" : "info";
      return { level, sentence: describeDayEvent(event) };
    }),
    ...contradictions.map(({ sentence, begins }): LogLine => ({ level: begins ? "warn" : "info", sentence })),
    ...describeProblems(before.problems, view.problems),
    ...describeSimulationEnd(before.simulation, view),
    ...verdictChanges.map((change): LogLine => ({ level: "info", sentence: describeVerdictChange(change) })),
  ];
  const ofVerdicts = verdictChanges.map(verdictChangeEvent).filter((event) => event !== null);
  const said: Said = {
    days: mayDecide ? knownDays : before.days,
    contradictions: knownDays,
    rules: clock.right ? view.next : before.rules,
    problems: view.problems,
    simulation: facts.simulation,
  };
  return { said, lines, events: [...dayEvents.map(dayEventPayload), ...ofVerdicts] };
}

function describeProblems(before: Problems, now: Problems): LogLine[] {
  const begun = [...now].filter(([key, { sentence }]) => before.get(key)?.sentence !== sentence);
  const over = [...before].filter(([key]) => !now.has(key));
  return [
    ...begun.map(([problem, { sentence }]) => ({ problem, starts: sentence })),
    ...over.map(([problem, { over }]) => ({ problem, isOver: over })),
  ];
}

/** A simulation that was over by its time, or by a clock that was set back. One that a command ended, or replaced, is in the log already. */
function describeSimulationEnd(before: Simulation | null, { facts, factsInput }: View): LogLine[] {
  if (!before || facts.simulation) return [];
  const isSetBack = factsInput.clock.at < before.begun;
  if (!isSetBack && factsInput.simulation?.begun !== before.begun) return [];
  const sentence = `The simulation has ended: ${before.color} is not pretended any more for the tariff day ${before.date}`;
  return [{ level: "info", sentence }];
}
