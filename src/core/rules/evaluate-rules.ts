import { addDays, civilDate, datesBetween } from "../calendar/dates.ts";
import { memoizeByObject } from "../calendar/memoize.ts";
import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import { officialColor } from "../days/official-color.ts";
import type { Simulation } from "../facts/facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import type { Timeline } from "./condition-types.ts";
import {
  type EvaluatedRule,
  evaluateRule,
  failedRule,
  gather,
  type RuleToEvaluate,
} from "./evaluate-rule.ts";
import { createEvaluationInput, type EvaluationInput } from "./evaluation-input.ts";
import { type HoldMemory, keepHold, NOTHING_HELD, readHold } from "./hold.ts";
import { inOrderOfReference, LONGEST_SHIFT, type Rule } from "./rule.ts";
import type { RuleSettings } from "./rule-settings.ts";
import { entryOf, type RuleState, type RulesState } from "./rules-state.ts";
import { reachesOf, spanAt } from "./timeline.ts";
import { isByValue } from "./truth.ts";
import { rememberedReadings } from "./value-readings.ts";
import type { Verdict } from "./verdict.ts";

/** What this process remembers of the rules with a hold, by id. */
export type HoldMemories = ReadonlyMap<string, HoldMemory & { identity: string }>;

export const NO_HOLDS: HoldMemories = new Map();

interface RulesEvaluation {
  verdicts: Verdict[];
  /** Without the colour that is pretended. They alone begin and end a hold. */
  real: Verdict[];
  /** What the next evaluation needs. */
  next: RulesState;
  holds: HoldMemories;
  /** How soon `next` has to be on the disk. */
  saving: Saving;
}

/** The verdict of each rule. A rule that throws is unknown, and each other one has its verdict. */
export function evaluateRules(
  rules: readonly Rule[],
  given: EvaluationInput,
  settings: RuleSettings,
  previous: RulesState,
  { protect = UNPROTECTED, holds = NO_HOLDS }: { protect?: Protect; holds?: HoldMemories } = {},
): RulesEvaluation {
  const { at, simulation } = given;
  const input = { ...given, values: rememberedReadings(given.values, previous.truths) };
  const official = officialColors(input);
  const isNews = Object.entries(official).some(([date, color]) => previous.official[date] !== color);
  // A hold that an announcement ends is forgotten, with its plan: no forecast that came with it begins another one.
  const memoryOf = isNews
    ? () => NOTHING_HELD
    : (one: RuleToEvaluate) => findMemory(one, previous, holds, at);
  const ordered = inOrder(rules);
  const gathered = gather(ordered, settings, previous, at);
  const isPretended = simulation !== null && canDecide(simulation, at);
  const realInput = isPretended ? createEvaluationInput({ ...input, simulation: null }, previous.at) : input;
  const evaluating = { gathered, reaches: reachesOf(ordered), previous, memoryOf };
  const real = evaluateEach({
    ...evaluating,
    input: realInput,
    real: null,
    protect: (id, run) => protect(isPretended ? `rule ${id} without the simulation` : `rule ${id}`, run),
  });
  const shown = isPretended
    ? evaluateEach({ ...evaluating, input, real, protect: (id, run) => protect(`rule ${id}`, run) })
    : real;
  const kept = nextState(gathered, { shown, real });
  const truths = Object.assign({}, ...[...real.values()].map((one) => one.truths));
  const next = {
    at,
    official: isNews ? official : previous.official,
    truths: isEqual(previous.truths, truths) ? previous.truths : truths,
    rules: isEqual(previous.rules, kept) ? previous.rules : kept,
  };
  const verdictsOf = (evaluated: Evaluated) => rules.map(({ id }) => getOf(evaluated, id).verdict);
  return {
    verdicts: verdictsOf(shown),
    real: verdictsOf(real),
    next,
    holds: remember(gathered, real, holds),
    saving: savingOf(previous, next, shown),
  };
}

const inOrder = memoizeByObject(inOrderOfReference);

/** By its lag a rule looks at a simulation that is over; by its lead at one that is ahead, after the clock was set back. */
function canDecide(simulation: Simulation, at: Instant): boolean {
  return Math.max(simulation.begun - at, at - simulation.until) <= LONGEST_SHIFT;
}

/** Those of yesterday and later. If one is new, or another than before, no rule is held any more: an announcement is never delayed. */
function officialColors({ at, knownDays, tariff }: EvaluationInput): Record<IsoDate, Color> {
  const today = civilDate(at, tariff.time_zone);
  const dates = datesBetween(addDays(today, -1), addDays(today, DAYS_AHEAD));
  return Object.fromEntries(
    dates.flatMap((date): [IsoDate, Color][] => {
      const official = officialColor(knownDays.days[date], date < today);
      return official ? [[date, official.color]] : [];
    }),
  );
}

