import { MINUTE, SECOND } from "../calendar.ts";
import { isKind, type Trace } from "../trace.ts";
import { withMore } from "./change-trace.ts";
import type { Lie } from "./lie.ts";
import { tellAtOne } from "./lie.ts";
import {
  again,
  type CalmOutput,
  calmOutputs,
  isChosen,
  payloadOf,
  plainPayloads,
  type Sending,
  type Shown,
  stays,
  textOf,
  withoutSendings,
  withPayloadSent,
} from "./read-outputs.ts";

export const LIES_OF_PAYLOADS: readonly Lie[] = [
  {
    name: "the payload of a choice is never sent",
    breaks: {
      document: "docs/outputs.md",
      sentence: "vigie sends the payload once when it comes into force",
    },
    judge: "last payload",
    tell: tellAtOne(choicesAtQuiets, (trace, { sendings }) => withoutSendings(trace, sendings)),
  },
  {
    name: "a device is sent the payload of a choice that does not count",
    breaks: { document: "docs/outputs.md", sentence: "The first choice whose rule is `ON` counts" },
    judge: "unwanted payload",
    tell: tellAtOne(
      (trace) =>
        withNext(trace)
          .filter((told) => isInForce(told, told.sending.steady + 3 * MINUTE))
          .flatMap(({ sending, output }) =>
            plainPayloads(output.output)
              .filter((payload) => payload !== sending.payload)
              .map((payload) => ({ sending, payload })),
          ),
      (trace, { sending, payload }) => withMore(trace, withPayloadSent(again(sending, 2 * MINUTE), payload)),
    ),
  },
  {
    name: "a device is sent the payload of a choice whose rule is OFF",
    breaks: {
      document: "docs/outputs.md",
      sentence: "An output sends a payload to a device while a rule is `ON`.",
    },
    judge: "unwanted payload",
    tell: tellAtOne(endedChoices, (trace, { sending, at }) =>
      withMore(trace, again(sending, at - sending.steady)),
    ),
  },
  {
    name: "`else` is sent though nothing was sent before",
    breaks: { document: "docs/outputs.md", sentence: "At the very first start `else` alone sends nothing" },
    judge: "unwanted payload",
    tell: tellAtOne(untoldDevices, (trace, { sending, payload, at }) =>
      withMore(trace, withPayloadSent(again(sending, at - sending.steady), payload)),
    ),
  },
  {
    name: "a device that has taken its payload is sent it once more",
    breaks: {
      document: "docs/outputs.md",
      sentence: "vigie sends the payload once when it comes into force",
    },
    judge: "sent twice",
    tell: tellAtOne(
      (trace) =>
        withNext(trace).filter(
          (told) =>
            !told.output.output.confirm &&
            told.sending.isTaken &&
            told.to - told.sending.steady > 6 * MINUTE &&
            isInForce(told, told.sending.steady + 6 * MINUTE),
        ),
      (trace, { sending }) => withMore(trace, again(sending, 5 * MINUTE)),
    ),
  },
  {
    name: "a device is switched to and fro five times a second",
    breaks: {
      document: "docs/rules.md",
      sentence: "Rules are evaluated at most once a second, however often values arrive.",
    },
    judge: "one change a second",
    tell: tellAtOne(
      (trace) =>
        withNext(trace).flatMap(({ sending, output }) => {
          const other = plainPayloads(output.output).find((payload) => payload !== sending.payload);
          return other === undefined ? [] : [{ sending, other }];
        }),
      (trace, { sending, other }) => {
        const changes = Array.from({ length: 10 }, (_, index) => {
          const copy = again(sending, 200 * (index + 1));
          return index % 2 === 0 ? withPayloadSent(copy, other) : copy;
        });
        return withMore(trace, changes.flat());
      },
    ),
  },
];

interface Told {
  trace: Trace;
  output: CalmOutput;
  sending: Sending;
}

