import { COLORS, PERIODS } from "../calendar/tariff.ts";
import {
  CIVIL_DAYS,
  type CivilDay,
  OFFICIAL_STATUSES,
  OUTLOOKS,
  PROBLEM_CODES,
  SERVICE_STATUSES,
} from "../facts/facts.ts";
import type { Output } from "../outputs/output.ts";
import { OUTPUT_STATES } from "../outputs/output-status.ts";
import type { Rule } from "../rules/rule.ts";
import type { Icon, Shape } from "./value-kinds.ts";

/** One row of the table: the entity that Home Assistant makes of one topic. */
export interface Entity extends Extras {
  /** Below the base topic; the key and every id follow from it, so renaming one breaks dashboards. */
  topic: string;
  shape: Shape;
  kind: Kind;
  /** Its name in both languages. */
  fr: string;
  en: string;
}

/**
 * When the entity becomes unavailable. `moment`: its value is true until the next boundary, so it is unavailable once
 * vigie has been gone for `mqtt.grace`; `command`: the same, because it does nothing without vigie; `dated`: its value is
 * true whenever it is read, so it is never unavailable.
 */
export type Kind = "moment" | "dated" | "command";

interface Extras {
  icon?: Icon;
  /** Every state that it can have, in the order in which a person expects them. */
  options?: readonly string[];
  /** About vigie itself, not about the days. */
  category?: "config" | "diagnostic";
  /** Few people need it: Home Assistant creates it disabled. */
  disabled?: boolean;
  /** The topic whose JSON object is shown as its attributes. */
  attributes?: string;
  /** The topic of its commands, if not its own topic and `/set`. */
  command?: string;
}

export type RuleToShow = Pick<Rule, "id" | "name" | "threshold">;
export type OutputToShow = Pick<Output, "id" | "name">;

/** `now/color` is `now_color`. */
export function keyOf({ topic }: Pick<Entity, "topic">): string {
  return topic.replaceAll("/", "_");
}

/** The whole table, in the order of the discovery messages. */
export function listEntities(rules: readonly RuleToShow[], outputs: readonly OutputToShow[]): Entity[] {
  return [
    ...NOW,
    ...NEXT,
    ...CIVIL_DAYS.flatMap((day) => civilDay(day, ...CIVIL_NAMES[day])),
    ...FLAGS,
    ...YESTERDAY,
    ...NEXT_DATES,
    ...PRICES,
    ...SEASON,
    ...rules.flatMap(ruleEntities),
    ...outputs.map(outputEntity),
    ...COMMANDS_AND_EVENTS,
    ...SERVICE,
  ];
}

type MakeRow = (topic: string, shape: Shape, fr: string, en: string, extras?: Extras) => Entity;
const rowOf =
  (kind: Kind): MakeRow =>
  (topic, shape, fr, en, extras = {}) => ({ topic, shape, kind, fr, en, ...extras });
const moment = rowOf("moment");
const dated = rowOf("dated");
const command = rowOf("command");

const DISABLED = { disabled: true } as const;

/** From the cheapest to the most expensive. */
const SLOTS = COLORS.flatMap((color) => PERIODS.toReversed().map((period) => `${color}_${period}`));

const NOW: readonly Entity[] = [
  ...day("now", "en cours", "now"),
  moment("now/period", "choice", "Période en cours", "Period now", {
    options: PERIODS,
    icon: "mdi:clock-outline",
  }),
  moment("now/slot", "choice", "Couleur et période en cours", "Colour and period now", {
    options: SLOTS,
    icon: "mdi:calendar-clock",
  }),
  moment("now/rate", "price", "Prix en cours", "Price now"),
  moment("now/color_until", "instant", "Fin de la couleur en cours", "End of the colour now"),
  moment("now/period_until", "instant", "Fin de la période en cours", "End of the period now"),
];

const NEXT: readonly Entity[] = [
  ...day("next", "du jour suivant", "of the next day"),
  moment("next/at", "instant", "Début du jour suivant", "Start of the next day"),
];

/** Of most days most people want the colour and its confidence only. */
function day(name: string, fr: string, en: string): Entity[] {
  const isDistant = !["now", "next", "tomorrow"].includes(name);
  return [
    moment(`${name}/color`, "color", `Couleur ${fr}`, `Colour ${en}`, { attributes: name }),
    moment(`${name}/confidence`, "percent", `Confiance, couleur ${fr}`, `Confidence, colour ${en}`),
    moment(`${name}/stage`, "stage", `Statut, couleur ${fr}`, `Stage, colour ${en}`, { disabled: isDistant }),
    moment(`${name}/official`, "yes_no", `Officielle, couleur ${fr}`, `Official, colour ${en}`, {
      icon: "mdi:check-decagram",
      disabled: isDistant,
    }),
    moment(`${name}/date`, "date", `Date, couleur ${fr}`, `Date, colour ${en}`, DISABLED),
    moment(`${name}/source`, "text", `Source, couleur ${fr}`, `Source, colour ${en}`, {
      icon: "mdi:source-branch",
      disabled: true,
    }),
  ];
}

