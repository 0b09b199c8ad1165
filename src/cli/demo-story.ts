import { civilDate, wallTime } from "../core/calendar/dates.ts";
import { dayInWords } from "../core/calendar/day-in-words.ts";
import { describeDayEvent, findDayEvents } from "../core/days/day-events.ts";
import type { DayFacts } from "../core/facts/facts.ts";
import { quotePayload } from "../core/log/quote-payload.ts";
import { describeOutput } from "../core/outputs/output.ts";
import { reasonsOf } from "../core/rules/reasons.ts";
import type { PageView } from "../http/page-view.ts";

/** What a view tells of the days to whoever watches: a sentence for each thing that is so now and was not at the view before. */
export function tellStory(before: PageView | undefined, after: PageView): string[] {
  return [
    ...tellDay(before, after),
    ...tellEvents(before, after),
    ...tellForecasts(before, after),
    ...tellRules(before, after),
    ...tellOutputs(before, after),
  ];
}

function tellDay(before: PageView | undefined, { facts: { at, moment }, tariff }: PageView): string[] {
  if (!moment || before?.facts.moment?.now.date === moment.now.date) return [];
  const { now, next } = moment;
  const price = now.rates.hp === null ? "" : ` (${now.rates.hp} EUR/kWh in peak hours)`;
  const inForce = () => {
    const until = wallTime(now.color_until, tariff.time_zone).slice(11, 16);
    // The time in front of the line is of another date.
    const isAfterMidnight = civilDate(at, tariff.time_zone) !== now.date;
    return isAfterMidnight ? `, the tariff day in force until ${until}` : " is in force";
  };
  const begun = `${dayInWords(now.date, "en")}${before ? " begins" : inForce()}: ${now.color ?? "its colour is not known"}${price}`;
  return before ? [begun] : [begun, `${dayInWords(next.date, "en")} comes next: ${describeDay(next)}`];
}

/** That a colour is final changes nothing that one could see. */
function tellEvents(before: PageView | undefined, { factsInput, facts, tariff }: PageView): string[] {
  if (!before) return [];
  return findDayEvents(before.factsInput.knownDays, factsInput.knownDays, facts.at, tariff)
    .filter(({ kind }) => kind !== "final")
    .map(describeDayEvent);
}

/** A rouge day that is forecast, or is not any more. Official colours are events. */
function tellForecasts(before: PageView | undefined, { facts }: PageView): string[] {
  const daysBefore = before?.facts.dated.forecast.days ?? [];
  return facts.dated.forecast.days
    .filter(({ official }) => !official)
    .flatMap((day) => {
      const wasRouge = daysBefore.find(({ date }) => date === day.date)?.color === "rouge";
      if (wasRouge === (day.color === "rouge")) return [];
      const turn = wasRouge ? "is not expected to be rouge any more: it is" : "may become";
      return [`${dayInWords(day.date, "en")} ${turn} ${describeDay(day)}`];
    });
}

function describeDay({ color, official, confidence }: DayFacts): string {
  if (color === null) return "not known";
  if (official) return `${color}, announced`;
  return confidence === null
    ? `${color}, forecast`
    : `${color}, forecast with ${Math.round(confidence * 100)} %`;
}

/** At first those that are ON. */
function tellRules(before: PageView | undefined, { verdicts, facts: { at }, tariff }: PageView): string[] {
  return verdicts.flatMap((verdict) => {
    const { state, rule } = verdict;
    const isNew = before ? before.verdicts.find((one) => one.rule.id === rule.id)?.state !== state : state;
    if (!isNew) return [];
    const word = state === null ? "unknown" : state ? "ON" : "OFF";
    return [`Rule ${rule.id} is ${word}: ${reasonsOf(verdict, { at, tariff }).because.join("; ")}`];
  });
}

function tellOutputs(before: PageView | undefined, { outputs }: PageView): string[] {
  return outputs.flatMap(({ output, sent }) => {
    const sentBefore = before?.outputs.find((one) => one.output.key === output.key)?.sent;
    if (!sent || sent.at === sentBefore?.at) return [];
    return [`Would send ${quotePayload(sent.payload)} to ${describeOutput(output)}: ${sent.because}`];
  });
}
