import { addDays } from "./calendar.ts";
import type { Draw } from "./draw.ts";
import { drawOutput, editOutput, freshName } from "./generate-outputs.ts";
import type {
  ConditionText,
  HouseConfig,
  NameText,
  OutputText,
  PayloadText,
  RuleText,
  Series,
} from "./scenario.ts";

/** A value of the house that rules may look at, and how it is published. */
export interface HouseValue {
  topic: string;
  path: string | undefined;
  kind: "number" | "word" | "switch";
  retain: boolean;
  /** Seconds. */
  every: number;
}

const WORDS = ["home", "away", "guests"] as const;
/** What Home Assistant says of a sensor that is dead. */
const DEAD = ["unavailable", "unknown", "None"] as const;
const LOW = 0;
const HIGH = 50;

export function drawValues({ times, one, chance, whole }: Draw): HouseValue[] {
  let count = 0;
  return times(0, 2, () => {
    count += 1;
    const kind = one(["number", "number", "word", "word", "switch"] as const);
    const path = kind !== "word" && chance(0.4) ? "battery.level" : undefined;
    return {
      topic: `house/value${count}`,
      path,
      kind,
      retain: chance(0.6),
      every: one([120, 600, 1800, whole(300, 4000)]),
    };
  });
}

export function seriesOf(value: HouseValue, at: number, length: number): { at: number } & Series {
  const { topic, every, retain, path, kind } = value;
  const values = kind === "number" ? { low: LOW, high: HIGH, path } : { words: wordsFor(value) };
  return { at, kind: "series", topic, every, for: length, retain, values };
}

/** What a value is that is no number, or is one of the two ends of its numbers. */
export function wordsFor({ kind, path }: HouseValue): readonly string[] {
  if (kind === "word") return [...WORDS, ...WORDS, ...DEAD];
  const ends = kind === "switch" ? [true, false] : [LOW, HIGH];
  return ends.map((end) => (path === undefined ? String(end) : JSON.stringify({ battery: { level: end } })));
}

/** A first configuration, which `vigie check` accepts. */
export function drawConfig(draw: Draw, values: readonly HouseValue[]): HouseConfig {
  const { chance } = draw;
  const rules: RuleText[] = [];
  for (let left = draw.whole(1, 5); left > 0; left -= 1)
    rules.push(drawRule(draw, rules, values, freshId("rule", rules)));
  const outputs: OutputText[] = [];
  for (let left = draw.one([0, 1, 2, 2, 3, 3]); left > 0; left -= 1)
    outputs.push(drawOutput(draw, rules, freshName(draw, outputs)));
  return {
    service: drawService(draw),
    official: { source: draw.one(["rte", "rte", "rte", "off"]) },
    mqtt: drawMqtt(draw),
    homeassistant: drawHomeAssistant(draw),
    ...(chance(0.2) && { tariff: drawTariff(draw) }),
    rules,
    outputs: { ...(chance(0.2) && { dry_when_simulated: true }), list: outputs },
  };
}

/** Without both sources the configuration is refused, and drawn anew. */
function drawService({ one }: Draw): Record<string, unknown> {
  return {
    base_url: one(["https://service.example", "https://service.example", "https://service.example", "none"]),
    // Fewer polls make a household live faster.
    poll: {
      every: one(["15m", "1h", "1h", "2h"]),
      announcement: { between: ["06:30", "12:00"], every: one(["5m", "15m", "15m", "15m"]) },
    },
  };
}

function drawMqtt({ one, chance }: Draw): Record<string, unknown> {
  return { url: "mqtt://192.0.2.1", ...(chance(0.2) && { grace: one(["2m", "1h", "24h"]) }) };
}

function drawHomeAssistant({ one, chance }: Draw): Record<string, unknown> {
  return {
    discovery: one(["device", "device", "off", "components"]),
    ...(chance(0.4) && { language: "en" }),
  };
}

/** Other hours, which the judge of what is true reads, too; or the tariff of somebody else. */
function drawTariff(draw: Draw): Record<string, unknown> {
  const { one, chance } = draw;
  const off_peak = chance(0.3) ? drawWindows(draw) : drawOffPeakRows(draw);
  const prices = {
    ...(chance(0.3) && { rates: drawRates(draw) }),
    ...(chance(0.3) && { rates_first: one(["owner", "owner", "service"]) }),
  };
  if (chance(0.7)) return { off_peak, ...prices };
  return {
    laws: one(["tempo", "off"]),
    off_peak,
    ...prices,
    ...(chance(0.4) && { day_starts_at: one(["00:00", "05:30", "07:00"]) }),
    ...(chance(0.3) && { time_zone: one(["Europe/London", "America/Martinique"]) }),
  };
}

