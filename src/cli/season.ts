import { daysBetween, tariffDate } from "../core/calendar/dates.ts";
import { byColor, type IsoDate, type Tariff } from "../core/calendar/tariff.ts";
import { seasonOf, seasonWithLabel } from "../core/calendar/tariff-season.ts";
import type { SeasonInAnswer } from "../core/contract/answer.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import { seasonFacts } from "../core/facts/season-facts.ts";
import { systemClock } from "../runtime/clock.ts";
import { askSources, isFailure } from "./ask-service.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { type Cell, formatTable } from "./table.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie season [LABEL]`: how many days of each colour a season has left. */
export function season(args: string[], io: Io): Promise<number> {
  return toExitCode("season", io, async () => {
    const { file, json, label } = readSeasonArgs(args);
    const answer = await askSources(file, io, ({ ask, findKnown, config: { tariff } }) => {
      const now = tariffDate(systemClock.now(), tariff);
      const find = (known: KnownDays) => knownSeason(label, known, now, tariff);
      if (!ask) return findKnown(null, find);
      return ask({ kind: "season", ...(label !== undefined && { label }) }).catch((error: unknown) => {
        if (isFailure(error)) return findKnown(error, find);
        throw error;
      });
    });
    if (answer === null) {
      throw new CommandFailed(
        `vigie does not know how many days are left of ${label === undefined ? "this season" : `season ${label}`}: it has not learnt each of its days, or tariff.laws is off`,
      );
    }
    if (answer.kind !== "season") return;
    if (json) io.stdout.write(`${JSON.stringify(answer.season, null, 2)}\n`);
    else io.stdout.write(formatSeason(answer.season, io.color), "painted");
  });
}

function readSeasonArgs(args: string[]) {
  const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true });
  const [label, more] = positionals;
  if (more !== undefined) throw new WrongUsage(`Expected one season, got ${positionals.join(" ")}`);
  if (label !== undefined && seasonWithLabel(label) === undefined) {
    throw new WrongUsage(`Expected a season like 2026-2027, got ${label}`);
  }
  return { file: values.config, json: values.json, label };
}

/** The season as vigie counts it, up to the tariff day in force, in the form of an answer; null where it cannot. */
function knownSeason(label: string | undefined, knownDays: KnownDays, now: IsoDate, tariff: Tariff) {
  const asked = (label === undefined ? undefined : seasonWithLabel(label)) ?? seasonOf(now);
  const until = now < asked.end ? now : asked.end;
  const { used, left } = seasonFacts(knownDays, until, tariff);
  if (until < asked.start || !used || !left) return null;
  const days = daysBetween(asked.start, asked.end) + 1;
  // As the service counts them: the day in force is not over.
  const days_elapsed = Math.min(days, daysBetween(asked.start, now));
  const days_remaining = days - days_elapsed;
  const total = byColor((color) => used[color] + left[color]);
  return {
    kind: "season" as const,
    season: { ...asked, remaining: left, total, days_elapsed, days_remaining },
  };
}

const OPTIONS = { config: { type: "string" }, json: { type: "boolean", default: false } } as const;

function formatSeason(said: SeasonInAnswer, painted: boolean): string {
  const { label, start, end, days_elapsed, days_remaining, remaining, total } = said;
  const counts = (["rouge", "blanc", "bleu"] as const).map((color): Cell[] => [
    { text: color, color },
    String(remaining[color]),
    String(total[color]),
  ]);
  const heading = `Season ${label}, ${start} to ${end}: ${count(days_elapsed)} over, ${count(days_remaining)} left\n\n`;
  return heading + formatTable([["colour", "left", "of"], ...counts], painted);
}

function count(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}
