import { seasonWithLabel } from "../core/calendar/tariff-season.ts";
import type { SeasonInAnswer } from "../core/contract/answer.ts";
import { askService } from "./ask-service.ts";
import { toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { type Cell, formatTable } from "./table.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie season [LABEL]`: how many days of each colour a season has left. */
export function season(args: string[], io: Io): Promise<number> {
  return toExitCode("season", io, async () => {
    const { file, json, label } = readSeasonArgs(args);
    const answer = await askService(file, io, ({ ask }) =>
      ask({ kind: "season", ...(label !== undefined && { label }) }),
    );
    if (answer.kind !== "season") return;
    io.stdout.write(
      json ? `${JSON.stringify(answer.season, null, 2)}\n` : formatSeason(answer.season, io.color),
    );
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
