import { wallTime } from "../calendar/dates.ts";
import { findContradictions } from "../days/contradictions.ts";
import { dayEventPayload, describeDayEvent, findDayEvents } from "../days/day-events.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { FactsInput, Simulation } from "../facts/facts.ts";
import type { LogLine } from "../log/log-line.ts";
import { simpleResultsIn } from "../rules/condition-types.ts";
import { decidingConditions, describeResult } from "../rules/reasons.ts";
import type { Rule } from "../rules/rule.ts";
import type { RulesState } from "../rules/rules-state.ts";
import { nameTruth } from "../rules/truth.ts";
import type { Verdict } from "../rules/verdict.ts";
import { describeVerdictChange, findVerdictChanges, verdictChangeEvent } from "../rules/verdict-changes.ts";
import type { Kept } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import type { View } from "./view.ts";

/** What was said last: what a view shows is said if it is another one. */
export interface Said {
  /** Of the days, what happened to their colours. */
  days: KnownDays;
  /** Of the days, whether the sources contradict each other. */
  contradictions: KnownDays;
  rules: RulesState;
  isClockRight: boolean | null;
  isClockDoubted: boolean;
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
    isClockRight: null,
    isClockDoubted: false,
    simulation: null,
  };
}

/** Until each source was polled once, no verdict is a change, and no colour counts as shown. */
export function changes(before: Said, view: View, { tariff }: Pick<LoopConfig, "tariff">): Changes {
  const { known, facts, input, evaluated, isPolled } = view;
  const { knownDays, clock } = known;
  // One that is found wrong is not less doubtful.
  const isClockDoubted = clock.right ? clock.doubted_by !== undefined : before.isClockDoubted;
  const isDoubtedAfterWrong = isClockDoubted && clock.right && !before.isClockRight;
  const dayEvents = isPolled ? findDayEvents(before.days, knownDays, clock.at, tariff) : [];
  const contradictions = findContradictions(before.contradictions, knownDays, clock.at, tariff);
  const verdictChanges = isPolled && clock.right ? findVerdictChanges(before.rules, evaluated, input) : [];
  const lines: LogLine[] = [
    ...dayEvents.map((event): LogLine => {
      const level = event.kind === "revised" ? "warn" : "info";
      return { level, sentence: describeDayEvent(event) };
    }),
    ...contradictions.map(({ sentence, begins }): LogLine => ({ level: begins ? "warn" : "info", sentence })),
    ...(clock.right === before.isClockRight ? [] : [describeClock(view, tariff.time_zone)]),
    ...(isClockDoubted !== before.isClockDoubted || isDoubtedAfterWrong
      ? [describeDoubt(view, tariff.time_zone)]
      : []),
    ...describeMissingValues(view.verdicts),
    ...describeSimulationEnd(before.simulation, view),
    ...verdictChanges.map((change): LogLine => ({ level: "info", sentence: describeVerdictChange(change) })),
  ];
  const ofVerdicts = verdictChanges.map(verdictChangeEvent).filter((event) => event !== null);
  const said: Said = {
    days: isPolled ? knownDays : before.days,
    contradictions: knownDays,
    rules: clock.right ? view.next : before.rules,
    isClockRight: clock.right,
    isClockDoubted,
    simulation: facts.simulation,
  };
  return { said, lines, events: [...dayEvents.map(dayEventPayload), ...ofVerdicts] };
}

/** A removed rule gets no more verdicts, so its problem is closed here. */
export function describeRemovedRules(before: readonly Rule[], now: readonly Rule[]): LogLine[] {
  return before
    .filter(({ id }) => !now.some((rule) => rule.id === id))
    .map((rule) => ({
      problem: valuesOf(rule),
      isOver: `Rule ${rule.id} is removed and needs no value any more`,
    }));
}

/** With `when_unknown` the verdict may stay as it was when a value is missing or cannot be read: nothing else would say so. */
function describeMissingValues(verdicts: readonly Verdict[]): LogLine[] {
  return verdicts.flatMap(({ rule, state, reason, conditions, threshold }) => {
    if (reason === "error") return [];
    const problem = valuesOf(rule);
    const lines: LogLine[] = [];
    if (reason === "disabled")
      lines.push({ problem, isOver: `Rule ${rule.id} is disabled and needs no value any more` });
    const missing = decidingConditions(conditions).filter(({ condition }) => condition.kind === "mqtt");
    if (reason === "when_unknown" && missing.length > 0) {
      const found = missing.map((one) => describeResult(one, threshold)).join("; ");
      const starts = `Rule ${rule.id} counts as ${nameTruth(state)} (when_unknown), because a value is unknown: ${found}`;
      lines.push({ problem, starts });
    }
    // A value may be missing that does not decide now: that of `all: [{ period: hc }, { mqtt: … }]` by day.
    const lacksValue = simpleResultsIn(conditions).some(
      ({ condition, truth }) => condition.kind === "mqtt" && truth === null,
    );
    if (!lacksValue) lines.push({ problem, isOver: `Rule ${rule.id} lacks no value any more` });
    return lines;
  });
}

function valuesOf({ id }: Rule): string {
  return `values of rule ${id}`;
}

/** A simulation that was over by its time, or by a clock that was set back. One that a command ended, or replaced, is in the log already. */
function describeSimulationEnd(before: Simulation | null, { facts, known }: View): LogLine[] {
  if (!before || facts.simulation) return [];
  const isSetBack = known.clock.at < before.begun;
  if (!isSetBack && known.simulation?.begun !== before.begun) return [];
  const sentence = `The simulation has ended: ${before.color} is not pretended any more for the tariff day ${before.date}`;
  return [{ level: "info", sentence }];
}

/** Logged when it changes, because all topics of the moment are `None` while the clock is wrong: the line names both times. */
function describeClock({ known: { clock }, at: { now } }: View, zone: string): LogLine {
  const { at, right, at_least }: FactsInput["clock"] = clock;
  if (right) return { problem: "clock", isOver: "The clock of this machine is right again" };
  const wall = (instant: number) => wallMinute(instant, zone);
  const truth = at_least ? `it is ${wall(at)} or later` : `by its sources it is ${wall(at)}`;
  return {
    problem: "clock",
    starts: `The clock of this machine is wrong: it shows ${wall(now)}, and ${truth}. Until it is right, vigie publishes nothing of what is in force now. Set it (timedatectl says whether NTP does that)`,
  };
}

/** While nobody agrees with this machine's clock, which is used all the same. */
function describeDoubt({ known: { clock }, at: { now } }: View, zone: string): LogLine {
  const problem = "a clock that may be wrong";
  if (clock.doubted_by === undefined)
    return { problem, isOver: "No source contradicts the clock of this machine any more" };
  const times = `it shows ${wallMinute(now, zone)}, and by a source it is ${wallMinute(clock.doubted_by, zone)}`;
  return {
    problem,
    starts: `The clock of this machine may be wrong: ${times}. vigie goes on by the clock of this machine, as that of the source may be ahead. Compare them (timedatectl says whether NTP sets this one)`,
  };
}

function wallMinute(at: number, zone: string): string {
  return wallTime(at, zone).slice(0, 16).replace("T", " ");
}
