import { COLORS, PERIODS } from "../calendar/tariff.ts";
import { OUTLOOKS, STAGES } from "../facts/facts.ts";
import type { Row } from "./entity.ts";

/** Yes or no, at this moment. */
export const FLAG_ENTITIES: readonly Row[] = [
  { topic: "rouge_now", shape: "yes_no", fr: "Rouge en cours", en: "Rouge now", icon: "mdi:alert" },
  {
    topic: "rouge_next",
    shape: "yes_no",
    fr: "Rouge le jour suivant",
    en: "Rouge next",
    icon: "mdi:alert-outline",
  },
  {
    topic: "rouge_hp_now",
    shape: "yes_no",
    icon: "mdi:flash-alert",
    fr: "Heures pleines rouges en cours",
    en: "Rouge peak hours now",
  },
  {
    topic: "offpeak",
    shape: "yes_no",
    fr: "Heures creuses",
    en: "Off-peak hours",
    icon: "mdi:weather-night",
  },
  {
    topic: "rouge_today",
    shape: "yes_no",
    fr: "Rouge aujourd'hui",
    en: "Rouge today",
    icon: "mdi:calendar-today",
  },
  {
    topic: "rouge_tomorrow",
    shape: "yes_no",
    fr: "Rouge demain",
    en: "Rouge tomorrow",
    icon: "mdi:calendar-alert",
  },
  {
    topic: "announcement/stage",
    shape: "choice",
    options: STAGES,
    icon: "mdi:bullhorn",
    fr: "Étape de l'annonce",
    en: "Stage of the announcement",
  },
  { topic: "announcement/date", shape: "date", fr: "Date de l'annonce", en: "Date announced", quiet: true },
  { topic: "announcement/late", shape: "problem", fr: "Annonce en retard", en: "Announcement late" },
];

/** What stays true whenever it is read. */
export const DATED_ENTITIES: readonly Row[] = [
  { topic: "yesterday/date", shape: "date", fr: "Date d'hier", en: "Date of yesterday", quiet: true },
  {
    topic: "yesterday/color",
    shape: "choice",
    options: COLORS,
    icon: "mdi:palette",
    attributes: "yesterday",
    fr: "Couleur d'hier",
    en: "Colour yesterday",
  },
  {
    topic: "yesterday/predicted_color",
    shape: "choice",
    options: COLORS,
    icon: "mdi:crystal-ball",
    fr: "Couleur d'hier, comme prévue",
    en: "Colour yesterday, as forecast",
    quiet: true,
  },
  {
    topic: "yesterday/prediction_confidence",
    shape: "percent",
    icon: "mdi:percent",
    fr: "Confiance, prévision d'hier",
    en: "Confidence, forecast of yesterday",
    quiet: true,
  },
  {
    topic: "next_change/color",
    shape: "instant",
    fr: "Prochain changement de couleur",
    en: "Next change of colour",
  },
  {
    topic: "next_change/period",
    shape: "instant",
    fr: "Prochain changement de période",
    en: "Next change of period",
  },
  {
    topic: "next_change/rate",
    shape: "instant",
    fr: "Prochain changement de prix",
    en: "Next change of price",
  },
  ...["rouge", "blanc"].flatMap(sightingRows),
  {
    topic: "forecast",
    shape: "list",
    attributes: "forecast",
    fr: "Prévisions du",
    en: "Forecast of",
    icon: "mdi:calendar-week",
  },
  ...COLORS.flatMap(priceRows),
  {
    topic: "prices/source",
    shape: "choice",
    options: ["service", "owner"],
    icon: "mdi:source-branch",
    fr: "Source des prix",
    en: "Source of the prices",
    category: "diagnostic",
    quiet: true,
  },
];

function sightingRows(color: string): Row[] {
  const words = { fr: `Prochain jour ${color}`, en: `Next ${color} day` };
  return [
    { topic: `next_${color}/date`, shape: "date", ...words, icon: "mdi:calendar-search" },
    {
      topic: `next_${color}/confidence`,
      shape: "percent",
      icon: "mdi:percent",
      fr: `Confiance, ${words.fr.toLowerCase()}`,
      en: `Confidence, ${words.en.toLowerCase()}`,
    },
    {
      topic: `next_${color}/outlook`,
      shape: "choice",
      options: OUTLOOKS,
      icon: "mdi:telescope",
      fr: `Perspective, ${words.fr.toLowerCase()}`,
      en: `Outlook, ${words.en.toLowerCase()}`,
      quiet: true,
    },
  ];
}

function priceRows(color: string): Row[] {
  const names = { hp: { fr: "heures pleines", en: "peak" }, hc: { fr: "heures creuses", en: "off-peak" } };
  return PERIODS.map((period) => ({
    topic: `prices/${color}_${period}`,
    shape: "price",
    icon: "mdi:currency-eur",
    fr: `Prix ${color}, ${names[period].fr}`,
    en: `Price ${color}, ${names[period].en}`,
  }));
}
