import { MINUTE, SECOND } from "../calendar.ts";
import { isKind, type Trace } from "../trace.ts";
import { later, withMore, withOther } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import {
  again,
  type CalmOutput,
  calmOutputs,
  isChosen,
  type Sending,
  stays,
  withoutSendings,
} from "./read-outputs.ts";
import type { Time } from "./read-trace.ts";

const OUTPUTS = "docs/outputs.md";

/** Requests to devices over HTTP. */
export const LIES_OF_DEVICE_REQUESTS: readonly Lie[] = [
  {
    name: "a device that does what it was sent is asked after half a minute",
    breaks: {
      document: OUTPUTS,
      sentence:
        "then each `every` until the payload is confirmed, then every five minutes while it is in force",
    },
    judge: "asked though it does what it was told",
    tell: tellAtOne(
      (trace) =>
        questions(trace).filter(
          ({ output, question, before, next }) =>
            next - question.steady > MINUTE &&
            question.steady - before > MINUTE &&
            isConfirmed(output, { from: question.steady - 3 * MINUTE, to: question.steady + MINUTE }),
        ),
      (trace, { question }) => withMore(trace, again(question, 30 * SECOND)),
    ),
  },
  {
    name: "a device is asked again after two seconds",
    breaks: {
      document: OUTPUTS,
      sentence:
        "then each `every` until the payload is confirmed, then every five minutes while it is in force",
    },
    judge: "asked again too soon",
    tell: tellAtOne(
      (trace) => questions(trace).filter(({ question, next }) => next - question.steady > MINUTE),
      (trace, { question }) => withMore(trace, again(question, 2 * SECOND)),
    ),
  },
  {
    name: "seventeen requests at once to a host",
    breaks: { document: OUTPUTS, sentence: "vigie sends at most sixteen at once" },
    judge: "requests to a host at once",
    tell: tellAtOne(
      (trace) => questions(trace).filter(({ question }) => lengthOf(question) > 20),
      (trace, { question }) =>
        withMore(trace, Array.from({ length: 16 }, (_, index) => again(question, index + 1)).flat()),
    ),
  },
  {
    name: "two requests at once for one output",
    breaks: { document: OUTPUTS, sentence: "one at a time for one output" },
    judge: "requests to a device at once",
    tell: tellAtOne(
      (trace) => questions(trace).filter(({ question }) => lengthOf(question) > 20),
      (trace, { question }) => withMore(trace, again(question, 10)),
    ),
  },
  {
    name: "a request takes half a minute",
    breaks: { document: OUTPUTS, sentence: "A request may take 10 s." },
    judge: "requests that take too long",
    tell: tellAtOne(
      (trace) =>
        questions(trace).filter(({ question, next }) => next - question.steady > MINUTE && question.isTaken),
      (trace, { question }) => withLateEnd(trace, question, 30 * SECOND),
    ),
  },
  {
    name: "a device over HTTP is not asked what it does after a sending",
    breaks: { document: OUTPUTS, sentence: "`confirm.url` is asked 1 s and 5 s after a sending" },
    judge: "asked after a sending",
    tell: tellAtOne(
      (trace) =>
        calmOutputs(trace)
          .filter(({ output }) => output.confirm?.url !== undefined)
          .flatMap((output) =>
            output.sendings
              .filter(({ steady }, index) => {
                const next = output.sendings[index + 1]?.steady ?? output.to;
                return next - steady > 2 * MINUTE;
              })
              .filter(({ isTaken }) => isTaken)
              .map((sending) => ({ output, sending })),
          ),
      (trace, { output, sending: { steady } }) =>
        withoutSendings(
          trace,
          output.questions.filter((one) => one.steady > steady && one.steady < steady + 2 * MINUTE),
        ),
    ),
  },
  {
    name: "a payload is sent a minute late while another device hangs",
    breaks: { document: OUTPUTS, sentence: "A device that does not answer delays nothing else." },
    judge: "told late over HTTP",
    tell: tellAtOne(besideHanging, (trace, { output, sending }) =>
      withLateSending(trace, output, sending, MINUTE),
    ),
  },
  {
    name: "another device of its host is asked before a device is sent its payload",
    breaks: { document: OUTPUTS, sentence: "sendings before questions" },
    judge: "told after a question",
    tell: tellAtOne(besideAsked, (trace, { output, sending, question }) => {
      const asked = again(question, sending.steady + SECOND - question.steady);
      return withMore(withLateSending(trace, output, sending, 2 * SECOND), asked);
    }),
  },
  {
    name: "61 requests to a host within a minute",
    breaks: { document: OUTPUTS, sentence: "60 a minute to one host and port" },
    judge: "requests to a host in a minute",
    tell: tellAtOne(
      (trace) => questions(trace).filter(({ question, next }) => next - question.steady > MINUTE),
      (trace, { question }) =>
        withMore(trace, Array.from({ length: 60 }, (_, index) => again(question, 900 * (index + 1))).flat()),
    ),
  },
];

