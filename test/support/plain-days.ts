import { createIntlWallClock, shiftDate } from "../support/intl-wall-clock.ts";
import type { PlainAnswer } from "../support/plain-service.ts";

export interface PlainDays {
  /** The colours that are not bleu. */
  colors: Record<string, string>;
  /** From when on the day before a colour is official, on the wall in Paris. */
  officialAt?: string;
  /** How sure it is of a day that is not official; whole percent. */
  confidence?: number;
}

/** What a forecast service written by hand answers at an instant: every day is foreseen, and official from the day before. */
export function answerDays(path: string, at: number, days: PlainDays): PlainAnswer {
  const { colors, officialAt = "06:35", confidence = 99 } = days;
  const { date: today, time } = wall(at);
  const say = (ahead: number) => {
    const date = shiftDate(today, ahead);
    return { date, color: colors[date] ?? "bleu", confidence };
  };
  if (path === "/v1/public") {
    return { body: { today: say(0), tomorrow: say(1), forecast: [2, 3, 4, 5, 6, 7].map(say) } };
  }
  if (path.startsWith("/v1/public/history")) return { body: [] };
  if (path.startsWith("/v1/public/season")) return { body: SEASON };
  const date = /^[/]v1[/]public[/](\d{4}-\d\d-\d\d)$/.exec(path)?.[1];
  if (date === undefined) return { status: 422, body: { detail: [] } };
  const isOfficial = date <= today || (date === shiftDate(today, 1) && time >= officialAt);
  return { body: { date, color: colors[date] ?? "bleu", confidence, is_official: isOfficial } };
}

const wall = createIntlWallClock("Europe/Paris");

/** Nothing here is about seasons. */
const COUNTS = { rouge: 22, blanc: 43, bleu: 300 };
const SEASON = {
  season: "2025-2026",
  start_date: "2025-09-01",
  end_date: "2026-08-31",
  remaining: COUNTS,
  total: COUNTS,
  days_elapsed: 100,
  days_remaining: 265,
};
