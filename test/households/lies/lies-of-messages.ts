import { HOUR, MINUTE, SECOND } from "../calendar.ts";
import type { ConditionText, OutputText } from "../scenario.ts";
import { type EventOf, isKind, type Trace } from "../trace.ts";
import { later, withMore, withOther } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import {
  again,
  type CalmOutput,
  calmOutputs,
  isPlain,
  type Sending,
  stays,
  textOf,
  withoutSendings,
  withPayloadSent,
} from "./read-outputs.ts";
import { configAt } from "./read-trace.ts";

const MESSAGES = "docs/messages.md";
const NAMES =
  "`{id}` in the address is the same for all tries of one message, and another one for the next message.";

export const LIES_OF_MESSAGES: readonly Lie[] = [
  {
    name: "a message comes twice",
    breaks: { document: MESSAGES, sentence: "A message is **sent once when its choice begins**" },
    judge: "same text again",
    tell: tellAtOne(
      (trace) =>
        messages(trace).filter(({ sending, to }) => sending.isTaken && to > sending.steady + 15 * MINUTE),
      (trace, { sending }) => withMore(trace, again(sending, 10 * MINUTE)),
    ),
  },
  {
    name: "a message has a text that no choice has",
    breaks: { document: "docs/outputs.md", sentence: "The first choice whose rule is `ON` counts" },
    judge: "message of its choice",
    tell: tellAtOne(messages, (trace, { sending }) => withText(trace, sending, "something else")),
  },
  {
    name: "a message never comes",
    breaks: { document: MESSAGES, sentence: "A message is **sent once when its choice begins**" },
    judge: "message at its beginning",
    tell: tellAtOne((trace) => begun(trace).filter((message) => !isOfDay(message)), withoutMessage),
  },
  {
    name: "a message is tried a second time after half of the pause",
    breaks: { document: MESSAGES, sentence: "after 30 s, 2 min, 10 min, 30 min and 1 h." },
    judge: "pauses between tries",
    tell: tellAtOne((trace) => unanswered(trace).filter((one) => pauseOf(one) < MINUTE), withHalfPause),
  },
  {
    name: "a message is tried a third time or later after half of the pause",
    breaks: { document: MESSAGES, sentence: "after 30 s, 2 min, 10 min, 30 min and 1 h." },
    judge: "pauses between tries",
    tell: tellAtOne((trace) => unanswered(trace).filter((one) => pauseOf(one) > MINUTE), withHalfPause),
  },
  {
    name: "a message that was not taken is given up early",
    breaks: { document: MESSAGES, sentence: "after 30 s, 2 min, 10 min, 30 min and 1 h." },
    judge: "message tried again",
    tell: tellAtOne(tries, (trace, { output, second }) =>
      withoutSendings(
        trace,
        output.sendings.filter(({ steady }) => steady >= second.steady),
      ),
    ),
  },
  {
    name: "a message is tried a seventh time",
    breaks: { document: MESSAGES, sentence: "It may arrive six times: a second message is better than none" },
    judge: "tries of a message",
    tell: tellAtOne(lastTries, (trace, sending) => withMore(trace, again(sending, 20 * MINUTE))),
  },
  {
    name: "a seventh message comes within an hour",
    breaks: { document: MESSAGES, sentence: "vigie sends at most six messages an hour from one output." },
    judge: "messages in an hour",
    tell: tellAtOne(sevenths, (trace, { sending, by }) => withMore(trace, again(sending, by))),
  },
  {
    name: "a message by a pretended colour is not marked",
    breaks: { document: MESSAGES, sentence: "**In a simulation** it begins with `[simulation]`." },
    judge: "mark in a simulation",
    tell: tellAtOne(
      (trace) => messages(trace).filter(isMarked),
      (trace, { sending }) => withText(trace, sending, sending.payload.replace(MARK, "")),
    ),
  },
  {
    name: "a message is marked though no colour is pretended",
    breaks: {
      document: "docs/outputs.md",
      sentence: "A choice that is in force without the simulation, too, sends what is true.",
    },
    judge: "mark without a simulation",
    tell: tellAtOne(
      (trace) =>
        messages(trace).filter(
          ({ sending: { payload, steady } }) =>
            !payload.startsWith("{") && !isPretendedBefore(trace, steady + MINUTE),
        ),
      (trace, { sending }) => withText(trace, sending, `${MARK}${sending.payload}`),
    ),
  },
  {
    name: "a message comes again because its placeholder changes",
    breaks: { document: MESSAGES, sentence: "A placeholder that changes later sends nothing" },
    judge: "one text for one choice",
    tell: tellAtOne(
      (trace) =>
        messages(trace).filter(
          (message) =>
            message.sending.isTaken &&
            message.to > message.sending.steady + 15 * MINUTE &&
            !isPlain(templateOf(message)),
        ),
      (trace, message) => {
        const text = templateOf(message).replace(PLACEHOLDER, "None");
        return withMore(trace, withPayloadSent(again(message.sending, 10 * MINUTE), text));
      },
    ),
  },
  {
    name: "a try of a message has another name than the one before",
    breaks: { document: MESSAGES, sentence: NAMES },
    judge: "name of a message",
    tell: tellAtOne(
      (trace) => tries(trace).filter(({ second }) => nameOf(second) !== undefined),
      (trace, { second }) => withName(trace, second, "another-name"),
    ),
  },
  {
    name: "a message has the name of the one before",
    breaks: { document: MESSAGES, sentence: NAMES },
    judge: "name of a message",
    tell: tellAtOne(
      (trace) =>
        calmOutputs(trace).flatMap(({ sendings }) =>
          sendings.slice(1).flatMap((second, index) => {
            const first = sendings[index]!;
            const name = nameOf(first);
            return first.isTaken && name !== undefined ? [{ second, name }] : [];
          }),
        ),
      (trace, { second, name }) => withName(trace, second, name),
    ),
  },
  {
    name: "a message names the day before",
    breaks: { document: MESSAGES, sentence: "yesterday's text is never sent today." },
    judge: "day in a message",
    tell: tellAtOne(
      (trace) => messages(trace).filter((message) => isOfDay(message) && DATE.test(message.sending.payload)),
      (trace, { sending }) => withText(trace, sending, sending.payload.replace(DATE, dayBefore)),
    ),
  },
  {
    name: "nobody is told of the next day",
    breaks: { document: MESSAGES, sentence: "three rouge days in a row are three messages." },
    judge: "each day is told",
    tell: tellAtOne((trace) => begun(trace).filter((one) => isOfDay(one) && !isMarked(one)), withoutMessage),
  },
  {
    name: "nobody is told of a pretended day",
    breaks: { document: MESSAGES, sentence: "**In a simulation** it begins with `[simulation]`." },
    judge: "each day is told",
    tell: tellAtOne((trace) => begun(trace).filter((one) => isOfDay(one) && isMarked(one)), withoutMessage),
  },
];

