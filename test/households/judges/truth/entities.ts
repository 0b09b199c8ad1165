import type { House } from "../house.ts";

/** The platform of each entity that docs/entities.md names for this house, by its id without `sensor.vigie_`. */
export function expectedEntities({ rules, outputs, excluded }: House): Map<string, string> {
  const ofRules = rules.flatMap(({ id, threshold }) => [
    ...["state", "since", "next_on", "next_off", "enabled"].map((name) => `rules_${id}_${name}`),
    ...(threshold === null ? [] : [`rules_${id}_threshold`]),
  ]);
  const ofOutputs = outputs.map(({ id }) => `outputs_${id}_state`);
  const keys = [...ALWAYS, ...ofRules, ...ofOutputs].filter((key) => !excluded.includes(key));
  return new Map(keys.map((key) => [key, platformOf(key)]));
}

function platformOf(key: string): string {
  const found = Object.entries(PLATFORMS).find(([, keys]) => keys.test(key));
  return found?.[0] ?? "sensor";
}

const PLATFORMS = {
  switch: /^rules_.*_enabled$/,
  number: /^rules_.*_threshold$/,
  button: /^refresh$/,
  select: /^simulation_color$/,
  event: /^event$/,
  binary_sensor:
    /^(now|next|today|tomorrow|d[2-7])_official$|^rouge_(now|next|hp_now|today|tomorrow)$|^offpeak$|^announcement_late$|^service_problem$|^rules_.*_state$/,
};

const A_DAY = ["color", "confidence", "stage", "official", "date", "source"];
const COLORS = ["rouge", "blanc", "bleu"];

const ALWAYS = [
  ...below("now", [...A_DAY, "period", "slot", "rate", "color_until", "period_until"]),
  ...below("next", [...A_DAY, "at"]),
  ...["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"].flatMap((day) =>
    below(day, [...A_DAY, "explanation", "rate_hp", "rate_hc"]),
  ),
  ...below("rouge", ["now", "next", "hp_now", "today", "tomorrow"]),
  "offpeak",
  ...below("announcement", ["stage", "date", "late"]),
  ...below("yesterday", ["date", "color", "predicted_color", "prediction_confidence"]),
  ...below("next_change", ["color", "period", "rate"]),
  ...["next_rouge", "next_blanc"].flatMap((day) => below(day, ["date", "confidence", "outlook"])),
  "forecast",
  ...COLORS.flatMap((color) => below("prices", [`${color}_hp`, `${color}_hc`])),
  "prices_source",
  ...below("season", ["label", "start", "end", "days_elapsed", "days_remaining"]),
  ...["left", "used", "remaining", "total"].flatMap((days) => below(`season_${days}`, COLORS)),
  "refresh",
  ...below("simulation", ["color", "until"]),
  "event",
  ...below("service", ["status", "problem", "problem_code", "failed_outputs"]),
  ...below("service", ["last_success", "last_error", "updated_at"]),
  ...below("official", ["status", "last_success", "last_error"]),
];

function below(level: string, names: readonly string[]): string[] {
  return names.map((name) => `${level}_${name}`);
}
