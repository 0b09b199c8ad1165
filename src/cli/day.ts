import { addDays } from "../core/calendar/dates.ts";
import type { Answer } from "../core/contract/answer.ts";
import { askOnce } from "./ask-service.ts";
import { toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readDate } from "./read-time.ts";
import { colorCell, confidenceCell, formatTable, rateCell } from "./table.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie day DATE`: what the service says of one date. */
export function day(args: string[], io: Io): Promise<number> {
  return toExitCode("day", io, async () => {
    const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true });
    const [text, more] = positionals;
    if (text === undefined || more !== undefined) {
      throw new WrongUsage(`Expected one date, got ${positionals.join(" ") || "none"}`);
    }
    const date = text === "today" || text === "tomorrow" ? null : readDate("DATE", text);
    const answer = await askOnce(values.config, io, ({ today }) => ({
      kind: "date",
      date: date ?? (text === "today" ? today : addDays(today, 1)),
    }));
    if (answer.kind !== "date") return;
    const shown = { ...answer.day, is_official: answer.is_official };
    io.stdout.write(values.json ? `${JSON.stringify(shown, null, 2)}\n` : formatDay(answer, io.color));
  });
}

const OPTIONS = { config: { type: "string" }, json: { type: "boolean", default: false } } as const;

function formatDay({ day: said, is_official }: Answer & { kind: "date" }, painted: boolean): string {
  const rows = [
    ["date", said.date],
    ["colour", colorCell(said.color, said.raw)],
    ["official", is_official === null ? "the service does not say" : OFFICIAL[`${is_official}`]],
    ["confidence", confidenceCell(said.confidence)],
    ["hp", rateCell(said.rates.hp)],
    ["hc", rateCell(said.rates.hc)],
  ];
  return formatTable(rows, painted);
}

const OFFICIAL = { true: "yes", false: "no" };
