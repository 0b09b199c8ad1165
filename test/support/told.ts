import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { Answer } from "../../src/core/contract/answer.ts";

/** What vigie may say of a date, by what it was told. */
export interface Word {
  official: boolean;
  /** More than one where the service's two endpoints disagree; null is "not known". */
  colors: ReadonlySet<Color | null>;
}

/** A naive record of every answer that was delivered whole: of an official colour and of a forecast the latest counts. */
export interface Told {
  hear: (answer: Answer, at: Instant) => void;
  word: (date: IsoDate) => Word;
}

interface Record {
  official?: Color;
  /** By the forecasts, and by the date endpoint. */
  forecast?: { color: Color | null; at: Instant };
  date?: { color: Color; at: Instant };
}

export function createTold(): Told {
  const records = new Map<IsoDate, Record>();
  const note = (date: IsoDate, said: Record) => records.set(date, { ...records.get(date), ...said });
  const hear = (answer: Answer, at: Instant) => {
    if (answer.kind === "forecasts") {
      for (const { date, color } of answer.days) note(date, { forecast: { color, at } });
    } else if (answer.kind === "date") {
      const { date, color } = answer.day;
      if (color === null) return;
      note(date, answer.is_official ? { official: color } : { date: { color, at } });
    } else if (answer.kind === "history") {
      for (const { date, color } of answer.entries) if (color) note(date, { official: color });
    }
  };
  return { hear, word: (date) => wordOf(records.get(date) ?? {}) };
}

function wordOf({ official, forecast, date }: Record): Word {
  if (official) return { official: true, colors: new Set([official]) };
  const colors = new Set<Color | null>();
  if (forecast) colors.add(forecast.color);
  // The date endpoint's word is as good, until the forecasts have had the time to follow.
  if (date && (!forecast || date.at >= forecast.at - DATE_WORD_STANDS)) colors.add(date.color);
  return { official: false, colors: colors.size > 0 ? colors : UNTOLD };
}

const DATE_WORD_STANDS = 2 * 3_600_000;
const UNTOLD: ReadonlySet<Color | null> = new Set([null]);