const CIVIL_NAMES: Record<CivilDay, [fr: string, en: string]> = {
  today: ["d'aujourd'hui", "today"],
  tomorrow: ["de demain", "tomorrow"],
  d2: ["à J+2", "in 2 days"],
  d3: ["à J+3", "in 3 days"],
  d4: ["à J+4", "in 4 days"],
  d5: ["à J+5", "in 5 days"],
  d6: ["à J+6", "in 6 days"],
  d7: ["à J+7", "in 7 days"],
};

function civilDay(name: CivilDay, fr: string, en: string): Entity[] {
  return [
    ...day(name, fr, en),
    moment(`${name}/explanation`, "text", `Explication, couleur ${fr}`, `Explanation, colour ${en}`, {
      icon: "mdi:text",
      disabled: true,
    }),
    moment(`${name}/rate_hp`, "price", `Prix ${fr}, heures pleines`, `Price ${en}, peak`, DISABLED),
    moment(`${name}/rate_hc`, "price", `Prix ${fr}, heures creuses`, `Price ${en}, off-peak`, DISABLED),
  ];
}

const FLAGS: readonly Entity[] = [
  moment("rouge_now", "yes_no", "Rouge en cours", "Rouge now", { icon: "mdi:alert" }),
  moment("rouge_next", "yes_no", "Rouge le jour suivant", "Rouge next", { icon: "mdi:alert-outline" }),
  moment("rouge_hp_now", "yes_no", "Heures pleines rouges en cours", "Rouge peak hours now", {
    icon: "mdi:flash-alert",
  }),
  moment("offpeak", "yes_no", "Heures creuses", "Off-peak hours", { icon: "mdi:weather-night" }),
  moment("rouge_today", "yes_no", "Rouge aujourd'hui", "Rouge today", { icon: "mdi:calendar-today" }),
  moment("rouge_tomorrow", "yes_no", "Rouge demain", "Rouge tomorrow", { icon: "mdi:calendar-alert" }),
  moment("announcement/stage", "stage", "Statut de l'annonce", "Stage of the announcement"),
  moment("announcement/date", "date", "Date de l'annonce", "Date announced", DISABLED),
  moment("announcement/late", "problem", "Annonce en retard", "Announcement late"),
];

const YESTERDAY: readonly Entity[] = [
  dated("yesterday/date", "date", "Date d'hier", "Date of yesterday", DISABLED),
  dated("yesterday/color", "color", "Couleur d'hier", "Colour yesterday", { attributes: "yesterday" }),
  dated("yesterday/predicted_color", "color", "Couleur prévue pour hier", "Colour yesterday, as forecast", {
    icon: "mdi:crystal-ball",
    disabled: true,
  }),
  dated(
    "yesterday/prediction_confidence",
    "percent",
    "Confiance, prévision d'hier",
    "Confidence, forecast of yesterday",
    DISABLED,
  ),
];

const NEXT_DATES: readonly Entity[] = [
  dated("next_change/color", "instant", "Prochain changement de couleur", "Next change of colour"),
  dated("next_change/period", "instant", "Prochain changement de période", "Next change of period"),
  dated("next_change/rate", "instant", "Prochain changement de prix", "Next change of price"),
  ...nextDay("rouge"),
  ...nextDay("blanc"),
  dated("forecast", "list", "Prévisions du", "Forecast of", {
    icon: "mdi:calendar-week",
    attributes: "forecast",
  }),
];

function nextDay(color: string): Entity[] {
  const topic = `next_${color}`;
  const [fr, en] = [`prochain jour ${color}`, `next ${color} day`];
  return [
    dated(`${topic}/date`, "date", capitalize(fr), capitalize(en), { icon: "mdi:calendar-search" }),
    dated(`${topic}/confidence`, "percent", `Confiance, ${fr}`, `Confidence, ${en}`),
    dated(`${topic}/outlook`, "choice", `Perspective, ${fr}`, `Outlook, ${en}`, {
      options: OUTLOOKS,
      icon: "mdi:telescope",
      disabled: true,
    }),
  ];
}

const PRICES: readonly Entity[] = [
  ...COLORS.flatMap((color) => [
    dated(`prices/${color}_hp`, "price", `Prix ${color}, heures pleines`, `Price ${color}, peak`),
    dated(`prices/${color}_hc`, "price", `Prix ${color}, heures creuses`, `Price ${color}, off-peak`),
  ]),
  dated("prices/source", "choice", "Source des prix", "Source of the prices", {
    options: ["service", "owner"],
    icon: "mdi:source-branch",
    category: "diagnostic",
    disabled: true,
  }),
];

