import type { Clocks } from "../calendar/clocks.ts";
import { countPoll } from "../facts/poll-record.ts";
import { comparePrices, type PriceDifference } from "../facts/prices.ts";
import { clockBehind, tellTime } from "../facts/source-clocks.ts";
import type { LogLine } from "../log/log-line.ts";
import type { Protect } from "../log/protect.ts";
import { beginIfDue, endIfOver, withoutNews } from "../sources/poll.ts";
import { budgetLine, commandLine, pollLines } from "../sources/poll-lines.ts";
import { isBudgetSpent } from "../sources/request-limits.ts";
import type { PollContext, PollNews, Source, SourcePart } from "../sources/source.ts";
import { gatherFactsInput } from "./facts-input.ts";
import { type Known, say, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";

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
  const { tariff, times, offset, check_clock } = config;
  const { days: knownDays } = known.kept;
  const { clocks } = known.passing;
  const trueTime = tellTime(clocks, knownDays, check_clock, at).at;
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
      known = tellNews(known, source, at, config);
    });
  }
  return known;
}

function tellNews(before: Known, source: Source, at: Clocks, config: LoopConfig): Known {
  const part = partOf(before, source);
  if (!part || part.passing.news.length === 0) return before;
  let known = withPart(before, source, withoutNews(part));
  for (const news of part.passing.news) known = tellOne(known, news, { source, at, config });
  return known;
}

interface NewsContext {
  source: Source;
  at: Clocks;
  config: LoopConfig;
}

function tellOne(known: Known, news: PollNews, { source, at, config }: NewsContext): Known {
  switch (news.kind) {
    case "first failure":
      return say(known, pollLines(source, news.outcome, news.hasAnswered));
    case "command":
      return say(known, [commandLine(source, news.command, news.outcome)]);
    case "polled": {
      const pollCounts = countPoll(known.passing.pollCounts, source.id, news.outcome);
      const isPolled =
        known.passing.isPolled || config.sources.every(({ id }) => known.passing.sources[id]?.isPolled);
      const spent = known.kept.sources[source.id]?.spent;
      const isSpent = spent !== undefined && isBudgetSpent(spent, at.now, source.budget);
      const differences = comparePrices(gatherFactsInput(known, at, config), config.tariff);
      return say(withPassing(known, { pollCounts, isPolled }), [
        ...pollLines(source, news.outcome, news.hasAnswered),
        budgetLine(source, isSpent),
        describePrices(differences),
      ]);
    }
  }
}

/** If the service and the configured table differ, one of the two is out of date; `tariff.rates_first` decides. */
function describePrices([first]: PriceDifference[]): LogLine {
  const problem = "prices";
  if (!first)
    return { problem, isOver: "The prices of the service and those of the configuration agree again" };
  const { color, period, service, configured } = first;
  return {
    problem,
    starts: `The price of ${color} ${period} is ${service} EUR/kWh in the service's answers and ${configured} in tariff.rates: one of the two is out of date`,
  };
}
