import { localTime, tariffDate } from "../calendar/dates.ts";
import { dayInWords } from "../calendar/day-in-words.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDays, OfficialWord } from "./known-days.ts";
import { listDays } from "./list-days.ts";
import { officialColor } from "./official-color.ts";

/**
 * The sentences for the log on the contradictions that began or ended between two states of the known days: one for each
 * date from the day in force on, and for all past dates together one of those that began and one of those that ended.
 */
export function findContradictions(
  before: KnownDays,
  after: KnownDays,
  now: Instant,
  tariff: Tariff,
): ContradictionLine[] {
  const inForce = tariffDate(now, tariff);
  const changes = findChanges(before, after, inForce);
  const past = changes.filter(({ date }) => date < inForce);
  const time = (at: Instant) => localTime(at, now, tariff.time_zone);
  return [
    ...changes.filter(({ date }) => date >= inForce).map((change) => describeChange(change, time)),
    ...[true, false].flatMap((begins) => describePast(past, begins)),
  ];
}

export interface ContradictionLine {
  sentence: string;
  begins: boolean;
}

/** A date on which both sources have named a colour, and began or ceased to name different ones. */
interface ContradictionChange {
  date: IsoDate;
  begins: boolean;
  shown: Color;
  rte: OfficialWord;
  service: OfficialWord;
}

function findChanges(before: KnownDays, after: KnownDays, inForce: IsoDate): ContradictionChange[] {
  if (before.days === after.days) return [];
  return Object.entries(after.days)
    .flatMap(([date, day]): ContradictionChange[] => {
      const { rte_word: rte, service_word: service } = day;
      if (!rte || !service) return [];
      const isOver = date < inForce;
      const wasContradicted = officialColor(before.days[date], isOver)?.contradicted ?? false;
      const official = officialColor(day, isOver);
      if (!official || official.contradicted === wasContradicted) return [];
      return [{ date, begins: official.contradicted, shown: official.color, rte, service }];
    })
    .sort((one, other) => (one.date < other.date ? -1 : 1));
}

function describeChange(
  { date, begins, shown, rte, service }: ContradictionChange,
  time: (at: Instant) => string,
): ContradictionLine {
  const day = dayInWords(date, "en");
  const both = `RTE says ${rte.color} (since ${time(rte.first_said)}), the service says ${service.color} (since ${time(service.first_said)})`;
  const sentence = begins
    ? `RTE and the service contradict each other about ${day}: ${both}. vigie shows ${shown}`
    : `RTE and the service agree again about ${day}: ${both}`;
  return { sentence, begins };
}

function describePast(past: readonly ContradictionChange[], begins: boolean): ContradictionLine[] {
  const days = past
    .filter((change) => change.begins === begins)
    .map(({ date, rte, service }) => `${date} (RTE ${rte.color}, the service ${service.color})`);
  if (days.length === 0) return [];
  const count = days.length === 1 ? "1 past day" : `${days.length} past days`;
  const sentence = `RTE and the service ${begins ? "contradict each other" : "agree again"} about ${count}: ${listDays(days)}`;
  return [{ sentence, begins }];
}
