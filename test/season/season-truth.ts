import type { Color, Instant, IsoDate, Period } from "../../src/core/calendar/tariff.ts";
import { isColorAllowed } from "../../src/core/calendar/tariff-laws.ts";
import { createIntlWallClock, shiftDate } from "../support/intl-wall-clock.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES } from "../support/tariff.ts";
import type { AllowedColors, DeliveredAnswers } from "./delivered-answers.ts";
import { SHIPPED } from "./season-rules.ts";

type PayloadOf = (topic: string) => string | undefined;

/** What is wrong with the broker's topics at one instant, by the wall clock and by the answers that came. */
type Judge = (payloadOf: PayloadOf, at: Instant) => string[];

const wall = createIntlWallClock("Europe/Paris");
const AHEAD = ["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"];
const ROUGE = { rouge_now: "now", rouge_next: "next", rouge_today: "today", rouge_tomorrow: "tomorrow" };

export function createJudge(answers: DeliveredAnswers): Judge {
  return (payloadOf, at) => {
    const { date: today, time } = wall(at);
    const now = time < "06:00" ? shiftDate(today, -1) : today;
    const period: Period = time >= "06:00" && time < "22:00" ? "hp" : "hc";
    const wrong: string[] = [];
    const expect = (topic: string, allowed: readonly (string | null)[]) => {
      const value = payloadOf(topic);
      if (!allowed.some((one) => (one ?? "None") === value)) {
        wrong.push(`${topic} is ${value ?? "gone"}, not ${allowed.map((one) => one ?? "None").join(" or ")}`);
      }
    };
    const dates = new Map([
      ["now", now],
      ["next", shiftDate(now, 1)],
    ]);
    for (const [days, name] of AHEAD.entries()) dates.set(name, shiftDate(today, days));
    for (const [name, date] of dates) {
      const allowedColors = answers.allowedColors(date);
      expect(`${name}/date`, [date]);
      expect(`${name}/color`, [...allowedColors.colors]);
      expect(`${name}/official`, [allowedColors.official ? "ON" : "OFF"]);
    }
    for (const [topic, name] of Object.entries(ROUGE)) {
      expect(topic, rougeOf(dates.get(name) ?? "", payloadOf(`${name}/color`)));
    }
    const color = payloadOf("now/color");
    expect("now/period", [period]);
    expect("offpeak", [period === "hc" ? "ON" : "OFF"]);
    expect("now/slot", [isColor(color) ? `${color}_${period}` : null]);
    // Where blanc is not allowed, rouge is not either: nobody named the day, and it has the price of bleu.
    const priced = isColor(color) ? color : isColorAllowed(now, "blanc", "tempo") ? null : "bleu";
    expect("now/rate", [priced && String(priceOf(now, priced)[period])]);
    expect("rouge_hp_now", period === "hc" ? ["OFF"] : rougeOf(now, color));
    expect("availability", ["online"]);
    return [...wrong, ...judgeParents(payloadOf, dates, answers)];
  };
}

/** While this machine's clock is known to be wrong: nothing of the moment, and why. */
export function judgeTopicsOfWrongClock(payloadOf: PayloadOf): string[] {
  const parts = ["now", "next", ...AHEAD].flatMap((name) => [`${name}/date`, `${name}/color`]);
  const unknown = [...parts, ...Object.keys(ROUGE), "offpeak", ...SHIPPED.map((id) => `rules/${id}/state`)];
  const wanted: [string, string][] = [
    ...unknown.map((topic): [string, string] => [topic, "None"]),
    ["service/problem_code", "clock"],
    ["availability", "online"],
  ];
  return wanted
    .filter(([topic, value]) => payloadOf(topic) !== value)
    .map(([topic, value]) => `${topic} is ${payloadOf(topic) ?? "gone"} by a wrong clock, not ${value}`);
}

/** Which of the days at hand are rouge by the answers, and not published as rouge. */
export function findMissedRouge(payloadOf: PayloadOf, at: Instant, answers: DeliveredAnswers): IsoDate[] {
  const { date: today, time } = wall(at);
  const now = time < "06:00" ? shiftDate(today, -1) : today;
  const shown = { now, next: shiftDate(now, 1), today, tomorrow: shiftDate(today, 1) };
  return Object.entries(shown).flatMap(([name, date]) => {
    const { colors } = answers.allowedColors(date);
    const isRouge = colors.size === 1 && colors.has("rouge");
    return isRouge && !(payloadOf(`${name}/color`) === "rouge" && payloadOf(`rouge_${name}`) === "ON")
      ? [date]
      : [];
  });
}

/** The JSON topics say the same; `forecast` and `next_rouge` name no colour that no answer had. */
function judgeParents(
  payloadOf: PayloadOf,
  dates: ReadonlyMap<string, IsoDate>,
  answers: DeliveredAnswers,
): string[] {
  const wrong: string[] = [];
  for (const [name, date] of dates) {
    const parent = JSON.parse(payloadOf(name) ?? "{}");
    if (parent.date !== date || (parent.color ?? "None") !== payloadOf(`${name}/color`)) {
      wrong.push(`${name} is ${payloadOf(name)}, not of ${date} and ${payloadOf(`${name}/color`)}`);
    }
  }
  const { days = [] } = JSON.parse(payloadOf("forecast") ?? "{}");
  for (const { date, color } of days) {
    if (!answers.allowedColors(date).colors.has(color)) wrong.push(`forecast says ${color} of ${date}`);
  }
  const rouge = payloadOf("next_rouge/date") ?? "None";
  if (rouge !== "None" && !answers.allowedColors(rouge).colors.has("rouge"))
    wrong.push(`next_rouge is ${rouge}`);
  return wrong;
}

/** While no vigie runs: what has not expired was true a grace ago, or still is. */
export function judgeTopicsLeft(
  payloadOf: PayloadOf,
  instants: readonly Instant[],
  grace: number,
  answers: (date: IsoDate) => AllowedColors,
): string[] {
  const dates = instants
    .flatMap((at) => [at, at - grace - 1_000])
    .map((instant) => {
      const { date, time } = wall(instant);
      return time < "06:00" ? shiftDate(date, -1) : date;
    });
  const date = payloadOf("now/date");
  const color = payloadOf("now/color");
  if (date === undefined && color === undefined) return [];
  // Left by a vigie that knew its clock to be wrong: it is as true as ever.
  if (date === "None" && color === "None") return [];
  const lawful = dates.some((one) => one === date && answers(one).colors.has(isColor(color) ? color : null));
  return lawful ? [] : [`a dead vigie's now is ${color} of ${date}`];
}

function rougeOf(date: IsoDate, color: string | undefined): (string | null)[] {
  if (isColor(color)) return [color === "rouge" ? "ON" : "OFF"];
  return [isColorAllowed(date, "rouge", "tempo") ? null : "OFF"];
}

function priceOf(date: IsoDate, color: Color): { hp: number; hc: number } {
  return (date < AUGUST_PRICES.from ? FEBRUARY_PRICES : AUGUST_PRICES)[color];
}

function isColor(text: string | undefined): text is Color {
  return text === "rouge" || text === "blanc" || text === "bleu";
}
