import type { Clocks } from "../calendar/clocks.ts";
import { countPoll } from "../facts/poll-record.ts";
import { clockBehind } from "../facts/source-clocks.ts";
import type { SourceRecord } from "../facts/source-record.ts";
import type { Protect } from "../log/protect.ts";
import { beginIfDue, endIfOver, withoutNews } from "../sources/poll.ts";
import { commandLine, pollLines } from "../sources/poll-lines.ts";
import type { PollContext, PollNews, Source, SourcePart } from "../sources/source.ts";
import { type Known, say, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { timeOf } from "./told-time.ts";

/** What is known of a source; undefined if it is not asked. */
export function partOf({ kept, passing }: Known, { id }: Source): SourcePart | undefined {
  const [keptPart, passingPart] = [kept.sources[id], passing.sources[id]];
  return keptPart && passingPart && { kept: keptPart, passing: passingPart };
}

export function withPart(known: Known, { id }: Source, part: SourcePart): Known {
  const { kept, passing } = known;
  return {
    kept: part.kept === kept.sources[id] ? kept : { ...kept, sources: { ...kept.sources, [id]: part.kept } },
    passing: { ...passing, sources: { ...passing.sources, [id]: part.passing } },
  };
}

export function pollContext(known: Known, source: Source, at: Clocks, config: LoopConfig): PollContext {
  const { tariff, times, offset } = config;
  const { days: knownDays } = known.kept;
  const { clocks } = known.passing;
  const { at: trueTime } = timeOf(known, at, config);
  return {
    source,
    tariff,
    times,
    offset,
    knownDays,
    trueTime,
    behind: clockBehind(clocks, trueTime, at),
  };
}

/** Begins the polls that are due, ends those that have lasted too long, and tells what came of those that are over. */
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
      known = tellNews(known, source, config);
    });
  }
  return known;
}

function tellNews(before: Known, source: Source, config: LoopConfig): Known {
  const part = partOf(before, source);
  if (!part || part.passing.news.length === 0) return before;
  let known = withPart(before, source, withoutNews(part));
  const { record, news } = part.passing;
  for (const one of news) known = tellOne(known, one, { source, record, config });
  return known;
}

interface NewsContext {
  source: Source;
  record: SourceRecord;
  config: LoopConfig;
}

function tellOne(known: Known, news: PollNews, { source, record, config }: NewsContext): Known {
  switch (news.kind) {
    case "first failure":
      return say(known, pollLines(source, news.outcome, news.hasAnswered, record));
    case "command":
      return say(known, [commandLine(source, news.command, news.outcome)]);
    case "polled": {
      const pollCounts = countPoll(known.passing.pollCounts, source.id, news.outcome);
      const mayDecide =
        known.passing.mayDecide || config.sources.every(({ id }) => known.passing.sources[id]?.isPolled);
      return say(
        withPassing(known, { pollCounts, mayDecide }),
        pollLines(source, news.outcome, news.hasAnswered, record),
      );
    }
  }
}
