import { addDays } from "../core/calendar/dates.ts";
import type { Color, IsoDate } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import type { Answer, DayInAnswer } from "../core/contract/answer.ts";
import { type OfficialColor, officialColor } from "../core/days/official-color.ts";
import { RequestRefused, ServiceError } from "../service/service-errors.ts";
import { askSources, isFailure, type Sources } from "./ask-service.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readDate } from "./read-time.ts";
import { type Cell, colorCell, confidenceCell, formatTable, rateCell } from "./table.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie day DATE`: what each source says of one date. */
export function day(args: string[], io: Io): Promise<number> {
  return toExitCode("day", io, async () => {
    const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true });
    const [text, more] = positionals;
    if (text === undefined || more !== undefined) {
      throw new WrongUsage(`Expected one date, got ${positionals.join(" ") || "none"}`);
    }
    const given = text === "today" || text === "tomorrow" ? null : readDate("DATE", text);
    const said = await askSources(values.config, io, (sources) => {
      const { today } = sources;
      return askBoth(given ?? (text === "today" ? today : addDays(today, 1)), sources, io);
    });
    io.stdout.write(values.json ? `${JSON.stringify(asJson(said), null, 2)}\n` : formatDay(said, io.color));
  });
}

const OPTIONS = { config: { type: "string" }, json: { type: "boolean", default: false } } as const;

/** What each source says; undefined: it is not configured, or has failed. */
interface SaidOfDay {
  date: IsoDate;
  service: (Answer & { kind: "date" }) | undefined;
  /** null: it has not named this date. */
  rte: Color | null | undefined;
  /** The simulator invents what `rte` says. */
  isInvented: boolean;
  /** What vigie makes of it; undefined: no source has named an official colour. */
  official: OfficialColor | undefined;
}

/** One source that fails is reported, and the other one is shown. */
async function askBoth(date: IsoDate, sources: Sources, io: Io): Promise<SaidOfDay> {
  const failures: Error[] = [];
  const unlessItFails = async <Said>(ask: () => Promise<Said | undefined>) => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof CommandFailed)) throw error;
      failures.push(error);
      return undefined;
    }
  };
  const [service, rte] = await Promise.all([
    unlessItFails(() => askDate(date, sources)),
    unlessItFails(() => askRte(date, sources)),
  ]);
  const [first] = failures;
  const isInvented = sources.config.official.source === "simulator";
  if (service === undefined && !rte && first) {
    if (!isFailure(first)) throw first;
    const official = await sources.findKnown(first, ({ days }) => officialColor(days[date]) ?? null);
    return { date, service, rte, isInvented, official: official ?? undefined };
  }
  for (const { message } of failures) io.stderr.write(`vigie: ${message}\n`);
  return { date, service, rte, isInvented, official: officialColor(sources.learnt().days[date]) };
}

/** A service refuses a date that it does not know yet, or answers without a colour. */
async function askDate(date: IsoDate, { ask, today }: Sources) {
  if (!ask) return undefined;
  const answer = await ask({ kind: "date", date }).catch((error: unknown) => {
    if (error instanceof RequestRefused && date > today) return error;
    throw error;
  });
  const isKnown = !(answer instanceof Error) && answer.kind === "date" && answer.day.color !== null;
  const last = isKnown || date <= today ? undefined : await askLastDate(ask);
  if (last !== undefined && last < date)
    throw new CommandFailed(`The service does not know ${date} yet: its days are known until ${last}`);
  if (answer instanceof Error) throw answer;
  return answer.kind === "date" ? answer : undefined;
}

/** The last date whose colour the forecasts name; undefined where they name none, or are not answered. */
async function askLastDate(ask: NonNullable<Sources["ask"]>): Promise<IsoDate | undefined> {
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

async function askRte(date: IsoDate, { askOfficial, today }: Sources) {
  if (!askOfficial) return undefined;
  const { words } = await askOfficial(
    date < today ? { kind: "season", label: seasonOf(date).label } : { kind: "light" },
  );
  return words.find((word) => word.date === date)?.color ?? null;
}

function asJson(said: SaidOfDay) {
  const { date, service, rte, official } = said;
  const byRte = rte === undefined ? {} : { rte };
  if (!service) {
    const color = rte ?? official?.color ?? null;
    return { date, color, is_official: color !== null, ...byRte };
  }
  const { day: answered, is_official } = service;
  const byService = isOther(said) ? { service: answered.color } : {};
  const official_by = official?.contradicted ? { service: answered.color, rte } : undefined;
  return {
    ...usedDay(said, answered),
    is_official: official ? true : is_official,
    ...byRte,
    ...byService,
    ...(official_by && { official_by }),
  };
}

/** vigie uses another colour than the service says. */
function isOther({ service, official }: SaidOfDay): boolean {
  return official !== undefined && service !== undefined && official.color !== service.day.color;
}

/** The day with the colour that vigie uses; what else the service says is of another colour then. */
function usedDay(said: SaidOfDay, answered: DayInAnswer): DayInAnswer {
  if (!said.official || !isOther(said)) return answered;
  const unsaid = { raw: null, confidence: null, source: null, explanation: null };
  return { ...answered, ...unsaid, color: said.official.color, rates: { hp: null, hc: null } };
}

function formatDay(said: SaidOfDay, painted: boolean): string {
  const { date, service, rte, isInvented, official } = said;
  const name = isInvented ? "the simulator says" : "RTE says";
  const byRte: Cell[][] = rte === undefined ? [] : [[name, rte === null ? "nothing yet" : colorCell(rte)]];
  if (!service && official && !rte) {
    // Of the state file.
    return formatTable(
      [
        ["date", date],
        ["colour", colorCell(official.color)],
        ["official", "yes"],
      ],
      painted,
    );
  }
  if (!service) return formatTable([["date", date], ...byRte], painted);
  const { day: answered } = service;
  const used = usedDay(said, answered);
  const is_official = official ? true : service.is_official;
  const rows: Cell[][] = [
    ["date", date],
    ["colour", colorCell(used.color, used.raw)],
    ["official", is_official === null ? "the service does not say" : OFFICIAL[`${is_official}`]],
    ["confidence", confidenceCell(used.confidence)],
    ["hp", rateCell(used.rates.hp)],
    ["hc", rateCell(used.rates.hc)],
    ...byRte,
  ];
  const { text: word, color } = colorCell(answered.color, answered.raw);
  const text = service.is_official === false ? `${word} (forecast)` : word;
  if (isOther(said) || official?.contradicted) rows.push(["the service says", { text, color }]);
  if (official?.contradicted) rows.push(["contradiction", `vigie uses ${official.color}`]);
  return formatTable(rows, painted);
}

const OFFICIAL = { true: "yes", false: "no" };
