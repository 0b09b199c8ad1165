import { addDays } from "../../src/core/calendar/dates.ts";
import type { Color, IsoDate, Rates } from "../../src/core/calendar/tariff.ts";
import type {
  KnownDay,
  KnownDays,
  KnownForecast,
  OfficialWord,
  ServiceWord,
} from "../../src/core/days/known-days.ts";
import { NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import type { FactsInput } from "../../src/core/facts/facts.ts";
import { NEVER_ASKED, type SourceRecord } from "../../src/core/facts/source-record.ts";

const NO_RATES: Rates = { hp: null, hc: null };
const SEEN_AT = Date.parse("2026-01-01T00:00:00Z");

/** An official colour that the service has named. */
export function official(
  color: Color,
  { revised_from, ...more }: Partial<ServiceWord> & { revised_from?: Color } = {},
): KnownDay {
  const service_word = { color, rates: NO_RATES, first_said: SEEN_AT, confirmed: true, ...more };
  return revised_from === undefined ? { service_word } : { service_word, revised_from };
}

/** An official colour that RTE has named. */
export function saidByRte(color: Color, more: Partial<OfficialWord> = {}): KnownDay {
  return { rte_word: { color, first_said: SEEN_AT, confirmed: true, ...more } };
}

export function forecast(color: Color | null, more: Partial<KnownForecast> = {}): KnownDay {
  return {
    forecast: {
      color,
      raw: null,
      confidence: 0.8,
      source: "model",
      explanation: "cold and no wind",
      rates: NO_RATES,
      said_at: SEEN_AT,
      seen_at: SEEN_AT,
      ...more,
    },
  };
}

export function knownDaysOf(days: Record<IsoDate, KnownDay>, more: Partial<KnownDays> = {}): KnownDays {
  return { ...NO_KNOWN_DAYS, days, ...more };
}

/** Official days from one date to another: bleu but for those named. */
export function officialDays(
  from: IsoDate,
  to: IsoDate,
  named: Record<IsoDate, Color> = {},
): Record<IsoDate, KnownDay> {
  const days: Record<IsoDate, KnownDay> = {};
  for (let date = from; date <= to; date = addDays(date, 1)) days[date] = official(named[date] ?? "bleu");
  return days;
}

/** What is known at an instant, with a service that answered a minute ago; null: there is none. */
export function factsInputAt(
  instant: string | number,
  knownDays: KnownDays,
  service: Partial<SourceRecord> | null = {},
): FactsInput {
  const at = typeof instant === "number" ? instant : Date.parse(instant);
  return {
    knownDays,
    service: service && { ...NEVER_ASKED, answered_at: at - 60_000, ...service },
    isInvented: false,
    clock: { at, right: true },
    official: null,
    simulation: null,
    failed_outputs: [],
    vigie_failed: false,
    late_after: "12:00",
  };
}