/** Hours by season and weekday, and a contract that changes. A configuration whose rows hide each other is refused, and drawn anew. */
function drawOffPeakRows(draw: Draw): Record<string, unknown>[] {
  const { one, chance, times, whole } = draw;
  const drawRowWindows = () => (chance(0.1) ? "none" : drawWindows(draw));
  const row = () => ({
    ...(chance(0.3) && { from: addDays("2025-10-20", whole(0, 300)) }),
    ...(chance(0.5) && {
      months: one([
        ["apr", "may", "jun", "jul", "aug", "sep", "oct"],
        ["nov", "dec"],
        [1, 2],
        "mar",
        whole(1, 12),
      ]),
    }),
    ...(chance(0.6) && {
      weekdays: one([["sat", "sun"], ["mon", "tue", "wed", "thu", "fri"], "sun", ["mon", "wed", "fri"]]),
    }),
    windows: drawRowWindows(),
  });
  return [...times(1, 3, row), { windows: drawRowWindows() }];
}

/** Prices of before, and perhaps of a day in the winter on which they change. */
function drawRates({ one, chance, whole }: Draw): Record<string, unknown>[] {
  const price = (low: number) => (low + whole(0, 900)) / 10_000;
  const row = (from: string) => ({
    from,
    bleu: { hp: price(1_300), hc: price(1_000) },
    blanc: { hp: price(1_600), hc: price(1_200) },
    rouge: { hp: price(5_000), hc: price(1_400) },
  });
  const changes = addDays("2025-10-20", whole(0, 190));
  return [row(one(["2020-01-01", "2025-08-01"])), ...(chance(0.5) ? [row(changes)] : [])];
}

function drawWindows({ one }: Draw): string[] {
  return one([
    ["22:00-06:00"],
    ["23:30-07:30"],
    ["02:00-07:00", "13:00-16:00"],
    ["22:00-05:00", "14:00-15:00"],
    ["00:00-24:00"],
    ["21:15-24:00", "02:30-04:10"],
  ]);
}

function freshId(word: string, taken: readonly { id: string }[]): string {
  let number = taken.length + 1;
  while (taken.some(({ id }) => id === `${word}${number}`)) number += 1;
  return `${word}${number}`;
}

/** Rules refer to those before only, so that there is no circle. */
function drawRule(
  draw: Draw,
  before: readonly RuleText[],
  values: readonly HouseValue[],
  id: string,
): RuleText {
  const { chance, one, whole } = draw;
  const hasThreshold = chance(0.2);
  const material = { before, values, hasThreshold };
  const [value] = values;
  // Leads and lags along a chain sum to at most 24 h.
  const shift = () => one(["1m", "5m", "30m", "1h", "2h", `${whole(1, 90)}m`]);
  return {
    id,
    ...(chance(0.2) && { name: drawName(draw, id) }),
    // A value alone, as many have it, or anything.
    when:
      value && chance(0.25)
        ? { mqtt: drawValueTest(draw, value) }
        : drawCondition(draw, material, chance(0.2) ? 4 : 2),
    ...(chance(0.3) && { lead: shift() }),
    ...(chance(0.3) && { lag: shift() }),
    ...(chance(0.3) && { hold: one(["1m", "10m", "30m", "2h", "12h", `${whole(1, 120)}s`]) }),
    ...(hasThreshold && { threshold: drawPercent(draw) }),
    ...(chance(0.3) && { when_unknown: one(["on", "off"]) }),
  };
}

interface Material {
  before: readonly RuleText[];
  values: readonly HouseValue[];
  hasThreshold: boolean;
}

function drawCondition(draw: Draw, material: Material, depth: number): ConditionText {
  const { chance, one, times } = draw;
  if (depth === 0 || chance(0.45)) return drawSimple(draw, material);
  const parts = () => times(1, 3, () => drawCondition(draw, material, depth - 1));
  switch (one(["all", "any", "not", "both"] as const)) {
    case "all":
      return { all: parts() };
    case "any":
      return { any: parts() };
    case "not":
      return { not: drawCondition(draw, material, depth - 1) };
    case "both":
      return { ...drawSimple(draw, material), any: parts() };
  }
}

const COLORS = ["bleu", "blanc", "rouge"] as const;

