import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Trace } from "../trace.ts";
import { later, withMore, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { isAway, stays } from "./read-outputs.ts";
import { type Stated, statesFor, withState, withStateIn } from "./read-states.ts";
import type { Time } from "./read-trace.ts";

const OUTPUTS = "docs/outputs.md";

/** What vigie shows of a device: whether it does what it was sent. */
export const LIES_OF_DEVICE_STATES: readonly Lie[] = [
  {
    name: "a device of which nothing was heard is confirmed",
    breaks: { document: OUTPUTS, sentence: "the device has reported it after it was sent" },
    judge: "confirmed without a report",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "waiting", "failed").filter((stated) => isUnheard(trace, stated)),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "a device that does what it was sent is not confirmed",
    breaks: {
      document: OUTPUTS,
      sentence: "| `waiting` or `failed` | the device reports what is expected | `confirmed`",
    },
    judge: "not confirmed by a report",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "confirmed").filter(({ before }) => before?.state === "waiting"),
      (trace, stated) => withState(trace, stated, "waiting"),
    ),
  },
  {
    name: "a device has failed after a minute",
    breaks: {
      document: OUTPUTS,
      sentence:
        "After an hour (`for`; the time without a connection to the broker does not count) the state is `failed`",
    },
    judge: "failed too soon",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 3 * MINUTE, "waiting").filter(
          (stated) =>
            isUnheard(trace, stated) &&
            stated.output.sendings.every(({ isTaken, steady }) => isTaken || steady > stated.to),
        ),
      (trace, stated) => withStateAfterMinute(trace, stated, "failed"),
    ),
  },
  {
    name: "a device of which nothing is heard never fails",
    breaks: { document: OUTPUTS, sentence: "the device did not confirm it in time" },
    judge: "waiting for ever",
    tell: tellAtOne(
      (trace) => statesFor(trace, 5 * MINUTE, "failed").filter((stated) => isUnheard(trace, stated)),
      (trace, stated) => withState(trace, stated, "waiting"),
    ),
  },
  {
    name: "a device that does something else stays confirmed",
    breaks: {
      document: OUTPUTS,
      sentence:
        "| `confirmed` | it reports something else, and not what is expected within 5 s | `contrary`, and one line in the log.",
    },
    judge: "confirmed in spite of a report",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, MINUTE, "contrary").filter(
          ({ output, before }) => before?.state === "confirmed" && !output.output.confirm?.keep,
        ),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "a device that does not answer stays confirmed",
    breaks: {
      document: OUTPUTS,
      sentence:
        "| `confirmed`, by `confirm.url` | for 15 min no answer of the device says what it does | `sent` |",
    },
    judge: "confirmed without an answer for long",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 5 * MINUTE, "sent").filter(
          ({ output: { output }, shown, before }) =>
            before?.state === "confirmed" && output.confirm?.url !== undefined && !shown.some(isAway),
        ),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "a device that goes on doing what it was sent is contrary",
    breaks: { document: OUTPUTS, sentence: "the device has reported it, and then something else" },
    judge: "contrary without a report",
    tell: tellAtOne(
      (trace) => statesFor(trace, 3 * MINUTE, "confirmed"),
      (trace, stated) => withStateAfterMinute(trace, stated, "contrary"),
    ),
  },
  {
    name: "what a device said last is forgotten",
    breaks: {
      document: OUTPUTS,
      sentence:
        "| `confirmed` | it reports something else, and not what is expected within 5 s | `contrary`, and one line in the log.",
    },
    judge: "report forgotten",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 5 * MINUTE, "contrary").filter(
          (stated) => isSaidLast(trace, stated) && isQuietIn(trace, stated),
        ),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "a device stays confirmed though no choice is in force",
    breaks: {
      document: OUTPUTS,
      sentence: "| any | no choice is in force, and there is no `else` | `sent` |",
    },
    judge: "not sent though no choice is in force",
    tell: tellAtOne(
      (trace) => statesFor(trace, 5 * MINUTE, "sent").filter((stated) => isNoChoiceInForce(trace, stated)),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "a device that does again what it was sent stays contrary",
    breaks: {
      document: OUTPUTS,
      sentence: "| `contrary` | it reports what is expected, and nothing else for 5 s | `confirmed`",
    },
    judge: "contrary in spite of a report",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 5 * MINUTE, "confirmed").filter(({ before }) => before?.state === "contrary"),
      (trace, stated) => withState(trace, stated, "contrary"),
    ),
  },
  {
    name: "what a device does not do is only said to be sent",
    breaks: { document: OUTPUTS, sentence: "the device did not confirm it in time" },
    judge: "sent without a reason",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 5 * MINUTE, "failed").filter(
          (stated) => isUnheard(trace, stated) && isInForce(trace, stated),
        ),
      (trace, stated) => withState(trace, stated, "sent"),
    ),
  },
  {
    name: "a device is contrary and confirmed by turns each five seconds",
    breaks: {
      document: OUTPUTS,
      sentence: "a device that flaps changes its topics at most once a minute",
    },
    judge: "state changes too often",
    tell: tellAtOne(
      (trace) => statesFor(trace, 3 * MINUTE, "confirmed"),
      (trace, stated) => {
        const turns = Array.from({ length: 12 }, (_, index) =>
          turnOf(stated, index % 2 === 0 ? "contrary" : "confirmed", MINUTE + index * 5 * SECOND),
        );
        return withMore(trace, turns.flat());
      },
    ),
  },
];

