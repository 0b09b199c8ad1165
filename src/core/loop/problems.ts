import type { Clocks } from "../calendar/clocks.ts";
import { tariffDate, wallMinute } from "../calendar/dates.ts";
import type { Facts, FactsInput } from "../facts/facts.ts";
import { priceRow } from "../facts/rates.ts";
import { SELDOM } from "../facts/source-record.ts";
import type { Problem, Problems } from "../log/problem.ts";
import { simpleResultsIn } from "../rules/condition-types.ts";
import { decidingConditions } from "../rules/deciding-conditions.ts";
import { describeResult } from "../rules/reasons.ts";
import type { Rule } from "../rules/rule.ts";
import { nameTruth } from "../rules/truth.ts";
import type { Verdict } from "../rules/verdict.ts";
import { isBudgetSpent } from "../sources/request-limits.ts";
import type { Source } from "../sources/source.ts";
import type { Known } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { differentPrices, oldPrices } from "./price-problems.ts";
import { HANGING_DISK } from "./saving.ts";

interface ProblemsContext {
  at: Clocks;
  config: LoopConfig;
  input: FactsInput;
  facts: Facts;
  /** In the order of the rules; empty while the clock is known to be wrong. */
  verdicts: readonly Verdict[];
  /** Those of the last look: some go on though nothing shows them now. */
  before: Problems;
}

/** What is wrong at this look, but for devices: the outputs say so themselves. */
export function findProblems(known: Known, context: ProblemsContext): Problems {
  const { kept, passing } = known;
  const { at, config, input, facts, verdicts, before } = context;
  const spent = config.sources.filter(({ id, budget }) => {
    const sent = kept.sources[id]?.spent;
    return sent !== undefined && isBudgetSpent(sent, at.now, budget);
  });
  const found: [string, Problem | null][] = [
    ["clock", input.clock.right ? null : asSaidFirst(before.get("clock"), wrongClock(context))],
    [DOUBT, doubtedClock(context)],
    ["prices", isPriced(context) ? differentPrices(facts.dated.prices) : (before.get("prices") ?? null)],
    ["old prices", oldPrices(facts.dated.prices)],
    ["a disk that hangs", passing.saving.hangs ? HANGING_DISK : null],
    ...config.sources.flatMap((source) => failingSource(source, known, before)),
    ...spent.map(({ name, spentBudget }): [string, Problem] => [`budget of the ${name}`, spentBudget]),
    ...config.rules.map((rule, index): [string, Problem | null] => {
      const key = `values of rule ${rule.id}`;
      return [key, missingValue(rule, verdicts[index], before.get(key) ?? null)];
    }),
  ];
  return new Map(found.flatMap(([key, problem]) => (problem ? [[key, problem]] : [])));
}

/** What failed before the start is said again only if it fails again. */
function failingSource(source: Source, { kept, passing }: Known, before: Problems): [string, Problem][] {
  const { id, name } = source;
  const [record, since] = [kept.sources[id], passing.sources[id]];
  if (!record || !since) return [];
  const sentence = since.isPolled ? record.failing?.sentence : since.firstFailure;
  // One that has never answered does not answer "again".
  const over = record.answered_at === null ? `The ${name} answers` : `The ${name} answers again`;
  const main: [string, Problem][] = sentence
    ? [[name, { sentence, over: before.get(name)?.over ?? over }]]
    : [];
  const seldom = SELDOM.flatMap((kind): [string, Problem][] => {
    const [failure, key] = [record.failures[kind], `${name}: ${kind}`];
    const isWaiting = since.poll?.queue.some(({ request }) => request.kind === kind);
    const isAsked = since.isPolled && since.requestTimes.polled[kind] !== undefined && !isWaiting;
    // If today and tomorrow fail as well, there is one cause, which is said already.
    if (!failure || !(before.has(key) || (isAsked && !sentence))) return [];
    const again = record.asked[kind] === null ? "" : " again";
    return [[key, { sentence: failure.sentence, over: `The ${name} answers about the ${kind}${again}` }]];
  });
  return [...main, ...seldom];
}

/** Whether a problem with this key is one of this source: that it does not answer, or not about all. */
export function isOf({ name }: Source, key: string): boolean {
  return key === name || key.startsWith(`${name}: `);
}

/** When prices begin that the owner has written, the service may name them with its next answer only. */
function isPriced({ config: { tariff }, input: { clock, service } }: ProblemsContext): boolean {
  const from = priceRow(tariffDate(clock.at, tariff), tariff)?.from;
  const answered_at = service?.answered_at ?? null;
  return from === undefined || (answered_at !== null && tariffDate(answered_at, tariff) >= from);
}

/**
 * With `when_unknown` the verdict may stay as it was when a value is missing or cannot be read: nothing else would say so. A value
 * may be missing that does not decide now: that of `all: [{ period: hc }, { mqtt: … }]` by day.
 */
function missingValue(rule: Rule, verdict: Verdict | undefined, before: Problem | null): Problem | null {
  if (!verdict || verdict.reason === "error") return before;
  const { state, reason, conditions, threshold } = verdict;
  if (reason === "disabled") return null;
  const missing = decidingConditions(conditions).filter(({ condition }) => condition.kind === "mqtt");
  if (reason === "when_unknown" && missing.length > 0) {
    const found = missing.map((one) => describeResult(one, threshold)).join("; ");
    return {
      sentence: `Rule ${rule.id} counts as ${nameTruth(state)} (when_unknown), because a value is unknown: ${found}`,
      over: `No value is missing for rule ${rule.id} any more`,
    };
  }
  const lacksValue = simpleResultsIn(conditions).some(
    ({ condition, truth }) => condition.kind === "mqtt" && truth === null,
  );
  return lacksValue ? before : null;
}

/** All topics of the moment are `None` while the clock is wrong: the sentence names both times. */
function wrongClock({ at: { now }, config, input: { clock } }: ProblemsContext): Problem {
  const wall = (instant: number) => wallMinute(instant, config.tariff.time_zone);
  const { at, at_least } = clock;
  const truth = at_least ? `it is ${wall(at)} or later` : `by its sources it is ${wall(at)}`;
  return {
    sentence: `The clock of this machine is wrong: it shows ${wall(now)}, and ${truth}. Until it is right, vigie publishes nothing of what is in force now. Set it (timedatectl says whether NTP does that)`,
    over: "The clock of this machine is right again",
    kind: at_least ? "at least" : "told",
  };
}

/** While nobody agrees with this machine's clock, which is used all the same. One that is found wrong is not less doubtful. */
function doubtedClock({ at: { now }, config, input: { clock }, before }: ProblemsContext): Problem | null {
  const { right, doubted_by } = clock;
  if (!right) return before.get(DOUBT) ?? null;
  if (doubted_by === undefined) return null;
  const zone = config.tariff.time_zone;
  const times = `it shows ${wallMinute(now, zone)}, and by a source it is ${wallMinute(doubted_by, zone)}`;
  const doubted = {
    sentence: `The clock of this machine may be wrong: ${times}. vigie goes on by the clock of this machine, as that of the source may be ahead. Compare them (timedatectl says whether NTP sets this one)`,
    over: "No source contradicts the clock of this machine any more",
  };
  return before.has("clock") ? doubted : asSaidFirst(before.get(DOUBT), doubted);
}

function asSaidFirst(before: Problem | undefined, now: Problem): Problem {
  return before && before.kind === now.kind ? before : now;
}

const DOUBT = "a clock that may be wrong";