/** A message that was sent while its rule was ON, and how long that was so in a calm time. */
interface Message {
  output: CalmOutput;
  choice: OutputText["choose"][number];
  when: ConditionText | undefined;
  sending: Sending;
  to: number;
}

function messages(trace: Trace): Message[] {
  return calmOutputs(trace)
    .filter(({ output }) => output.message)
    .flatMap((output) => output.sendings.flatMap((sending) => messageOf(trace, output, sending)));
}

function messageOf(trace: Trace, output: CalmOutput, sending: Sending): Message[] {
  const { steady, payload } = sending;
  const choice = output.output.choose.find((one) => isTextOf(textOf(one.payload), payload));
  if (!choice || !stays(trace, choice.when, "ON", { from: steady + SECOND, to: steady + 2 * SECOND }))
    return [];
  const turn = trace.events.find(
    (event) =>
      isKind(event, "published") &&
      event.steady > steady + SECOND &&
      (isStateOf(event, choice.when) || /^vigie\/\w+\/date$/.test(event.topic)),
  );
  const when = configAt(trace, steady).rules.find(({ id }) => id === choice.when)?.when;
  return [{ output, choice, when, sending, to: Math.min(turn?.steady ?? output.to, output.to) }];
}

function isStateOf({ topic }: EventOf<"published">, rule: string): boolean {
  return topic === `vigie/rules/${rule}/state`;
}