function findMemory(
  { rule, identity }: RuleToEvaluate,
  previous: RulesState,
  holds: HoldMemories,
  at: Instant,
): HoldMemory {
  const remembered = holds.get(rule.id);
  if (remembered?.identity === identity) return remembered;
  const kept = entryOf(previous.rules, rule.id)?.hold;
  return kept?.identity === identity ? readHold(kept, rule, at) : NOTHING_HELD;
}

/** The same map if it says the same. */
function remember(gathered: readonly RuleToEvaluate[], real: Evaluated, before: HoldMemories): HoldMemories {
  const held = gathered.filter(({ rule }) => rule.hold > 0);
  const isSame = held.every(({ rule: { id }, identity }) => {
    const [{ plan, running, isHeld }, one] = [getOf(real, id).memory, before.get(id)];
    const isSameHold = one?.running === running && one.isHeld === isHeld && one.identity === identity;
    return isSameHold && areSamePlans(one.plan, plan);
  });
  if (isSame && before.size === held.length) return before;
  return new Map(held.map(({ rule: { id }, identity }) => [id, { ...getOf(real, id).memory, identity }]));
}

function areSamePlans(one: Timeline | null, other: Timeline | null): boolean {
  if (one === other || one === null || other === null) return one === other;
  return (
    one.length === other.length &&
    one.every(({ start, end, truth, by }, index) => {
      const span = other[index];
      return span?.start === start && span.end === end && span.truth === truth && span.by === by;
    })
  );
}

interface Evaluating {
  /** Each after those that it refers to. */
  gathered: readonly RuleToEvaluate[];
  reaches: ReturnType<typeof reachesOf>;
  input: EvaluationInput;
  previous: RulesState;
  memoryOf: (one: RuleToEvaluate) => HoldMemory;
  real: Evaluated | null;
  /** Gets the id of the rule. */
  protect: Protect;
}

type Evaluated = ReadonlyMap<string, EvaluatedRule>;

function evaluateEach({ gathered, reaches, memoryOf, protect, ...evaluating }: Evaluating): Evaluated {
  const found = new Map<string, EvaluatedRule>();
  const referred = (id: string) => getOf(found, id);
  for (const one of gathered) {
    const { id } = one.rule;
    const real = evaluating.real && getOf(evaluating.real, id);
    const context = {
      ...evaluating,
      real,
      referred,
      reach: getOf(reaches, id),
      memory: memoryOf(one),
    };
    protect(id, () => {
      const evaluated = evaluateRule(one, context);
      found.set(id, evaluated);
      // The spans before the error stay: the rule is remembered before the error is reported.
      const failed = evaluated.latest.find(({ failure }) => failure !== null);
      if (failed) throw failed.failure?.error;
    });
    if (!found.has(id)) found.set(id, failedRule(one, context));
  }
  return found;
}

function getOf<T>(map: ReadonlyMap<string, T>, id: string): T {
  const value = map.get(id);
  if (value === undefined) throw new RangeError(`Expected a rule with the id ${id}, got none`);
  return value;
}

function nextState(
  gathered: readonly RuleToEvaluate[],
  { shown, real }: { shown: Evaluated; real: Evaluated },
): Record<string, RuleState> {
  return Object.fromEntries(
    gathered.flatMap((one): [string, RuleState][] => {
      const { before, rule } = one;
      const { state, since, reason } = getOf(shown, rule.id).verdict;
      if (reason === "error") return before ? [[rule.id, before]] : [];
      // A rule that only waits for its first values has no verdict yet: the one that they give is its first, and no change.
      if (reason === "waiting" && !before) return [];
      const { memory, verdict } = getOf(real, rule.id);
      if (verdict.reason === "error") return [[rule.id, { ...before, state, since }]];
      const kept = keepHold(memory, one.identity);
      return [[rule.id, { state, since, ...(kept && { hold: kept }) }]];
    }),
  );
}

/** Values turn rules often. That need not be on the disk at once: after a crash they turn them again. */
export type Saving = "now" | "soon" | "with the next write";

function savingOf(previous: RulesState, next: RulesState, evaluated: Evaluated): Saving {
  if (next.rules === previous.rules) return "with the next write";
  if (Object.keys(previous.rules).length !== Object.keys(next.rules).length) return "now";
  const at = next.at ?? 0;
  let saving: Saving = "with the next write";
  for (const [id, { verdict, latest }] of evaluated) {
    const [before, after] = [entryOf(previous.rules, id), entryOf(next.rules, id)];
    if (before && after && !isTurn(before, after)) continue;
    const isOfValue = isByValue(spanAt(verdict.timeline, at)) || isByValue(spanAt(latest, at));
    const isByNews = next.truths !== previous.truths || after?.hold?.turned === at;
    if (!isOfValue || !isByNews) return "now";
    saving = "soon";
  }
  return saving;
}

/** A plan that changes while a hold lasts, and the end of a hold, need no write. */
function isTurn(before: RuleState, after: RuleState): boolean {
  const isHeldAnew = after.hold !== undefined && after.hold.turned !== before.hold?.turned;
  return before.state !== after.state || before.since !== after.since || isHeldAnew;
}

/** No source names a colour so far ahead. */
const DAYS_AHEAD = 9;