/** vigie had sent it within the calm time, and heard nothing of the device since. */
function isUnheard({ began }: Trace, { output, shown, to }: Stated): boolean {
  const sentAt = Date.parse(String(shown[0]?.json["since"])) - began - SECOND;
  return sentAt > output.from && !output.reports.some(({ steady }) => steady > sentAt && steady < to);
}

/** All rules say all the time that what vigie sent last is the payload of a choice, or of `else`. */
function isInForce(trace: Trace, stated: Stated): boolean {
  const { output } = stated.output;
  const choice = stated.shown[0]?.json["choice"];
  const at = output.choose.findIndex(({ when }) => when === choice);
  if (at < 0 && choice !== "else") return false;
  const others = at < 0 ? output.choose : output.choose.slice(0, at);
  const isChosenOne = at < 0 || stays(trace, String(choice), "ON", stated);
  return isChosenOne && others.every(({ when }) => stays(trace, when, "OFF", stated));
}

/** Its device has said over MQTT, and not only at a connection, what made vigie show this state. */
function isSaidLast({ events }: Trace, { output: { output }, from }: Stated): boolean {
  const last = events.findLast(
    (event) => isKind(event, "heard") && event.topic === output.confirm?.topic && event.steady <= from,
  );
  return last?.kind === "heard" && !last.retain;
}

function isQuietIn({ events }: Trace, { from, to }: Time): boolean {
  return events.some((event) => isKind(event, "quiet") && event.steady > from + MINUTE && event.steady < to);
}

/** All rules of its choices are OFF all the time, it has no `else`, and vigie shows what it sent last. */
function isNoChoiceInForce(trace: Trace, stated: Stated): boolean {
  const { choose, else: otherwise } = stated.output.output;
  const isOff = choose.every(({ when }) => stays(trace, when, "OFF", stated));
  return otherwise === undefined && isOff && stated.shown.every(({ json }) => json["payload"] !== null);
}

/** It turns to this state a minute after it began to show the other one. */
function withStateAfterMinute(trace: Trace, stated: Stated, state: string): Trace {
  const following = stated.shown
    .filter(({ steady }) => steady > stated.from + MINUTE)
    .flatMap(({ events }) => events);
  const changed = following.reduce((one, event) => withPayload(one, event, withStateIn(event, state)), trace);
  return withMore(changed, turnOf(stated, state, MINUTE));
}

/** What vigie publishes as it turns to this state, so many milliseconds after it began to show the other one. */
function turnOf({ from, shown }: Stated, state: string, after: number): EventOf<"published">[] {
  const [first] = shown;
  const whole = first!.events.at(-1)!;
  const turned = later(whole, from + after - whole.steady);
  return [
    { ...turned, topic: `${whole.topic}/state`, payload: state },
    { ...turned, payload: withStateIn(whole, state) },
  ];
}
