import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import { type PlainAnswer, startPlainService } from "./plain-service.ts";
import type { Cleanup } from "./vigie.ts";

const WORDS = { bleu: "BLUE", blanc: "WHITE" } as const;

/** RTE, written by hand: each day of the season is bleu, and today and tomorrow are as given. */
function answerOfRte(path: string, ahead: keyof typeof WORDS): PlainAnswer {
  const today = civilDate(Date.now(), "Europe/Paris");
  const values: Record<string, string> = {};
  if (path === "/tempoLight") {
    for (const date of [today, addDays(today, 1)]) values[date] = WORDS[ahead];
  } else {
    const label = /^\/tempo\?season=(\d{4}-\d{4})$/.exec(path)?.[1] ?? "";
    for (let date = `${label.slice(0, 4)}-09-01`; date < today; date = addDays(date, 1))
      values[date] = "BLUE";
  }
  return { body: { values }, headers: { date: new Date().toUTCString() } };
}

export async function serveRte(cleanup: Cleanup, ahead: keyof typeof WORDS) {
  const rte = await startPlainService((path) => answerOfRte(path, ahead));
  cleanup.add(rte.stop);
  return rte;
}