function isTextOf(template: string, payload: string): boolean {
  const parts = template.split(PLACEHOLDER).map((part) => part.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^(\\[simulation\\] )?${parts.join(".*")}$`).test(payload);
}

/** It names each day for which its rule is ON. */
function isOfDay({ when }: Message): boolean {
  return JSON.stringify(when).includes('"day"');
}

function isMarked({ sending }: Message): boolean {
  return sending.payload.includes(MARK);
}

function templateOf({ choice }: Message): string {
  return textOf(choice.payload);
}

/** First tries of messages whose choice had begun just before, and went on for five minutes. */
function begun(trace: Trace): Message[] {
  return messages(trace).filter((message) => {
    const { output, choice, sending, to } = message;
    const { steady, payload } = sending;
    const isFirst = output.sendings.find((one) => one.payload === payload) === sending;
    const isTurned = trace.events.some(
      (event) =>
        isKind(event, "published") &&
        Math.abs(event.steady - steady) < 5 * SECOND &&
        (isStateOf(event, choice.when) || (isOfDay(message) && /\/date$/.test(event.topic))),
    );
    return isFirst && isTurned && to - steady > 5 * MINUTE;
  });
}

/** All its tries. */
function withoutMessage(trace: Trace, { output, sending, to }: Message): Trace {
  const { steady, payload } = sending;
  const own = output.sendings.filter((one) => one.payload === payload);
  return withoutSendings(
    trace,
    own.filter((one) => one.steady >= steady && one.steady <= to),
  );
}

interface Try {
  output: CalmOutput;
  first: Sending;
  /** The same message, as nobody had taken the first try. */
  second: Sending;
}

/** The choice goes on for three minutes after the second one. */
function tries(trace: Trace): Try[] {
  return messages(trace).flatMap(({ output, sending, to }): Try[] => {
    const second = output.sendings.find(({ steady }) => steady > sending.steady);
    const isSame = second?.payload === sending.payload && second.steady + 3 * MINUTE < to;
    return isSame && !sending.isTaken ? [{ output, first: sending, second }] : [];
  });
}

/** The service may have the first one. */
function unanswered(trace: Trace): Try[] {
  return tries(trace).filter(({ first }) => isPerhapsRead(first));
}

/** The sixth of six tries that were not answered, if its choice goes on. */
function lastTries(trace: Trace): Sending[] {
  return messages(trace).flatMap(({ output, sending, to }) => {
    const sixth = output.sendings.indexOf(sending);
    const six = output.sendings.slice(Math.max(0, sixth - 5), sixth + 1);
    const isOne =
      six.length === 6 && six.every((one) => one.payload === sending.payload && isPerhapsRead(one));
    return isOne && to > sending.steady + 25 * MINUTE ? [sending] : [];
  });
}

/** It was written, and not answered. */
function isPerhapsRead({ events }: Sending): boolean {
  return events.some((event) => isKind(event, "web failure") && event.wasWritten);
}

function pauseOf({ first, second }: Try): number {
  return second.steady - first.steady;
}

function withHalfPause(trace: Trace, one: Try): Trace {
  const { second } = one;
  const earlier = second.events.map((event) => later(event, -Math.round(pauseOf(one) / 2)));
  return withMore(withoutSendings(trace, [second]), earlier);
}

/** The fifth of six messages within an hour, and after how long it may be sent once more while its rule is ON again. */
function sevenths(trace: Trace): { sending: Sending; by: number }[] {
  return calmOutputs(trace)
    .filter(({ output }) => output.message)
    .flatMap((output) => {
      const sent = output.sendings.filter(({ isTaken }) => isTaken);
      return sent.slice(5).flatMap((sixth, index) => {
        const [first, fifth] = [sent[index]!, sent[index + 4]!];
        const at = sixth.steady + 5 * MINUTE;
        const isSoon = at < first.steady + HOUR;
        const [message] = messageOf(trace, output, fifth);
        const isDue = message && stays(trace, message.choice.when, "ON", { from: at, to: at + SECOND });
        return isSoon && isDue ? [{ sending: fifth, by: at - fifth.steady }] : [];
      });
    });
}

function withText(trace: Trace, sending: Sending, text: string): Trace {
  return withMore(withoutSendings(trace, [sending]), withPayloadSent(sending.events, text));
}

function nameOf({ events: [request] }: Sending): string | undefined {
  return request && isKind(request, "web request") ? request.sendingId : undefined;
}

function withName(trace: Trace, { events: [request] }: Sending, sendingId: string): Trace {
  if (!request || !isKind(request, "web request")) throw new Error("It has no name");
  return withOther(trace, request, { ...request, sendingId });
}

function isPretendedBefore({ events }: Trace, steady: number): boolean {
  return events.some(
    (event) =>
      isKind(event, "published") &&
      event.steady < steady &&
      event.topic === "vigie/simulation/color" &&
      event.payload !== "auto",
  );
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 24 * HOUR).toISOString().slice(0, 10);
}

const MARK = "[simulation] ";
const PLACEHOLDER = /\{\w+\.\w+\}/;
const DATE = /\d{4}-\d\d-\d\d/;
