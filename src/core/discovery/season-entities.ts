import { COLORS } from "../calendar/tariff.ts";
import type { Row } from "./entity.ts";

/** The season's counters: as the service says, and as vigie counts. */
export const SEASON_ENTITIES: readonly Row[] = [
  {
    topic: "season/label",
    shape: "text",
    icon: "mdi:calendar-range",
    attributes: "season",
    fr: "Saison",
    en: "Season",
  },
  { topic: "season/start", shape: "date", fr: "Début de saison", en: "Start of the season", quiet: true },
  { topic: "season/end", shape: "date", fr: "Fin de saison", en: "End of the season", quiet: true },
  {
    topic: "season/days_elapsed",
    shape: "days",
    icon: "mdi:counter",
    fr: "Jours écoulés de la saison",
    en: "Days of the season so far",
    quiet: true,
  },
  {
    topic: "season/days_remaining",
    shape: "days",
    icon: "mdi:counter",
    fr: "Jours restants de la saison",
    en: "Days left of the season",
  },
  ...countRows("left", { fr: "Jours {color} à venir", en: "{color} days left" }),
  ...countRows("used", { fr: "Jours {color} passés", en: "{color} days used" }),
  ...countRows("remaining", {
    fr: "Jours {color} restants selon le service",
    en: "{color} days left, says the service",
  }),
  ...countRows(
    "total",
    { fr: "Jours {color} de la saison", en: "{color} days of the season" },
    { quiet: true },
  ),
];

function countRows(count: string, { fr, en }: Pick<Row, "fr" | "en">, more: Partial<Row> = {}): Row[] {
  return COLORS.toReversed().map((color) => ({
    topic: `season/${count}/${color}`,
    shape: "days",
    icon: "mdi:counter",
    fr: fr.replace("{color}", `${color}s`),
    en: en.replace("{color}", capital(color)),
    ...more,
  }));
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
