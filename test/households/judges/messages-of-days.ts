import { DAY, DAY_WORDS, HOUR } from "../calendar.ts";
import { SIMULATION, textOf, wasPretended } from "./chosen-payload.ts";
import { isRange, type RuleText } from "./house.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { judgeOutputs, type Look } from "./output-life.ts";
import { wereRulesEdited } from "./rules-on-days.ts";
import type { Sending } from "./sendings.ts";
import { BASE, houseAt, readTopics } from "./topics.ts";

/**
 * A message by a rule on one day: each day for which the rule is ON is told, and no message names a day that is over. The
 * day is the date that vigie itself has published for the word in the rule.
 */
export const messageOfDaysJudges: readonly Judge[] = [
  judgeOutputs("each day is told", untold),
  judgeOutputs("day in a message", outdated),
];

/** What is to be told at an instant. */
interface Subject {
  rule: string;
  /** As the rule calls it. */
  word: string;
  date: string;
}

/** undefined: nothing, or it is not judged here. */
function subjectAt({ trace, life }: Look, steady: number): Subject | undefined {
  const output = life.at(steady);
  const [chosen] = life.chosen(steady, steady) ?? [];
  if (!output?.isMessage || chosen?.kind !== "choice") return undefined;
  const rule = houseAt(trace, steady)?.rules.find(({ id }) => id === chosen.rule);
  const word = rule && wordOf(rule);
  const date = word === undefined ? undefined : readTopics(trace).at(`${BASE}/${word}/date`, steady);
  if (word === undefined || date === undefined || date === "None") return undefined;
  return { rule: chosen.rule, word, date };
}

/** The only day that it looks at, if it looks at nothing else but the clock. */
function wordOf({ when, lead, lag, hold, whenUnknown }: RuleText): string | undefined {
  if (lead > 0 || lag > 0 || hold > 0 || whenUnknown === "on") return undefined;
  const parts = when.all ?? [when];
  const days = parts.flatMap(({ day }) => day ?? []);
  const isClear = parts.every((part) => Object.keys(part).every((key) => CLEAR.includes(key)));
  const [day] = days;
  return isClear && days.length === 1 && day !== undefined && !isRange(day) ? day : undefined;
}

const CLEAR = [
  "day",
  "color",
  "confidence",
  "official",
  "stage",
  "known",
  "period",
  "between",
  "weekday",
  "month",
];

/** It is the same from an instant to another. */
function isThrough(look: Look, subject: Subject, from: number, to: number): boolean {
  const { calm, life } = look;
  if (!calm.isThrough(from, to) || !life.isSame(from, to)) return false;
  const instants = [
    ...life.turns.filter((one) => one > from && one <= to),
    ...datesChange(look, from, to),
    to,
  ];
  return instants.every((steady) => isSame(subjectAt(look, steady), subject));
}

function isSame(one: Subject | undefined, other: Subject): boolean {
  return one?.rule === other.rule && one.date === other.date;
}

function datesChange({ trace }: Look, from: number, to: number): number[] {
  return readTopics(trace).changes(
    DAY_WORDS.map((word) => `${BASE}/${word}/date`),
    from,
    to,
  );
}

/** Nobody was told of a day, though it could have been said. */
function untold(look: Look): Finding[] {
  const { life } = look;
  const found = new Map<string, Finding>();
  const instants = [...life.turns, ...datesChange(look, -1, Number.POSITIVE_INFINITY)];
  for (const steady of instants.sort((one, other) => one - other)) {
    const subject = subjectAt(look, steady);
    const output = life.at(steady);
    if (!subject || !output) continue;
    const key = `${subject.rule} ${subject.date} ${output.written}`;
    if ((found.get(key) ?? "skipped") === "skipped") found.set(key, isTold(look, subject, output, steady));
  }
  return [...found.values()];
}