/** As the service says; `left` and `used` as vigie counts. */
const SEASON: readonly Entity[] = [
  dated("season/label", "text", "Saison", "Season", { icon: "mdi:calendar-range", attributes: "season" }),
  dated("season/start", "date", "Début de saison", "Start of the season", DISABLED),
  dated("season/end", "date", "Fin de saison", "End of the season", DISABLED),
  dated("season/days_elapsed", "days", "Jours écoulés de la saison", "Days of the season so far", DISABLED),
  dated("season/days_remaining", "days", "Jours restants de la saison", "Days left of the season"),
  ...daysOfEachColor("left", "Jours {color} restants", "{color} days left"),
  ...daysOfEachColor("used", "Jours {color} passés", "{color} days used"),
  ...daysOfEachColor(
    "remaining",
    "Jours {color} restants selon le service",
    "{color} days left, says the service",
  ),
  ...daysOfEachColor("total", "Jours {color} de la saison", "{color} days of the season", DISABLED),
];

function daysOfEachColor(count: string, fr: string, en: string, extras: Extras = {}): Entity[] {
  return COLORS.toReversed().map((color) => {
    const frName = fr.replace("{color}", `${color}s`);
    const enName = en.replace("{color}", capitalize(color));
    return dated(`season/${count}/${color}`, "days", frName, enName, extras);
  });
}

/** The verdict of a rule, its forecast, and its settings. */
function ruleEntities({ id, name: { fr, en }, threshold }: RuleToShow): Entity[] {
  const topic = `rules/${id}`;
  const rows = [
    moment(`${topic}/state`, "yes_no", fr, en, { icon: "mdi:eye-outline", attributes: topic }),
    moment(`${topic}/since`, "instant", `${fr} : depuis`, `${en}: since`),
    dated(`${topic}/next_on`, "instant", `${fr} : prochain début`, `${en}: next on`, {
      attributes: `${topic}/plan`,
    }),
    dated(`${topic}/next_off`, "instant", `${fr} : prochaine fin`, `${en}: next off`),
    command(`${topic}/enabled`, "switch", `${fr} : règle activée`, `${en}: enabled`, { category: "config" }),
  ];
  if (threshold === null) return rows;
  const slider = command(`${topic}/threshold`, "slider", `${fr} : seuil`, `${en}: threshold`, {
    icon: "mdi:tune-variant",
    category: "config",
  });
  return [...rows, slider];
}

/** What was sent, when, and why are its attributes. */
function outputEntity({ id, name: { fr, en } }: OutputToShow): Entity {
  const topic = `outputs/${id}`;
  return moment(`${topic}/state`, "choice", `${fr} : sortie`, `${en}: output`, {
    options: OUTPUT_STATES,
    icon: "mdi:send-check-outline",
    attributes: topic,
  });
}

const COMMANDS_AND_EVENTS: readonly Entity[] = [
  command("refresh", "button", "Actualiser", "Refresh", { icon: "mdi:refresh", category: "config" }),
  command("simulation/color", "select", "Simulation", "Simulation", {
    options: ["auto", ...COLORS],
    icon: "mdi:test-tube",
    category: "config",
    command: "simulation/set",
    attributes: "simulation",
  }),
  moment("simulation/until", "instant", "Fin de la simulation", "End of the simulation", {
    category: "diagnostic",
  }),
  dated("event", "event", "Événement", "Event", {
    options: ["announced", "final", "revised", "rule_on", "rule_off"],
    icon: "mdi:bell-outline",
  }),
];

const SERVICE: readonly Entity[] = [
  moment("service/status", "choice", "État du service", "Service status", {
    options: SERVICE_STATUSES,
    icon: "mdi:cloud-check-outline",
    category: "diagnostic",
    attributes: "service",
  }),
  moment("service/problem", "problem", "Problème", "Problem", { category: "diagnostic" }),
  moment("service/problem_code", "choice", "Nature du problème", "Kind of problem", {
    // No topic ever says that the broker is away.
    options: PROBLEM_CODES.filter((code) => code !== "broker"),
    icon: "mdi:alert-circle",
    category: "diagnostic",
  }),
  moment("service/failed_outputs", "text", "Sorties en échec", "Failed outputs", {
    icon: "mdi:send-clock-outline",
    category: "diagnostic",
  }),
  moment("service/last_success", "instant", "Dernière réponse du service", "Last answer of the service", {
    category: "diagnostic",
  }),
  moment("service/last_error", "text", "Dernière erreur du service", "Last error of the service", {
    icon: "mdi:message-alert",
    category: "diagnostic",
    disabled: true,
  }),
  moment("service/updated_at", "instant", "Heure des prévisions", "Time of the forecast", {
    category: "diagnostic",
    disabled: true,
  }),
  moment("official/status", "choice", "État de la source officielle", "Official source status", {
    options: OFFICIAL_STATUSES,
    icon: "mdi:check-network-outline",
    category: "diagnostic",
  }),
  moment(
    "official/last_success",
    "instant",
    "Dernière réponse de la source officielle",
    "Last answer of the official source",
    { category: "diagnostic", disabled: true },
  ),
  moment(
    "official/last_error",
    "text",
    "Dernière erreur de la source officielle",
    "Last error of the official source",
    { icon: "mdi:message-alert", category: "diagnostic", disabled: true },
  ),
];

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
