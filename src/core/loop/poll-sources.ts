import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import { clockBehind } from "../facts/source-clocks.ts";
import type { Protect } from "../log/protect.ts";
import { beginIfDue, endIfOver, nextPoll } from "../sources/poll.ts";
import type { Source, SourceContext, SourcePart } from "../sources/source.ts";
import { type Known, say } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { timeOf } from "./told-time.ts";

/** What is known of a source; undefined if it is not asked. */
export function partOf({ kept, passing }: Known, { id }: Source): SourcePart | undefined {
  const [keptPart, passingPart] = [kept.sources[id], passing.sources[id]];
  return keptPart && passingPart && { kept: keptPart, passing: passingPart };
}

/** What the part says is said with all else. */
export function withPart(before: Known, { id }: Source, part: SourcePart): Known {
  const known = say(before, part.passing.said);
  const { kept, passing } = known;
  const ofSource = part.passing.said.length === 0 ? part.passing : { ...part.passing, said: [] };
  return {
    kept: part.kept === kept.sources[id] ? kept : { ...kept, sources: { ...kept.sources, [id]: part.kept } },
    passing: { ...passing, sources: { ...passing.sources, [id]: ofSource } },
  };
}

/** Each source was polled once since the start, or days are known from before. */
export function mayDecide({ passing }: Known, { sources }: LoopConfig): boolean {
  return passing.hadDays || sources.every(({ id }) => passing.sources[id]?.isPolled);
}

export function pollContext(known: Known, source: Source, at: Clocks, config: LoopConfig): SourceContext {
  const { tariff, pollLines } = config;
  const { days: knownDays } = known.kept;
  const { clocks } = known.passing;
  const { at: trueTime } = timeOf(known, at, config);
  return {
    source,
    tariff,
    pollLines,
    knownDays,
    trueTime,
    behind: clockBehind(clocks, trueTime, at),
  };
}

/** Begins the polls that are due, and ends those that have lasted too long. */
export function settlePolls(
  before: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): Known {
  let known = before;
  for (const source of config.sources) {
    protect(`polls of ${source.speaker}`, () => {
      const part = partOf(known, source);
      if (!part) return;
      const context = pollContext(known, source, at, config);
      const settled = beginIfDue(endIfOver(part, at, context), at, context);
      if (settled !== part) known = withPart(known, source, settled);
    });
  }
  return known;
}

/** When the next poll of a source is due, by this machine's wall clock. */
export function nextPollBoundary(known: Known, at: Clocks, config: LoopConfig): Instant {
  const polls = config.sources.flatMap((source) => {
    const part = partOf(known, source);
    return part ? nextPoll(part, at, pollContext(known, source, at, config)) : [];
  });
  return Math.min(...polls, Number.POSITIVE_INFINITY);
}
