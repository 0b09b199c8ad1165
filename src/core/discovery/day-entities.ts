import { COLORS, PERIODS } from "../calendar/tariff.ts";
import { CIVIL_DAYS, type CivilDay, STAGES } from "../facts/facts.ts";
import type { Row } from "./entity.ts";

/** The day in force, the one after it, and the civil days from today on. */
export function dayEntities(): Row[] {
  return [
    ...dayRows("now", { fr: "en cours", en: "now" }),
    ...NOW_ROWS,
    ...dayRows("next", { fr: "du jour suivant", en: "of the next day" }),
    { topic: "next/at", shape: "instant", fr: "Début du jour suivant", en: "Start of the next day" },
    ...CIVIL_DAYS.flatMap((day) => [...dayRows(day, CIVIL_NAMES[day]), ...civilRows(day, CIVIL_NAMES[day])]),
  ];
}

interface Words {
  fr: string;
  en: string;
}

function dayRows(day: string, { fr, en }: Words): Row[] {
  const isNear = !DISTANT.includes(day);
  return [
    {
      topic: `${day}/color`,
      shape: "choice",
      options: COLORS,
      attributes: day,
      fr: `Couleur ${fr}`,
      en: `Colour ${en}`,
      icon: "mdi:palette",
    },
    {
      topic: `${day}/confidence`,
      shape: "percent",
      icon: "mdi:percent",
      fr: `Confiance, couleur ${fr}`,
      en: `Confidence, colour ${en}`,
    },
    {
      topic: `${day}/stage`,
      shape: "choice",
      options: STAGES,
      icon: "mdi:bullhorn",
      fr: `Étape, couleur ${fr}`,
      en: `Stage, colour ${en}`,
      ...(isNear ? {} : QUIET),
    },
    {
      topic: `${day}/official`,
      shape: "yes_no",
      icon: "mdi:check-decagram",
      fr: `Officielle, couleur ${fr}`,
      en: `Official, colour ${en}`,
      ...(isNear ? {} : QUIET),
    },
    { topic: `${day}/date`, shape: "date", fr: `Date, couleur ${fr}`, en: `Date, colour ${en}`, ...QUIET },
    {
      topic: `${day}/source`,
      shape: "text",
      icon: "mdi:source-branch",
      fr: `Source, couleur ${fr}`,
      en: `Source, colour ${en}`,
      ...QUIET,
    },
  ];
}

function civilRows(day: CivilDay, { fr, en }: Words): Row[] {
  const price = { shape: "price", icon: "mdi:currency-eur", ...QUIET } as const;
  return [
    {
      topic: `${day}/explanation`,
      shape: "text",
      icon: "mdi:text",
      fr: `Explication, couleur ${fr}`,
      en: `Explanation, colour ${en}`,
      ...QUIET,
    },
    { topic: `${day}/rate_hp`, fr: `Prix ${fr}, heures pleines`, en: `Price ${en}, peak`, ...price },
    { topic: `${day}/rate_hc`, fr: `Prix ${fr}, heures creuses`, en: `Price ${en}, off-peak`, ...price },
  ];
}

const QUIET = { quiet: true } as const;

/** Of them most people want the colour and how sure it is. */
const DISTANT = ["today", "d2", "d3", "d4", "d5", "d6", "d7"];

const CIVIL_NAMES: Record<CivilDay, Words> = {
  today: { fr: "d'aujourd'hui", en: "today" },
  tomorrow: { fr: "de demain", en: "tomorrow" },
  d2: { fr: "à J+2", en: "in 2 days" },
  d3: { fr: "à J+3", en: "in 3 days" },
  d4: { fr: "à J+4", en: "in 4 days" },
  d5: { fr: "à J+5", en: "in 5 days" },
  d6: { fr: "à J+6", en: "in 6 days" },
  d7: { fr: "à J+7", en: "in 7 days" },
};

/** From the cheapest to the dearest. */
const SLOTS = COLORS.flatMap((color) => PERIODS.toReversed().map((period) => `${color}_${period}`));

const NOW_ROWS: Row[] = [
  {
    topic: "now/period",
    shape: "choice",
    options: PERIODS,
    icon: "mdi:clock-outline",
    fr: "Période en cours",
    en: "Period now",
  },
  {
    topic: "now/slot",
    shape: "choice",
    options: SLOTS,
    icon: "mdi:calendar-clock",
    fr: "Couleur et période en cours",
    en: "Colour and period now",
  },
  { topic: "now/rate", shape: "price", fr: "Prix en cours", en: "Price now", icon: "mdi:currency-eur" },
  {
    topic: "now/color_until",
    shape: "instant",
    fr: "Fin de la couleur en cours",
    en: "End of the colour now",
  },
  {
    topic: "now/period_until",
    shape: "instant",
    fr: "Fin de la période en cours",
    en: "End of the period now",
  },
];
