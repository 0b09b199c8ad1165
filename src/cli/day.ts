import { addDays } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Answer } from "../core/contract/answer.ts";
import { RequestRefused, ServiceError } from "../service/service-errors.ts";
import { askService, type Service } from "./ask-service.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
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
    const answer = await askService(values.config, io, (service) => {
      const { today } = service;
      return askDate(date ?? (text === "today" ? today : addDays(today, 1)), service);
    });
    if (answer.kind !== "date") return;
    const shown = { ...answer.day, is_official: answer.is_official };
    io.stdout.write(values.json ? `${JSON.stringify(shown, null, 2)}\n` : formatDay(answer, io.color));
  });
}

/** A service refuses a date that it does not know yet, or answers without a colour. */
async function askDate(date: IsoDate, { ask, today }: Service): Promise<Answer> {
  const answer = await ask({ kind: "date", date }).catch((error: unknown) => {
    if (error instanceof RequestRefused && date > today) return error;
    throw error;
  });
  const isKnown = !(answer instanceof Error) && answer.kind === "date" && answer.day.color !== null;
  const last = isKnown || date <= today ? undefined : await askLastDate(ask);
  if (last !== undefined && last < date)
    throw new CommandFailed(`The service does not know ${date} yet: its days are known until ${last}`);
  if (answer instanceof Error) throw answer;
  return answer;
}

/** The last date whose colour the forecasts name; undefined where they name none, or are not answered. */
async function askLastDate(ask: Service["ask"]): Promise<IsoDate | undefined> {
  const answer = await ask({ kind: "forecasts" }).catch((error: unknown) => {
    // What the service says of the date itself is the better reason.
    if (error instanceof ServiceError) return null;
    throw error;
  });
  if (answer?.kind !== "forecasts") return undefined;
  return answer.days
    .flatMap(({ date, color }) => (color === null ? [] : [date]))
    .toSorted()
    .at(-1);
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
