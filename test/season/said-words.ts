import { wallInstant } from "../../src/core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import { shiftDate } from "../support/intl-wall-clock.ts";

export type SourceName = "service" | "rte";

/** The latest colour that a source named, and whether it did at or after 11:30 of the day before. */
interface Word {
  color: Color;
  first: Instant;
  last: Instant;
  confirmed: boolean;
}

/** What vigie may show of a date. */
interface Shown {
  color: Color;
  confirmed: boolean;
  by: Record<SourceName, Color> | null;
}

/** A second record of the official words that went out to vigie, and a second decision between them. */
export interface SaidWords {
  note: (source: SourceName, date: IsoDate, said: { color: Color; made_at: Instant; now: Instant }) => void;
  wordOf: (source: SourceName, date: IsoDate) => Word | undefined;
  /** `isOver`: the tariff day has ended. */
  shownOf: (date: IsoDate, isOver?: boolean) => Shown | undefined;
  notes: () => number;
}

const EXPENSE: Record<Color, number> = { bleu: 0, blanc: 1, rouge: 2 };

export function recordSaidWords(): SaidWords {
  const words = new Map<string, Word>();
  let notes = 0;
  const wordOf = (source: SourceName, date: IsoDate) => words.get(`${source} ${date}`);
  return {
    notes: () => notes,
    wordOf,
    note: (source, date, { color, made_at, now }) => {
      const confirmed = made_at >= wallInstant(shiftDate(date, -1), "11:30", "Europe/Paris");
      const made = Math.min(made_at, now);
      const word = wordOf(source, date);
      notes += 1;
      if (word?.color === color) {
        const last = Math.max(word.last, made);
        words.set(`${source} ${date}`, { ...word, last, confirmed: word.confirmed || confirmed });
      } else if (!word || made >= word.last) {
        words.set(`${source} ${date}`, { color, first: made, last: made, confirmed });
      }
    },
    shownOf: (date, isOver = false) => {
      const [service, rte] = [wordOf("service", date), wordOf("rte", date)];
      if (!service || !rte || service.color === rte.color) {
        const one = service ?? rte;
        const confirmed = Boolean(service?.confirmed || rte?.confirmed);
        return one && { color: one.color, confirmed, by: null };
      }
      const by = { service: service.color, rte: rte.color };
      if (rte.confirmed) return { color: rte.color, confirmed: true, by };
      const isRteDearer = EXPENSE[rte.color] > EXPENSE[service.color];
      if (service.confirmed && (!isRteDearer || isOver)) return { color: service.color, confirmed: true, by };
      const counting = service.confirmed || isRteDearer ? rte : service;
      return { color: counting.color, confirmed: false, by };
    },
  };
}
