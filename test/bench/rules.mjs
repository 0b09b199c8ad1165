import { addDays } from "../../.build/core/calendar/dates.js";
import { viewAt } from "../../.build/core/facts/view.js";
import { evaluateRules } from "../../.build/core/rules/evaluate-rules.js";
import { planRules } from "../../.build/core/rules/forecast-verdicts.js";
import { readyRules } from "../../.build/core/rules/ready.js";
import { EMPTY_MEMORY } from "../../.build/core/rules/rules-memory.js";
import { stepRules } from "../../.build/core/rules/step.js";
import { openWorld } from "../../.build/core/rules/world.js";
import { CONFIG } from "./house.mjs";
import { threadTime } from "./spent.mjs";

const RULES = 10_000;
const RUNS = 40;
const TODAY = "2026-01-05";
const NOON = Date.parse(`${TODAY}T12:00:00Z`);

/** Ten thousand rules, no two of them alike: the shipped ones within windows, holds and lags of their own. */
export function measureRules(report) {
  const ready = readyRules(Array.from({ length: RULES }, (_, index) => varied(index)));
  const { tariff } = CONFIG;
  const knownDays = fillKnownDays();
  let memory = EMPTY_MEMORY;
  const evaluations = [];
  const plans = [];
  for (let run = 0; run < RUNS; run += 1) {
    const world = openWorld({
      at: NOON + run * 420_000,
      knownDays,
      tariff,
      look: (of, at) => viewAt(of, at, tariff),
    });
    const start = threadTime();
    const verdicts = evaluateRules(ready, world, {}, memory);
    const evaluated = threadTime();
    memory = stepRules(memory, verdicts, world);
    const stepped = threadTime();
    planRules(verdicts, world, memory);
    evaluations.push(evaluated - start);
    plans.push(threadTime() - stepped);
  }
  report.alone("rules", evaluations);
  report.alone("future", plans);
}

function varied(index) {
  const rule = structuredClone(CONFIG.rules[index % CONFIG.rules.length]);
  const window = { kind: "between", from: wall(index), to: wall(index + 700) };
  rule.id = `rule_${index}`;
  rule.when = { kind: "all", parts: [rule.when, window] };
  if (index % 2 === 1) rule.hold = 1_800_000;
  if (index % 3 === 0) rule.lag = 600_000;
  return rule;
}

function wall(minute) {
  const two = (number) => String(number).padStart(2, "0");
  return `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
}

/** A season so far, two rouge days in force and announced, and forecasts for the week. */
function fillKnownDays() {
  const rates = { hp: null, hc: null };
  const official = (color) => ({ official: { color, rates, seen_at: 0, final: true } });
  const forecast = (color, confidence) => ({
    forecast: {
      color,
      raw: null,
      confidence,
      source: "bench",
      explanation: null,
      rates,
      said_at: 0,
      seen_at: 0,
    },
  });
  const days = Object.fromEntries(
    Array.from({ length: 128 }, (_, index) => index - 120).map((ahead) => {
      const said = ahead > 1 ? forecast(ahead % 3 === 0 ? "rouge" : "blanc", 0.5 + ahead / 20) : null;
      return [addDays(TODAY, ahead), said ?? official(ahead >= 0 ? "rouge" : "bleu")];
    }),
  );
  return { days, seasons: {}, updated_at: null };
}