/** Sendings to devices, and until when nothing else was sent and vigie was calm. */
function withNext(trace: Trace): (Told & { to: number })[] {
  return calmOutputs(trace)
    .filter(({ output }) => !output.message)
    .flatMap((output) =>
      output.sendings.map((sending, index) => ({
        trace,
        output,
        sending,
        to: output.sendings[index + 1]?.steady ?? output.to,
      })),
    );
}

/** It is the payload of a choice whose rule is ON until then. */
function isInForce({ trace, output, sending: { payload, steady } }: Told, to: number): boolean {
  return to <= output.to && isChosen(trace, output.output, payload, { from: steady + SECOND, to });
}

/** All sendings of the payload of a choice that was still in force at a quiet point, if another one was sent before. */
function choicesAtQuiets(trace: Trace): { sendings: Sending[] }[] {
  const quiets = trace.events.filter((event) => isKind(event, "quiet")).map(({ steady }) => steady);
  return calmOutputs(trace)
    .filter(({ output }) => !output.message)
    .flatMap((output) =>
      quiets
        .filter((quiet) => quiet > output.from && quiet <= output.to)
        .flatMap((quiet) => {
          const sent = output.sendings.filter(({ steady }) => steady < quiet);
          const last = sent.at(-1);
          if (!last) return [];
          const other = sent.findLastIndex(({ payload }) => payload !== last.payload);
          const sendings = sent.slice(other + 1);
          const begun = sendings[0]!;
          const shown = output.shown.findLast(({ steady }) => steady < quiet);
          // What was sent at its first time within the calm time.
          const isNew = Math.abs(sentAt(trace, shown) - begun.steady) < 2 * SECOND;
          const before = output.shown.findLast(({ steady }) => steady < begun.steady - SECOND);
          const isOther = before?.json["payload"] !== begun.payload;
          const isDue = isInForce({ trace, output, sending: begun }, quiet);
          return isNew && isOther && isDue ? [{ sendings }] : [];
        }),
    );
}

/** When vigie says that it has sent it first, in whole seconds. */
function sentAt({ began }: Trace, shown: Shown | undefined): number {
  return Date.parse(String(shown?.json["since"])) - began;
}

/** A choice that has ended, and an instant five minutes after another payload has taken its place. */
function endedChoices(trace: Trace): { sending: Sending; at: number }[] {
  return calmOutputs(trace).flatMap(({ output, sendings, to }) => {
    if (output.message) return [];
    return sendings.flatMap((sending, index) => {
      const next = sendings[index + 1];
      const at = (next?.steady ?? to) + 5 * MINUTE;
      const following = sendings[index + 2]?.steady ?? to;
      const choice = output.choose.find(({ payload }) => textOf(payload) === sending.payload);
      if (!next || !choice || next.payload === sending.payload || following < at + MINUTE) return [];
      const isOver = stays(trace, choice.when, "OFF", { from: next.steady + SECOND, to: at + MINUTE });
      const isOnlyOne = plainPayloads(output).filter((payload) => payload === sending.payload).length === 1;
      return isOver && isOnlyOne ? [{ sending, at }] : [];
    });
  });
}

/** Devices that were sent nothing since the first start, whose rules are OFF. */
function untoldDevices(trace: Trace): { sending: Sending; payload: string; at: number }[] {
  const starts = trace.events.filter((event) => isKind(event, "start", "reload", "state file"));
  return calmOutputs(trace).flatMap(({ output, sendings, from, shown }) => {
    const payload = output.else === undefined ? undefined : payloadOf(output.else);
    const [sending] = sendings;
    const at = from + MINUTE;
    const isFirst = starts.filter(({ steady }) => steady < at).length === 1;
    const isUntold = shown[0]?.json["payload"] === null && (sending?.steady ?? 0) > at + MINUTE;
    if (payload === undefined || !sending || !isFirst || !isUntold) return [];
    const areOff = output.choose.every(({ when }) =>
      stays(trace, when, "OFF", { from: at, to: at + MINUTE }),
    );
    return areOff ? [{ sending, payload, at }] : [];
  });
}
