import { z } from "zod";
import { civilDate as dateIn } from "../core/calendar/dates.ts";
import type { PriceRow, Tariff } from "../core/calendar/tariff.ts";
import { nearest } from "./nearest-word.ts";
import { offPeakOptions } from "./off-peak-options.ts";
import { civilDate, numberFrom, wallTime } from "./value-schemas.ts";

const timeZone = z.string({ error: "the name of a time zone, such as Europe/Paris" }).refine(isTimeZone, {
  error: (issue) => `the name of a time zone, such as ${zoneLike(String(issue.input))}`,
});

function isTimeZone(name: string): boolean {
  try {
    return dateIn(0, name) !== "";
  } catch {
    return false;
  }
}

function zoneLike(name: string): string {
  const zones = Intl.supportedValuesOf("timeZone");
  return nearest(name, zones) ?? zones.find((zone) => zone.endsWith(`/${name}`)) ?? "Europe/Paris";
}

const price = numberFrom(0, 5, "a price in EUR/kWh from 0 to 5, such as 0.1654");
const prices = z.strictObject({
  hp: price.meta({ description: "Price of a peak hour." }),
  hc: price.meta({ description: "Price of an off-peak hour." }),
});

const rates = z
  .array(
    z.strictObject({
      from: civilDate.meta({ description: "Date whose day start these prices begin with." }),
      bleu: prices.meta({ description: "Prices of a bleu day." }),
      blanc: prices.meta({ description: "Prices of a blanc day." }),
      rouge: prices.meta({ description: "Prices of a rouge day." }),
    }),
    { error: "a list of price rows, each with from, bleu, blanc and rouge" },
  )
  .superRefine((rows, context) => {
    for (const [index, row] of rows.entries()) {
      if (rows.findIndex(({ from }) => from === row.from) === index) continue;
      context.addIssue({ code: "custom", path: [index, "from"], message: "a date that no earlier row has" });
    }
  })
  .transform((rows) => rows.toSorted((one, other) => (one.from < other.from ? -1 : 1)));

/** EDF Tempo, taxes included. */
export const RATES_2026: [PriceRow, ...PriceRow[]] = [
  {
    from: "2026-02-01",
    bleu: { hp: 0.1612, hc: 0.1325 },
    blanc: { hp: 0.1871, hc: 0.1499 },
    rouge: { hp: 0.706, hc: 0.1575 },
  },
  {
    from: "2026-08-01",
    bleu: { hp: 0.1654, hc: 0.1356 },
    blanc: { hp: 0.1921, hc: 0.1536 },
    rouge: { hp: 0.7295, hc: 0.1615 },
  },
];

export const tariffOptions = z
  .strictObject({
    time_zone: timeZone.prefault("Europe/Paris").meta({
      description:
        "Time zone of the tariff: all its hours are read on this zone's wall clock, whatever the machine's zone. Default Europe/Paris.",
    }),
    day_starts_at: wallTime.default("06:00").meta({
      description:
        'When a day\'s colour begins; it holds until the same time of the next day. Default "06:00", as in EDF Tempo.',
    }),
    off_peak: offPeakOptions.prefault(["22:00-06:00"]).meta({
      description:
        'Off-peak hours (hc); several windows allowed. Default ["22:00-06:00"], as in EDF Tempo; your own contract says which. If they depend on the month or the weekday, a list of rows: the first one that fits the date counts, and the last one fits every date.',
    }),
    laws: z.enum(["tempo", "off"]).default("tempo").meta({
      description:
        "What the tariff allows on which date. Default tempo: rouge only from November to March, Monday to Friday, on no public holiday; blanc on no Sunday. off for another tariff.",
    }),
    rates_first: z.enum(["service", "owner"]).default("service").meta({
      description:
        "Whose price counts where both have one; a difference is logged. Default service: it follows a price change by itself.",
    }),
    rates: rates.prefault(RATES_2026).meta({
      description:
        "Your own prices in EUR/kWh, taxes included; of all rows the newest that has begun counts. Default: the two rows of 2026, for the days whose price the service leaves out.",
    }),
  })
  .prefault({})
  .meta({ description: "The tariff, as your own contract says." });

/** Without a service nobody says how many days of each colour a season has. */
export function finishTariff(tariff: z.output<typeof tariffOptions>, base_url: string): Tariff {
  return base_url === "none" ? { ...tariff, assume_season_total: true } : tariff;
}