function drawSimple(draw: Draw, material: Material): ConditionText {
  const { one, chance, whole, times } = draw;
  const { before, values } = material;
  const [value, ...otherValues] = values;
  const [rule, ...otherRules] = before;
  if (value && chance(0.3)) return { mqtt: drawValueTest(draw, one([value, ...otherValues])) };
  if (rule && chance(0.25)) return { rule: one([rule, ...otherRules]).id };
  switch (one(["day", "day", "day", "range", "period", "between", "week", "number"] as const)) {
    case "day":
      return drawDay(draw, material, one(["now", "next", "today", "tomorrow", `d${whole(2, 7)}`]));
    case "range": {
      const length = whole(1, 7);
      const count = chance(0.5) ? {} : chance(0.5) ? { every: true } : { at_least: whole(1, length) };
      return { ...drawDay(draw, material, `next_${length}_days`), ...count };
    }
    case "period":
      return { period: one(["hp", "hc"]) };
    case "between": {
      const [from, to] = [
        `${two(whole(0, 23))}:${one(["00", "30"])}`,
        `${two(whole(0, 23))}:${one(["15", "45"])}`,
      ];
      return { between: [from, to] };
    }
    case "week":
      if (chance(0.5))
        return { weekday: times(1, 3, () => one(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])) };
      return { month: times(1, 4, () => one(["nov", "dec", "jan", "feb", "mar", "jul", whole(1, 12)])) };
    case "number":
      return drawNumber(draw);
  }
}

/** 1 is refused, because people mean a ratio by it. */
function drawPercent({ whole }: Draw): number {
  const percent = whole(0, 100);
  return percent === 1 ? 100 : percent;
}

function drawDay(draw: Draw, { hasThreshold }: Material, day: string): ConditionText {
  const { one, chance, times } = draw;
  const colors = [...new Set(times(1, 2, () => one(COLORS)))];
  const color = colors.length === 1 ? colors[0] : colors;
  const confidence = hasThreshold ? "threshold" : drawPercent(draw);
  const stages = () => one(["forecast", "announced", "final"]);
  const kinds = [
    "color",
    "color",
    "sure",
    "sure",
    "official",
    "stage",
    "known",
    "confidence",
    "much",
  ] as const;
  switch (one(kinds)) {
    case "much":
      return {
        day,
        color,
        confidence,
        ...(chance(0.5) && { official: chance(0.5) }),
        ...(chance(0.5) && { stage: [stages(), stages()] }),
        ...(chance(0.5) && { known: chance(0.7) }),
      };
    case "color":
      return { day, color };
    case "sure":
      return { day, color, confidence };
    case "official":
      return { day, official: chance(0.5), ...(chance(0.4) && { color }) };
    case "stage":
      return { day, stage: stages(), ...(chance(0.4) && { color }) };
    case "known":
      return { day, known: chance(0.6) };
    case "confidence":
      return { day, confidence };
  }
}

function drawNumber(draw: Draw): ConditionText {
  const { one, whole, chance } = draw;
  const count = () => drawBounds(draw, whole(0, 40), 20);
  const counts = () => {
    const [color, other] = [one(COLORS), one(COLORS)];
    return { [color]: count(), ...(chance(0.2) && { [other]: count() }) };
  };
  switch (one(["rate", "days_remaining", "remaining", "left"] as const)) {
    case "rate":
      return { rate: drawBounds(draw, one([0.14, 0.16, 0.17, 0.3]), 0.1) };
    case "days_remaining":
      return { days_remaining: drawBounds(draw, whole(100, 330), 30) };
    case "remaining":
      return { remaining: counts() };
    case "left":
      return { left: counts() };
  }
}

/** One bound, or two between which there is this much room. */
function drawBounds({ one, chance }: Draw, low: number, room: number): Record<string, number> {
  const lower = one(["above", "at_least"] as const);
  const upper = one(["below", "at_most"] as const);
  if (chance(0.2)) return { [lower]: low, [upper]: low + room };
  return { [one([lower, upper])]: low };
}

function drawValueTest(draw: Draw, { topic, path, kind }: HouseValue) {
  const { one, chance, whole } = draw;
  const age = chance(0.4) ? { max_age: one(["30s", "10m", "2h", `${whole(10, 5000)}s`]) } : {};
  const place = { topic, ...(path !== undefined && { path }) };
  if (kind === "word")
    return { ...place, equals: chance(0.5) ? one(WORDS) : [one(WORDS), one(["guests", ...DEAD])], ...age };
  if (kind === "switch") return { ...place, equals: one([true, false, "true", [true, "guests"]]), ...age };
  if (chance(0.1)) return { ...place, equals: one([LOW, HIGH, [LOW, HIGH]]), ...age };
  return { ...place, ...drawBounds(draw, whole(LOW + 5, HIGH - 15), 10), ...age };
}