function isTold(look: Look, subject: Subject, output: OutputText, steady: number): Finding {
  const { trace, life, calm } = look;
  const end = steady + TOLD_WITHIN;
  // The topic of what is pretended comes with those of the rules, before or after them.
  const isPretendedAnew = readTopics(trace).changes([SIMULATION], steady + TOGETHER, end).length > 0;
  if (isPretendedAnew || !isThrough(look, subject, steady, end)) return "skipped";
  if (output.needsSecretFile && !calm.hasSecrets(steady, end)) return "skipped";
  const before = life.sendings(end).filter((one) => one.steady <= end);
  if (before.some((one) => isAround(look, subject, one.steady))) return "right";
  // Before that nothing was chosen.
  const began = life.changes[0] ?? 0;
  const isOpen = before.some(
    (one) =>
      // In a simulation that outputs ignore, topics do not say what was chosen.
      life.chosen(Math.max(one.steady - AROUND, began), one.steady + AROUND) === null ||
      isToldUnseen(look, subject, one, output) ||
      isToldBeforeEdit(look, subject, one, steady),
  );
  if (isOpen || before.filter((one) => one.steady > end - HOUR).length >= MOST_AN_HOUR) return "skipped";
  const sentence = `${life.id}: nobody was told of ${subject.date}, which makes ${subject.rule} ON`;
  return { at: end, sentence };
}

/** It was to be told about then: a topic may come some seconds before or after the message. */
function isAround(look: Look, subject: Subject, steady: number): boolean {
  return instantsAround(look, steady).some((instant) => isSame(subjectAt(look, instant), subject));
}

function instantsAround(look: Look, steady: number): number[] {
  const near = look.life.turns.filter((one) => Math.abs(one - steady) <= AROUND);
  return [steady, ...near, ...datesChange(look, steady - AROUND, steady + AROUND)];
}

/** The same text, or a text of the same choice, by other rules or another output than now: of which day it was is not known. */
function isToldBeforeEdit(look: Look, { rule }: Subject, told: Sending, steady: number): boolean {
  const { trace, life } = look;
  const isEdited = wereRulesEdited(trace, told.steady, steady) || !life.isSame(told.steady, steady);
  if (!isEdited || steady - told.steady > DAY) return false;
  const [wanted] = life.chosen(steady, steady) ?? [];
  const isSameText = wanted !== undefined && "payload" in wanted && wanted.payload === told.payload;
  return instantsAround(look, told.steady).some((instant) => {
    const [chosen] = life.chosen(instant, instant) ?? [];
    return chosen?.kind === "choice" && (isSameText || chosen.rule === rule);
  });
}

/** While the broker was away: then no topic said of which day it was. What topics say first after that counts. */
function isToldUnseen(
  look: Look,
  subject: Subject,
  { how, steady, payload }: Sending,
  output: OutputText,
): boolean {
  const { trace, calm } = look;
  if (how !== "http" || calm.isThrough(steady, steady + AROUND)) return false;
  const back = trace.events.find((event) => event.kind === "connected" && event.steady > steady);
  const date = back && readTopics(trace).at(`${BASE}/${subject.word}/date`, back.steady + AROUND);
  if (date !== subject.date) return false;
  return !namesDay(output, subject) || payload.includes(subject.date);
}

/** Its text names the day that has been so for a minute. */
function outdated(look: Look): Finding[] {
  const { life } = look;
  return life.changes
    .flatMap((change) => life.sendings(change))
    .flatMap(({ steady, payload }): Finding[] => {
      const subject = subjectAt(look, steady);
      const output = life.at(steady);
      if (!subject || !output || !namesDay(output, subject)) return [];
      const [from, to] = [steady - SETTLED, steady];
      if (wasPretended(readTopics(look.trace), from, to) || !isThrough(look, subject, from, to))
        return ["skipped"];
      if (payload.includes(subject.date)) return ["right"];
      const sentence = `${life.id}: ${payload} was sent, when it was ${subject.date} for a minute`;
      return [{ at: steady, sentence }];
    });
}

function namesDay({ choose }: OutputText, { rule, word }: Subject): boolean {
  const choices = choose.filter(({ when }) => when === rule);
  return choices.length === 1 && choices.every(({ payload }) => textOf(payload).includes(`{${word}.date}`));
}

/** Milliseconds. */
const AROUND = 12_000;
const TOGETHER = 1_000;
const SETTLED = 60_000;
/** A message that is under way, or behind others at a host that hangs, is waited for. */
const TOLD_WITHIN = 100_000;
const MOST_AN_HOUR = 6;
