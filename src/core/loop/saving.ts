import type { Clocks } from "../calendar/clocks.ts";
import { isEqual } from "../days/is-equal.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { Problem } from "../log/problem.ts";
import type { Saving } from "../rules/evaluate-rules.ts";
import { mqttConditionsIn } from "../rules/rule.ts";
import type { SourceKept } from "../sources/source-kept.ts";
import type { SavedEvent } from "./event.ts";
import { type Kept, type Known, type SavingPart, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";

/** `before`: before a reload. What the disk was given then may not have ended. */
export function startSaving(kept: Kept, before: SavingPart | null, steady: number): SavingPart {
  return {
    given: kept,
    number: 0,
    ended: 0,
    waitsSince: null,
    hangs: before?.hangs ?? false,
    problem: before?.problem ?? null,
    savedAt: steady,
    rulesDueAt: NEVER,
    outputChanges: 0,
    counted: 0,
  };
}

/** The rules were evaluated, and remember something else than before. */
export function noteRules(part: SavingPart, saving: Saving, steady: number): SavingPart {
  if (saving === "with the next write") return part;
  const dueAt = saving === "now" ? steady : steady + TURNS_OF_VALUES_SAVED_WITHIN;
  return { ...part, rulesDueAt: Math.min(part.rulesDueAt, dueAt) };
}

/**
 * Gives the disk what is kept, the whole of it, when something of it is worth a write: SD cards wear out.
 *
 * | change                                    | given to the disk                                                |
 * |-------------------------------------------|------------------------------------------------------------------|
 * | days, seasons, what was sent to devices,  | at once                                                          |
 * | settings, the colour that is pretended,   |                                                                  |
 * | what was learnt of a source, and since    |                                                                  |
 * | when it fails                             |                                                                  |
 * | how many requests were sent               | the first ten after a start at once, then every tenth            |
 * | an answer with the same days              | every 3 hours                                                    |
 * | verdicts and forecasts                    | at once; if values alone changed a verdict, within 5 minutes     |
 * | values heard                              | with the next write; if a rule has a `max_age`, at the latest    |
 * |                                           | three hours after the last write                                 |
 */
export function settleSaving(before: Known, { steady }: Clocks, config: LoopConfig): Known {
  const known = noteHang(before, steady, config);
  const { kept, passing } = known;
  const { saving } = passing;
  const isDue =
    steady >= nextSaving(saving, config) ||
    passing.outputs.changes > saving.outputChanges ||
    areDaysNew(kept.days, saving.given.days) ||
    kept.settings !== saving.given.settings ||
    kept.simulation !== saving.given.simulation ||
    anySource(kept, saving.given, isLearnt);
  if (isDue) return giveToDisk(known, steady, saving.counted);
  const isCountDue = anySource(kept, saving.given, (source, given) =>
    isCounted(source, given, saving.counted),
  );
  return isCountDue ? giveToDisk(known, steady, saving.counted + 1) : known;
}

function giveToDisk(known: Known, steady: number, counted: number): Known {
  const { kept, passing } = known;
  const saving: SavingPart = {
    ...passing.saving,
    given: kept,
    number: passing.saving.number + 1,
    waitsSince: passing.saving.waitsSince ?? steady,
    savedAt: steady,
    rulesDueAt: NEVER,
    outputChanges: passing.outputs.changes,
    counted,
  };
  return { kept, passing: { ...passing, saving } };
}

/** A write has ended (`number` 0: not one of the loop's). */
export function noteEnd(
  known: Known,
  { number, problem }: Pick<SavedEvent, "number" | "problem">,
  steady: number,
): Known {
  const { saving } = known.passing;
  if (number <= saving.ended) return withPassing(known, { saving: { ...saving, problem } });
  const waitsSince = number < saving.number ? steady : null;
  return withPassing(known, { saving: { ...saving, ended: number, waitsSince, hangs: false, problem } });
}

/** A disk that hangs says nothing itself. */
function noteHang(known: Known, steady: number, config: LoopConfig): Known {
  const { saving } = known.passing;
  return steady < (hangsAt(saving, config) ?? NEVER)
    ? known
    : withPassing(known, { saving: { ...saving, hangs: true } });
}

/**
 * By the steady clock, when the disk counts as one that hangs; null: it does already, or no write is under way. The clock of a
 * demo runs so fast that each disk would hang.
 */
export function hangsAt(
  { waitsSince, hangs }: Pick<SavingPart, "waitsSince" | "hangs">,
  { isDemo }: Pick<LoopConfig, "isDemo">,
): number | null {
  return waitsSince === null || hangs || isDemo ? null : waitsSince + HANGS_AFTER;
}

/** Where the state cannot be saved, and why; null if it can. */
export function whyUnsaved({ problem, hangs }: SavingPart): string | null {
  return problem ?? (hangs ? `${HANGS}. ${REMEDY}` : null);
}

/** When time alone makes a write due, by the steady clock. */
export function nextSaving({ rulesDueAt, savedAt }: SavingPart, { rules }: LoopConfig): number {
  const hasAges = rules.some(({ when }) => mqttConditionsIn(when).some(({ max_age }) => max_age !== null));
  return Math.min(rulesDueAt, hasAges ? savedAt + AGES_SAVED_WITHIN : NEVER);
}

/** Most answers bring the same days with another `updated_at`. After a crash the first answer brings that, too. */
function areDaysNew(days: KnownDays, given: KnownDays): boolean {
  const isNew = days.days !== given.days || days.seasons !== given.seasons;
  return isNew || (days.updated_at ?? 0) - (given.updated_at ?? 0) >= ANSWER_SAVED_EVERY;
}

function anySource(
  kept: Kept,
  given: Kept,
  isNew: (kept: SourceKept, given: SourceKept) => boolean,
): boolean {
  const ids = Object.keys(kept.sources) as SourceId[];
  return ids.some((id) => {
    const [now, before] = [kept.sources[id], given.sources[id]];
    return now !== undefined && now !== before && (before === undefined || isNew(now, before));
  });
}

/** The sentence of another failure of today and tomorrow, and the time of another answer, are not worth a write. */
function isLearnt(now: SourceKept, before: SourceKept): boolean {
  const isOlder = Math.abs((now.answered_at ?? 0) - (before.answered_at ?? 0)) >= ANSWER_SAVED_EVERY;
  const isFailing = now.failing?.since !== before.failing?.since;
  return isOlder || isFailing || LEARNT.some((name) => !isEqual(now[name], before[name]));
}

/**
 * The first requests after a start are given one by one, then every tenth. So a vigie that is killed and started again
 * and again keeps to the day's budget, and the state file is not written with each request.
 */
function isCounted({ spent }: SourceKept, { spent: before }: SourceKept, counted: number): boolean {
  if (spent === before) return false;
  // A new day begins at 0, also if the state file has the day before.
  const unsaved = spent.day === before.day ? spent.count - before.count : spent.count;
  return counted < COUNTS_SAVED || unsaved >= COUNTS_SAVED;
}

const LEARNT = ["percent", "history_parameters", "pause", "asked", "failures"] as const;
const COUNTS_SAVED = 10;
const ANSWER_SAVED_EVERY = 3 * 3_600_000;
/**
 * After a power cut a value counts from when the state file says that it was heard. While a service answers, its answers are
 * saved more often than that.
 */
const AGES_SAVED_WITHIN = 3 * 3_600_000;
const TURNS_OF_VALUES_SAVED_WITHIN = 5 * 60_000;
const HANGS_AFTER = 10_000;
const HANGS = "the state folder: its disk has not ended a write for 10 s";
const REMEDY =
  "To fix it: see what the system says of that disk (dmesg); if the folder is on a network share, check that its server answers";
export const HANGING_DISK: Problem = {
  sentence: `The state cannot be saved in ${HANGS}. vigie goes on, but a restart would lose what is new. ${REMEDY}`,
  over: "The disk of the state has ended a write",
};
const NEVER = Number.POSITIVE_INFINITY;
