import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { Answer } from "../../src/core/contract/answer.ts";

/** The colours that vigie may publish for a date after the answers that it received. */
export interface AllowedColors {
  official: boolean;
  /** More than one if the two endpoints of the service disagree; null means "not known". */
  colors: ReadonlySet<Color | null>;
}

/** A simple record of each complete answer: of the official colours and of the forecasts, the latest counts. */
export interface DeliveredAnswers {
  record: (answer: Answer, at: Instant) => void;
  allowedColors: (date: IsoDate) => AllowedColors;
}

interface DateRecord {
  official?: Color;
  /** By the forecasts, and by the date endpoint. */
  forecast?: { color: Color | null; at: Instant };
  date?: { color: Color; at: Instant };
}

export function recordDeliveredAnswers(): DeliveredAnswers {
  const records = new Map<IsoDate, DateRecord>();
  const note = (date: IsoDate, said: DateRecord) => records.set(date, { ...records.get(date), ...said });
  const record = (answer: Answer, at: Instant) => {
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
  return { record, allowedColors: (date) => allowedColorsOf(records.get(date) ?? {}) };
}

function allowedColorsOf({ official, forecast, date }: DateRecord): AllowedColors {
  if (official) return { official: true, colors: new Set([official]) };
  const colors = new Set<Color | null>();
  if (forecast) colors.add(forecast.color);
  // The date endpoint counts as much, until the forecasts have had the time to change.
  if (date && (!forecast || date.at >= forecast.at - DATE_ANSWER_COUNTS)) colors.add(date.color);
  return { official: false, colors: colors.size > 0 ? colors : NOT_KNOWN };
}

const DATE_ANSWER_COUNTS = 2 * 3_600_000;
const NOT_KNOWN: ReadonlySet<Color | null> = new Set([null]);