interface Asked {
  output: CalmOutput;
  question: Sending;
  /** When vigie had sent or asked the device something before, and did so next. */
  before: number;
  next: number;
}

function questions(trace: Trace): Asked[] {
  return calmOutputs(trace).flatMap((output) => {
    const all = [...output.questions, ...output.sendings].sort((one, other) => one.steady - other.steady);
    return all.slice(1).flatMap((question, index): Asked[] => {
      if (!output.questions.includes(question)) return [];
      return [{ output, question, before: all[index]!.steady, next: all[index + 2]?.steady ?? output.to }];
    });
  });
}

/** Milliseconds until it was answered or failed. */
function lengthOf({ events, steady }: Sending): number {
  return (events.find((event) => isKind(event, "web answer", "web failure"))?.steady ?? steady) - steady;
}

function isConfirmed({ shown }: CalmOutput, { from, to }: Time): boolean {
  const meanwhile = shown.filter(({ steady, until }) => steady < to && until > from);
  return meanwhile.length > 0 && meanwhile.every(({ state }) => state === "confirmed");
}

function withLateEnd(trace: Trace, { events }: Sending, by: number): Trace {
  const [end] = events.filter((event) => isKind(event, "web answer"));
  return end ? withOther(trace, end, later(end, by)) : trace;
}

/** First sendings of the payload of a choice over HTTP, as a request to another host begins that hangs. */
function besideHanging(trace: Trace): { output: CalmOutput; sending: Sending }[] {
  const all = calmOutputs(trace);
  return all.flatMap((output) => {
    const { url } = output.output;
    if (url === undefined || output.output.message) return [];
    return output.sendings.flatMap((sending, index) => {
      const { steady, payload } = sending;
      const isFirst = output.sendings[index - 1]?.payload !== payload;
      const isOften = (output.sendings[index + 1]?.steady ?? output.to) < steady + 2 * MINUTE;
      const isHanging = all.some((other) =>
        [...other.questions, ...other.sendings].some(
          (one) =>
            isElsewhere(one, url) && Math.abs(one.steady - steady) < SECOND && lengthOf(one) > 5 * SECOND,
        ),
      );
      const time = { from: steady + SECOND, to: steady + 2 * MINUTE };
      const isDue = isChosen(trace, output.output, payload, time);
      return isFirst && !isOften && isHanging && isDue ? [{ output, sending }] : [];
    });
  });
}

/** Sendings of a choice over HTTP whose rule has just turned, and a question to another device of the same host. */
function besideAsked(trace: Trace): { output: CalmOutput; sending: Sending; question: Sending }[] {
  const all = calmOutputs(trace);
  return all.flatMap((output) => {
    const { url } = output.output;
    if (url === undefined || output.output.message) return [];
    const others = all.filter(({ id, from }) => id !== output.id && from === output.from);
    const question = others.flatMap(({ questions }) => questions).find((one) => !isElsewhere(one, url));
    const begun = output.sendings.filter((sending) => isJustChosen(trace, output, sending));
    return question ? begun.map((sending) => ({ output, sending, question })) : [];
  });
}

/** It was not chosen a quarter of a minute ago, and is chosen for a minute. */
function isJustChosen(trace: Trace, { output }: CalmOutput, { steady, payload }: Sending): boolean {
  const earlier = steady - 15 * SECOND;
  return (
    isChosen(trace, output, payload, { from: steady + SECOND, to: steady + MINUTE }) &&
    output.choose.every(({ when }) => stays(trace, when, "OFF", { from: earlier, to: earlier }))
  );
}

/** It is sent so many milliseconds later, and its device is asked as much later what it does. */
function withLateSending(trace: Trace, { questions }: CalmOutput, sending: Sending, by: number): Trace {
  const { steady } = sending;
  const asked = questions.filter((one) => one.steady > steady && one.steady < steady + MINUTE);
  const delayed = [sending, ...asked].flatMap(({ events }) => events.map((event) => later(event, by)));
  return withMore(withoutSendings(trace, [sending, ...asked]), delayed);
}

function isElsewhere({ events: [first] }: Sending, url: string): boolean {
  return first?.kind === "web request" && new URL(url).host !== new URL(first.host).host;
}
