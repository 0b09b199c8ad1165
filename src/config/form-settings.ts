import type { Language } from "../core/calendar/day-in-words.ts";
import { DEVICE_USES, deviceOutput, RULE_TEMPLATES } from "./device-templates.ts";
import { COLOR_CHOICES, type Form, outputId } from "./form-options.ts";
import { labelOf } from "./form-words.ts";
import type { Setting } from "./settings.ts";
import type { Path } from "./shown-value.ts";

/** The broker that Home Assistant names. */
export interface NamedBroker {
  url: string;
  username?: string | undefined;
  password?: string | undefined;
}

/**
 * The form as options of vigie, each with the field that it comes from. Beside a file it gives only the service, the broker and
 * the language.
 */
export function formSettings(form: Form, isBesideFile: boolean): Setting[] {
  const { language, broker_address, broker_username, broker_password } = form;
  const from = (field: string, path: Path, value: unknown): Setting => ({
    path,
    value,
    origin: { name: labelOf(language, [field]), path },
  });
  const hasOwnBroker = broker_address !== undefined;
  const hasOwnUser = hasOwnBroker || broker_username !== undefined;
  // In the order of the form, which is that of messages.
  const days = [
    from("language", ["homeassistant", "language"], language),
    from("language", ["http", "language"], language),
    from("official_colors", ["official", "source"], form.official_colors ? "rte" : "off"),
    from("service_address", ["service", "base_url"], form.service_address ?? "none"),
  ];
  const broker = [
    ...(hasOwnBroker ? [from("broker_address", ["mqtt", "url"], broker_address)] : []),
    ...(hasOwnUser ? [from("broker_username", ["mqtt", "username"], broker_username)] : []),
    ...(hasOwnUser ? [from("broker_password", ["mqtt", "password"], broker_password)] : []),
  ];
  if (isBesideFile) return [...days, ...broker];
  const list = (field: "rules" | "outputs" | "rates", path: Path, value: readonly object[]): Setting[] => [
    from(field, path, value),
    // Whatever is found out about a row later names its number in the form. It sets nothing: settings reach into no list.
    ...form[field].map((_, row) => ({
      path: [...path, row],
      value: undefined,
      origin: { name: labelOf(language, [field, row]), path: [...path, row] },
    })),
  ];
  return [
    ...days,
    ...list("rules", ["rules"], [...form.rules.map((rule) => writeRule(rule, form)), ...missingRules(form)]),
    ...list("outputs", ["outputs"], form.outputs.map(writeOutput)),
    ...(form.rates.length > 0 ? list("rates", ["tariff", "rates"], form.rates.map(writeRate)) : []),
    ...broker,
  ];
}

/**
 * What Home Assistant names, where these settings leave it out. A broker of one's own, or a user of one's own, has nothing to do
 * with the user and the password that it names.
 */
export function namedBrokerSettings(own: readonly Setting[], broker: Partial<NamedBroker>): Setting[] {
  const isOwn = (option: string) => own.some(({ path }) => path.join(".") === `mqtt.${option}`);
  if (isOwn("url")) return [];
  const left = isOwn("username") ? (["url"] as const) : (["url", "username", "password"] as const);
  return left.map((option) => {
    const path = ["mqtt", option];
    return { path, value: broker[option], origin: { name: "Home Assistant", path } };
  });
}

/** The rules as they are shipped have names in both languages. */
const NAMES: Readonly<Record<string, Record<Language, string>>> = {
  ...Object.fromEntries(Object.values(RULE_TEMPLATES).map(({ id, name }) => [id, name])),
  preheat: { fr: "Préchauffage avant rouge", en: "Preheat before rouge" },
};

function writeRule(rule: Form["rules"][number], { service_address }: Form) {
  const { id, name, colors, day, confidence, hours, between, lead_minutes } = rule;
  const color = COLOR_CHOICES[colors];
  // Without a service there are no forecasts, and vigie would warn of each rule that asks for them.
  const sure = service_address === undefined || confidence === undefined ? {} : { confidence };
  const ofDay = (on: string) => ({ day: on, color, ...sure });
  const conditions = [
    // What is in force counts in any case.
    day === "next_or_now" ? { any: [ofDay("next"), { day: "now", color }] } : ofDay(day),
    ...(hours === "peak" || hours === "off_peak" ? [{ period: hours === "peak" ? "hp" : "hc" }] : []),
    ...(between === undefined ? [] : [{ between: between.split("-") }]),
  ];
  const [only, ...more] = conditions;
  const written = name ?? NAMES[id];
  return {
    id,
    ...(written !== undefined && { name: written }),
    when: more.length === 0 ? only : { all: conditions },
    ...(lead_minutes !== undefined && { lead: `${lead_minutes}m` }),
  };
}

/** Of devices that follow the usual rule, though it was taken out of the list. */
function missingRules({ rules, outputs }: Form) {
  const wanted = new Set(outputs.map(ruleOf));
  const given = new Set(rules.map(({ id }) => id));
  return Object.values(RULE_TEMPLATES).filter(({ id }) => wanted.has(id) && !given.has(id));
}

function ruleOf({ rule, use }: Form["outputs"][number]): string {
  return rule ?? DEVICE_USES[use].rule.id;
}

function writeOutput(output: Form["outputs"][number]): object {
  const { use, name, keep, kind, place, relay, payload = "", otherwise, report } = output;
  const names = {
    id: outputId(output) ?? use,
    name: name === undefined ? DEVICE_USES[use].name : { fr: name, en: name },
    when: ruleOf(output),
  };
  const device =
    kind === "other" ? { kind, topic: place, payload, otherwise, report } : { kind, place, relay };
  const written = deviceOutput(names, device);
  if (keep !== false || !written.confirm) return written;
  const { keep: _, online: __, ...confirm } = written.confirm;
  return { ...written, confirm };
}

function writeRate(row: Form["rates"][number]) {
  return {
    from: row.from,
    bleu: { hp: row.bleu_peak, hc: row.bleu_off_peak },
    blanc: { hp: row.blanc_peak, hc: row.blanc_off_peak },
    rouge: { hp: row.rouge_peak, hc: row.rouge_off_peak },
  };
}
