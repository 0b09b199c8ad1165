import { rulesOptions } from "../../.build/config/rules-options.js";
import { addDays } from "../../.build/core/calendar/dates.js";
import { evaluateRules } from "../../.build/core/rules/evaluate-rules.js";
import { createEvaluationInput } from "../../.build/core/rules/evaluation-input.js";
import { futuresOf } from "../../.build/core/rules/futures.js";
import { NO_RULES_STATE } from "../../.build/core/rules/rules-state.js";
import { NO_READINGS } from "../../.build/core/rules/value-readings.js";
import { CONFIG } from "./measured-loop.mjs";
import { threadTime } from "./spent.mjs";

const RULES = 200;
const RUNS = 200;
const TODAY = "2026-01-05";
const NOON = Date.parse(`${TODAY}T12:00:00Z`);

/** 200 rules, no two of them alike: every kind of condition, with leads, lags, holds and thresholds. */
export function measureRules(report) {
  const rules = rulesOptions.parse(Array.from({ length: RULES }, (_, index) => variedRule(index)));
  const { tariff } = CONFIG;
  let state = NO_RULES_STATE;
  let holds;
  let knownDays;
  const sameDays = [];
  const newDays = [];
  for (let run = 0; run < RUNS; run += 1) {
    const areNew = run % 2 === 0;
    // Forecasts change and change back, so that holds hold.
    if (areNew) knownDays = createKnownDays(run % 8 < 4 ? 0.5 : 0.3);
    const at = NOON + run * 90_000;
    const start = threadTime();
    const given = { at, knownDays, tariff, simulation: null, values: NO_READINGS };
    const input = createEvaluationInput(given, state.at);
    const { verdicts, ...evaluated } = evaluateRules(rules, input, {}, state, { holds });
    futuresOf(verdicts, input);
    (areNew ? newDays : sameDays).push(threadTime() - start);
    state = evaluated.next;
    holds = evaluated.holds;
  }
  report.alone("rules", sameDays);
  report.alone("future", newDays);
}

const CONDITIONS = [
  {
    any: [
      { day: "next", color: "rouge", confidence: 80 },
      { day: "now", color: "rouge" },
    ],
  },
  { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
  { day: "next", color: "rouge", confidence: 95, period: "hc" },
  { day: "next_7_days", color: "rouge", confidence: "threshold" },
  { day: "next_8_days", color: ["blanc", "rouge"], at_least: 3, not: { weekday: ["sat", "sun"] } },
  { day: "next_3_days", known: true, every: true },
  { rate: { above: 0.3 } },
  { left: { rouge: { at_most: 9 } }, remaining: { blanc: { at_least: 3 } }, days_remaining: { above: 30 } },
  { any: [{ day: "tomorrow", stage: ["announced", "final"] }, { not: { day: "d4", official: true } }] },
  { day: "today", color: "bleu", weekday: ["mon", "tue", "wed", "thu", "fri"] },
];

function variedRule(index) {
  return {
    id: `rule_${index}`,
    when: {
      all: [
        CONDITIONS[index % CONDITIONS.length],
        { any: [{ between: [wallTime(index * 7), wallTime(index * 7 + 400)] }, { period: "hc" }] },
      ],
    },
    threshold: 60,
    ...(index % 3 === 0 && { lead: "5m" }),
    ...(index % 4 === 0 && { lag: "10m" }),
    ...(index % 20 === 0 && { lead: "12h", lag: "6h" }),
    ...(index % 2 === 1 && { hold: "30m" }),
    ...(index % 7 === 0 && { when_unknown: "on" }),
  };
}

function wallTime(minute) {
  const two = (number) => String(number).padStart(2, "0");
  return `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
}

/** A season so far, two rouge days in force and announced, and forecasts for the week. */
function createKnownDays(confidence) {
  const rates = { hp: null, hc: null };
  const official = (color) => ({ service_word: { color, rates, first_said: 0, confirmed: true } });
  const forecast = (color, share) => ({
    forecast: {
      color,
      raw: null,
      confidence: share,
      source: "bench",
      explanation: null,
      rates,
      said_at: 0,
      seen_at: 0,
    },
  });
  const days = Object.fromEntries(
    Array.from({ length: 136 }, (_, index) => index - 127).map((ahead) => {
      const expected = forecast(ahead % 3 === 0 ? "rouge" : "blanc", confidence + ahead / 20);
      return [addDays(TODAY, ahead), ahead > 1 ? expected : official(ahead >= 0 ? "rouge" : "bleu")];
    }),
  );
  const season = {
    label: "2025-2026",
    start: "2025-09-01",
    end: "2026-08-31",
    days_elapsed: 127,
    days_remaining: 238,
    remaining: { rouge: 20, blanc: 43, bleu: 175 },
    total: { rouge: 22, blanc: 43, bleu: 300 },
    seen_at: NOON,
  };
  return { days, seasons: { "2025-2026": season }, updated_at: null };
}
