import { nearestInMeaning } from "../config/nearest-word.ts";
import { addDays, tariffDate } from "../core/calendar/dates.ts";
import {
  COLORS,
  type Color,
  fillIn,
  type IsoDate,
  type Rates,
  type Tariff,
} from "../core/calendar/tariff.ts";
import { allowedColors } from "../core/calendar/tariff-laws.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import type { Answer, DayInAnswer } from "../core/contract/answer.ts";
import type { KnownDay } from "../core/days/known-days.ts";
import { isOfficial, type OfficialColor, officialColor } from "../core/days/official-color.ts";
import { contradictingWords, ratesByLaws } from "../core/facts/day-facts.ts";
import { dayRates, NO_RATES } from "../core/facts/rates.ts";
import { systemClock } from "../runtime/clock.ts";
import { RequestRefused, ServiceError } from "../service/service-errors.ts";
import { askSources, FROM_STATE, type Sources } from "./ask-service.ts";
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
    // Also `demain` and `Aujourd'hui`.
    const word = nearestInMeaning(text, WORDS);
    const given = word === undefined ? readDate("DATE", text, WORDS) : null;
    const said = await askSources(values.config, io, (sources) => {
      const { today } = sources;
      return askBoth(given ?? (word === "today" ? today : addDays(today, 1)), sources, io);
    });
    if (values.json) io.stdout.write(`${JSON.stringify(asJson(said), null, 2)}\n`);
    else io.stdout.write(formatDay(said, io.color), "painted");
  });
}

const WORDS = ["today", "tomorrow"];
const OPTIONS = { config: { type: "string" }, json: { type: "boolean", default: false } } as const;

/** What each source says; undefined: it is not configured, or has failed. */
interface SaidOfDay {
  date: IsoDate;
  service: (Answer & { kind: "date" }) | undefined;
  /** null: it has not named this date. */
  rte: Color | null | undefined;
  /** The simulator invents what `rte` says. */
  isInvented: boolean;
  /** What vigie knows of the date then; undefined: nothing. */
  known: KnownDay | undefined;
  tariff: Tariff;
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
  const { days } = await sources.learnt();
  const known = days[date];
  const [first] = failures;
  const isAnswered = service !== undefined || Boolean(rte);
  if (first && !isAnswered && !isOfficial(known)) throw first;
  const origin = isAnswered ? "" : FROM_STATE;
  for (const { message } of failures) io.stderr.write(`vigie: ${message}${origin}\n`);
  const { official, tariff } = sources.config;
  return { date, service, rte, isInvented: official.source === "simulator", known, tariff };
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
  const words = await askOfficial(
    date < today ? { kind: "season", label: seasonOf(date).label } : { kind: "light" },
  );
  return words.find((word) => word.date === date)?.color ?? null;
}

/** The official colour that vigie uses. */
function usedColor({ date, known, tariff }: SaidOfDay): OfficialColor | undefined {
  return officialColor(known, date < tariffDate(systemClock.now(), tariff));
}

function asJson(said: SaidOfDay) {
  const { date, service, rte, known } = said;
  const official = usedColor(said);
  const words = contradictingWords(known);
  const more = { ...(rte !== undefined && { rte }), ...(words && { official_by: words }) };
  if (!service) {
    const color = official?.color ?? null;
    return { date, color, is_official: official !== undefined, rates: ratesOf(said, color), ...more };
  }
  const { day: answered, is_official } = service;
  const byService = isOther(said) ? { service: answered.color } : {};
  return { ...usedDay(said, answered), is_official: official ? true : is_official, ...byService, ...more };
}

/** vigie uses another colour than the service says. */
function isOther(said: SaidOfDay): boolean {
  const { service } = said;
  const official = usedColor(said);
  return official !== undefined && service !== undefined && official.color !== service.day.color;
}

/** The day with the colour that vigie uses; what else the service says is of another colour then. */
function usedDay(said: SaidOfDay, answered: DayInAnswer): DayInAnswer {
  const official = usedColor(said);
  if (!official || !isOther(said))
    return { ...answered, rates: ratesOf(said, answered.color, answered.rates) };
  const unsaid = { raw: null, confidence: null, source: null, explanation: null };
  return { ...answered, ...unsaid, color: official.color, rates: ratesOf(said, official.color) };
}

/** As the page shows them: what the service said of a day of this colour (`answered`: just now), and `tariff.rates`. */
function ratesOf({ date, known = {}, tariff }: SaidOfDay, color: Color | null, answered = NO_RATES): Rates {
  if (color !== null) return dayRates(date, color, known, tariff, answered);
  return fillIn(answered, ratesByLaws(date, tariff));
}

function formatDay(said: SaidOfDay, painted: boolean): string {
  const { date, service, rte, isInvented, known } = said;
  const official = usedColor(said);
  const words = contradictingWords(known);
  const rows: Cell[][] = [["date", date]];
  if (service) rows.push(...serviceRows(said, service));
  else if (official) {
    const rates = rateRows(ratesOf(said, official.color));
    rows.push(["colour", colorCell(official.color)], ["official", "yes"], ...rates);
  } else rows.push(["colour", colorCell(null)], ...rateRows(ratesOf(said, null)));
  rows.push(...lawsRows(said));
  const name = isInvented ? "the simulator says" : "RTE says";
  if (rte !== undefined) rows.push([name, rte === null ? "nothing yet" : colorCell(rte)]);
  if (service && (isOther(said) || words)) {
    const { text: word, color } = colorCell(service.day.color, service.day.raw);
    rows.push([
      "the service says",
      { text: service.is_official === false ? `${word} (forecast)` : word, color },
    ]);
  }
  if (words && official) {
    const both = `RTE named ${words.rte}, the service ${words.service}`;
    rows.push(["contradiction", `${both}; vigie uses ${official.color}`]);
  }
  return formatTable(rows, painted);
}

function serviceRows(said: SaidOfDay, { day, is_official }: Answer & { kind: "date" }): Cell[][] {
  const used = usedDay(said, day);
  const official = isOfficial(said.known) ? true : is_official;
  return [
    ["colour", colorCell(used.color, used.raw)],
    ["official", official === null ? "the service does not say" : OFFICIAL[`${official}`]],
    ["confidence", confidenceCell(used.confidence)],
    ...rateRows(used.rates),
  ];
}

/** What a day whose colour nobody has named can only be. */
function lawsRows({ date, tariff, known, service }: SaidOfDay): Cell[][] {
  if (isOfficial(known) || service?.day.color) return [];
  const allowed = allowedColors(date, tariff.laws);
  return allowed.length < COLORS.length ? [["by the laws", `it can only be ${allowed.join(" or ")}`]] : [];
}

function rateRows({ hp, hc }: Rates): Cell[][] {
  return [
    ["hp", rateCell(hp)],
    ["hc", rateCell(hc)],
  ];
}

const OFFICIAL = { true: "yes", false: "no" };