/** In one language, or in both. */
function drawName({ one }: Draw, id: string): NameText {
  return one<NameText>([`Règle « ${id} »`, { fr: `Le ${id}, l'été`, en: `The ${id} & more` }]);
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** The owner edits: one change. */
export function editConfig(draw: Draw, before: HouseConfig, values: readonly HouseValue[]): HouseConfig {
  const { one, whole, chance } = draw;
  const { rules, outputs } = before;
  const { list } = outputs;
  const withList = (next: readonly OutputText[]): HouseConfig => ({
    ...before,
    outputs: { ...outputs, list: next },
  });
  const someOutput = whole(0, Math.max(0, list.length - 1));
  const change = (edit: (output: OutputText) => OutputText) =>
    withList(list.map((output, index) => (index === someOutput ? edit(output) : output)));
  const kinds = [
    "add rule",
    "remove rule",
    "edit rule",
    "add output",
    "remove output",
    "output",
    "part of an output",
    "part of an output",
    "else",
    "order",
    "other options",
  ] as const;
  const kind = one(kinds);
  switch (kind) {
    case "add rule":
      return { ...before, rules: [...rules, drawRule(draw, rules, values, freshId("rule", rules))] };
    case "remove rule":
      return rules.length > 1 ? withoutRule(before, one([rules[0]!, ...rules.slice(1)]).id) : before;
    case "edit rule": {
      const index = whole(0, rules.length - 1);
      const edited = drawRule(draw, rules.slice(0, index), values, rules[index]?.id ?? "rule1");
      return { ...before, rules: rules.map((rule, at) => (at === index ? edited : rule)) };
    }
    case "add output":
      return withList([...list, drawOutput(draw, rules, freshName(draw, list))]);
    case "remove output":
      return withList(list.filter((_, index) => index !== someOutput));
    case "output":
    case "part of an output":
      return change((output) => editOutput(draw, rules, output, kind));
    case "else":
      return change(({ else: old, ...output }) =>
        old === undefined && !output.message && chance(0.8)
          ? { ...output, else: { payload: "otherwise", ...(output.confirm && { expect: "is otherwise" }) } }
          : output,
      );
    case "other options":
      return editOtherOptions(draw, before);
    case "order":
      return change((output) => ({ ...output, choose: [...output.choose].reverse() }));
  }
}

/** Those that are neither rules nor outputs: one of them. */
function editOtherOptions(draw: Draw, before: HouseConfig): HouseConfig {
  const { tariff, ...others } = before;
  switch (draw.one(["service", "official", "mqtt", "homeassistant", "tariff", "dry"] as const)) {
    case "service":
      return { ...before, service: drawService(draw) };
    case "official":
      return { ...before, official: { source: draw.one(["rte", "off"]) } };
    case "mqtt":
      return { ...before, mqtt: drawMqtt(draw) };
    case "homeassistant":
      return { ...before, homeassistant: drawHomeAssistant(draw) };
    case "tariff":
      return tariff ? others : { ...before, tariff: drawTariff(draw) };
    case "dry": {
      const { dry_when_simulated = false, list } = before.outputs;
      return { ...before, outputs: { dry_when_simulated: !dry_when_simulated, list } };
    }
  }
}

/**
 * By a lead or a lag a payload tells of another instant, of which no topic says what is so: in such choices there is no
 * placeholder.
 */
export function withoutShiftedPlaceholders(config: HouseConfig): HouseConfig {
  const { rules, outputs } = config;
  const plain = (payload: PayloadText) =>
    typeof payload === "string" ? payload.replaceAll(/ ?\{[a-z\d_.]+\}/g, "") : payload;
  const list = outputs.list.map((output) => ({
    ...output,
    choose: output.choose.map((choice) =>
      isShifted(choice.when, rules) ? { ...choice, payload: plain(choice.payload) } : choice,
    ),
  }));
  return { ...config, outputs: { ...outputs, list } };
}

function isShifted(id: string, rules: readonly RuleText[]): boolean {
  const rule = rules.find((one) => one.id === id);
  if (!rule) return false;
  const others = rules.filter((one) => refersTo(rule.when, one.id));
  return rule.lead !== undefined || rule.lag !== undefined || others.some((one) => isShifted(one.id, rules));
}

/** Without this rule, and without what needs it. */
export function withoutRule(config: HouseConfig, id: string): HouseConfig {
  const rules = config.rules.filter((rule) => rule.id !== id && !refersTo(rule.when, id));
  const gone = config.rules.filter((rule) => !rules.includes(rule) && rule.id !== id);
  const list = config.outputs.list.flatMap((output): OutputText[] => {
    const choose = output.choose.filter(({ when }) => when !== id);
    return choose.length === 0 ? [] : [{ ...output, choose }];
  });
  const without = { ...config, rules, outputs: { ...config.outputs, list } };
  return gone.reduce<HouseConfig>((rest, rule) => withoutRule(rest, rule.id), without);
}

function refersTo({ all, any, not, rule }: ConditionText, id: string): boolean {
  const parts = [...(all ?? []), ...(any ?? []), ...(not ? [not] : [])];
  return rule === id || parts.some((part) => refersTo(part, id));
}
