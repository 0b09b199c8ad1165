import { addDays } from "../core/calendar/dates.ts";
import type { Color, IsoDate } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import type { Answer, OfficialRequest } from "../core/contract/answer.ts";
import { systemClock } from "../runtime/clock.ts";
import { ServiceError } from "../service/service-errors.ts";
import { type Session, withSession } from "./ask-service.ts";
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
    const said = await withSession(values.config, io, (session, signal) => {
      const date = given ?? (text === "today" ? session.today : addDays(session.today, 1));
      return askBoth(date, session, signal, io);
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
}

/** One source that fails is reported, and the other one is shown. */
async function askBoth(date: IsoDate, session: Session, signal: AbortSignal, io: Io): Promise<SaidOfDay> {
  const failures: string[] = [];
  const unlessItFails = async <Said>(ask: () => Promise<Said | undefined>) => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failures.push(error.message);
      return undefined;
    }
  };
  const [service, rte] = await Promise.all([
    unlessItFails(() => askService(date, session, signal)),
    unlessItFails(() => askRte(date, session, signal)),
  ]);
  if (service === undefined && rte === undefined) throw new CommandFailed(failures.join("; "));
  for (const failure of failures) io.stderr.write(`vigie: ${failure}\n`);
  return { date, service, rte };
}

async function askService(date: IsoDate, { service }: Session, signal: AbortSignal) {
  const reply = await service?.ask({ kind: "date", date }, { signal, essential: true });
  return reply?.answer.kind === "date" ? reply.answer : undefined;
}

async function askRte(date: IsoDate, { official, today }: Session, signal: AbortSignal) {
  if (!official) return undefined;
  const request: OfficialRequest =
    date < today ? { kind: "season", label: seasonOf(date).label } : { kind: "light" };
  const options = { signal, essential: true, trueTime: systemClock.now };
  const { answer, failure } = await official.ask(request, options);
  if (failure) throw failure;
  return answer.words.find((word) => word.date === date)?.color ?? null;
}

function asJson(said: SaidOfDay) {
  const { date, service, rte = null } = said;
  if (!service) return { date, color: rte, is_official: rte !== null };
  const official_by = isOther(said) && service.is_official ? { service: service.day.color, rte } : undefined;
  return { ...service.day, is_official: service.is_official, ...(official_by && { official_by }) };
}

function formatDay(said: SaidOfDay, painted: boolean): string {
  const { date, service, rte = null } = said;
  const byRte: Cell[] = ["RTE says", rte === null ? "nothing yet" : colorCell(rte)];
  if (!service) return formatTable([["date", date], byRte], painted);
  const { day: answered, is_official } = service;
  const rows: Cell[][] = [
    ["date", date],
    ["colour", colorCell(answered.color, answered.raw)],
    ["official", is_official === null ? "the service does not say" : OFFICIAL[`${is_official}`]],
    ["confidence", confidenceCell(answered.confidence)],
    ["hp", rateCell(answered.rates.hp)],
    ["hc", rateCell(answered.rates.hc)],
  ];
  return formatTable(isOther(said) ? [...rows, byRte] : rows, painted);
}

/** RTE names another colour than the service, or names one where the service has no official one. */
function isOther({ service, rte = null }: SaidOfDay): boolean {
  return rte !== null && (!service?.is_official || service.day.color !== rte);
}

const OFFICIAL = { true: "yes", false: "no" };
