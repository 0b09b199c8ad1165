import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import { isColorAllowed } from "../../src/core/calendar/tariff-laws.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import { createIntlWallClock, shiftDate } from "../support/intl-wall-clock.ts";
import type { AllowedColors, DeliveredAnswers } from "./delivered-answers.ts";

type PayloadOf = (topic: string) => string | undefined;
type State = "ON" | "OFF" | "None";

/** The rules as shipped. */
export function readShippedRules(): Rule[] {
  return rulesOptions.parse(parse(readFileSync(join("config", "vigie.yaml"), "utf8")).rules);
}

export const SHIPPED = ["rouge_ahead", "rouge_peak", "preheat", "rouge_this_week", "dear"] as const;
type Shipped = (typeof SHIPPED)[number];

/**
 * What the shipped rules must say by the wall clock and by the answers that came, each computed here a second time. Undefined where that
 * hangs on a forecast's confidence, or where the service's endpoints disagree: that is not known here.
 */
export function judgeRules(answers: DeliveredAnswers, payloadOf: PayloadOf, at: Instant): string[] {
  const expected = statesOf(answers, at);
  return SHIPPED.flatMap((id) => {
    const state = payloadOf(`rules/${id}/state`);
    const wanted = expected[id];
    return wanted === undefined || state === wanted
      ? []
      : [`rule ${id} is ${state ?? "gone"}, not ${wanted}`];
  });
}

const wall = createIntlWallClock("Europe/Paris");

function statesOf({ allowedColors }: DeliveredAnswers, at: Instant): Record<Shipped, State | undefined> {
  const { now, next, isPeak, time } = momentAt(at);
  const soon = momentAt(at + LEAD);
  const peak = (moment: Moment) => (moment.isPeak ? rougeOf(moment.now, allowedColors(moment.now)) : "OFF");
  const tomorrow = trustedRougeOf(next, allowedColors(next));
  const heats = time >= "03:30" && time < "06:00";
  const week = Array.from({ length: 7 }, (_, days) => shiftDate(next, days));
  return {
    rouge_ahead: either(tomorrow, rougeOf(now, allowedColors(now))),
    rouge_peak: either(peak(momentAt(at)), peak(soon)),
    preheat: heats ? tomorrow : "OFF",
    rouge_this_week: week.map((date) => trustedRougeOf(date, allowedColors(date))).reduce(either),
    dear: dearOf(now, isPeak, allowedColors(now)),
  };
}

const LEAD = 300_000;

interface Moment {
  now: IsoDate;
  next: IsoDate;
  isPeak: boolean;
  time: string;
}

function momentAt(at: Instant): Moment {
  const { date, time } = wall(at);
  const now = time < "06:00" ? shiftDate(date, -1) : date;
  return { now, next: shiftDate(now, 1), isPeak: time >= "06:00" && time < "22:00", time };
}

function rougeOf(date: IsoDate, allowedColors: AllowedColors): State | undefined {
  const color = onlyColor(allowedColors);
  if (color === undefined) return undefined;
  if (color !== null) return color === "rouge" ? "ON" : "OFF";
  return isColorAllowed(date, "rouge", "tempo") ? "None" : "OFF";
}

/** Of a rouge forecast it is not known here whether it is trusted enough. */
function trustedRougeOf(date: IsoDate, allowedColors: AllowedColors): State | undefined {
  const state = rougeOf(date, allowedColors);
  return state === "ON" && !allowedColors.official ? undefined : state;
}

/** Only the peak hours of a rouge day cost more than 0.30 EUR. */
function dearOf(date: IsoDate, isPeak: boolean, allowedColors: AllowedColors): State | undefined {
  return onlyColor(allowedColors) === null ? undefined : isPeak ? rougeOf(date, allowedColors) : "OFF";
}

function onlyColor({ colors }: AllowedColors): Color | null | undefined {
  const [color, ...others] = colors;
  return others.length > 0 ? undefined : color;
}

/** ON when one is, whatever the other; not known here when one is not and could turn it. */
function either(one: State | undefined, other: State | undefined): State | undefined {
  if (one === "ON" || other === "ON") return "ON";
  if (one === undefined || other === undefined) return undefined;
  return one === "None" || other === "None" ? "None" : "OFF";
}
