import type { ServiceConfig } from "../config/config.ts";
import type { HistoryDayInAnswer } from "../core/contract/answer.ts";
import type { Log } from "../runtime/log.ts";
import type { AskOnce, AskOptions, Reply } from "./asking.ts";
import type { MemoryKeeper } from "./client-memory.ts";
import { candidateNames, namesWanted, type RangeNames, sameNames } from "./history-names.ts";
import { cutRange, type Range } from "./history-range.ts";
import { RangeIgnored, RequestRefused } from "./service-errors.ts";

interface HistoryOptions {
  setting: ServiceConfig["history_parameters"];
  memory: MemoryKeeper;
  log: Log;
  askOnce: AskOnce;
}

/** The history of a range of any length, in as many requests as that takes. */
export async function askHistory(range: Range, ways: AskOptions, options: HistoryOptions): Promise<Reply> {
  const { start, end } = range;
  const entries: HistoryDayInAnswer[] = [];
  let last: Reply | undefined;
  for (const piece of cutRange(range)) {
    last = await askPiece(piece, ways, options);
    if (last.answer.kind === "history") entries.push(...last.answer.entries);
  }
  if (last === undefined)
    throw new RangeError(`Expected a range that ends after it starts, got ${start} to ${end}`);
  return { ...last, answer: { kind: "history", start, end, entries } };
}

/** One request, under each name the parameters may have, until one is understood. */
async function askPiece(piece: Range, ways: AskOptions, options: HistoryOptions): Promise<Reply> {
  const queue = candidateNames(options.setting, options.memory.get().history_parameters);
  const tried: RangeNames[] = [];
  let refusal: unknown;
  for (let names = queue.shift(); names !== undefined && tried.length < MOST_NAMES; names = queue.shift()) {
    const current = names;
    if (tried.some((other) => sameNames(current, other))) continue;
    tried.push(current);
    try {
      const reply = await options.askOnce({ kind: "history", ...piece }, current, ways);
      rememberNames(current, reply, options);
      return reply;
    } catch (error) {
      refusal = error;
      const next = namesAfter(error, current, options);
      if (next === "none") throw error;
      queue.unshift(...next);
    }
  }
  const words = tried.map(({ start, end }) => `${start}/${end}`).join(", ");
  options.log.warn(
    `No name of the history's dates was understood (${words}): set service.history_parameters`,
  );
  throw refusal;
}

/** A service that asks for new names each time is not followed for ever. */
const MOST_NAMES = 6;

/** Names to try first after a failure; `"none"` where the names are not what is wrong. */
function namesAfter(
  error: unknown,
  names: RangeNames,
  { setting, memory }: HistoryOptions,
): RangeNames[] | "none" {
  if (setting !== "auto") return "none";
  if (error instanceof RangeIgnored) return [];
  if (!(error instanceof RequestRefused) || !NAMES_REFUSED.has(error.status)) return "none";
  const wanted = namesWanted(error.details, names);
  if (typeof wanted === "object") return [wanted];
  const learned = memory.get().history_parameters;
  const worked = learned !== null && sameNames(learned, names);
  return wanted === "ours" || worked ? "none" : [];
}

const NAMES_REFUSED = new Set([400, 422]);

/** An empty list proves nothing: names that were ignored may bring one, too. */
function rememberNames(names: RangeNames, { answer }: Reply, { setting, memory, log }: HistoryOptions): void {
  if (setting !== "auto" || answer.kind !== "history" || answer.entries.length === 0) return;
  const learned = memory.get().history_parameters;
  if (learned !== null && sameNames(learned, names)) return;
  log.info(`The service takes ${names.start} and ${names.end} for the dates of a history`);
  memory.set({ ...memory.get(), history_parameters: names });
}
