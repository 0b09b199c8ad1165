import { DAY, MINUTE } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { withOther, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { absences, configAt, plainRules, shownFor, type Time } from "./read-trace.ts";

const BEFORE_AN_ANSWER =
  "Until a source has answered since the start, they name the newest instant in the state file: `… or later`.";

/** What stands on the broker while vigie is away, after it was away, and while its clock is wrong. */
export const LIES_OF_ABSENCE: readonly Lie[] = [
  {
    name: "a topic of the moment never expires",
    breaks: {
      document: "docs/topics.md",
      sentence: "on MQTT 5 it expires at that boundary plus `mqtt.grace` (10 minutes)",
    },
    judge: "no lie",
    tell: tellAtOne(
      (trace) => absences(trace).flatMap((absence) => expiringIn(trace, absence)),
      (trace, event) => withOther(trace, event, { ...event, expiry: undefined }),
    ),
  },
  {
    name: "a topic of the moment expires an hour late",
    breaks: {
      document: "docs/what-if.md",
      sentence: "So the broker shows no bleu of yesterday on a rouge morning.",
    },
    judge: "no lie",
    tell: tellAtOne(
      (trace) => absences(trace).flatMap((absence) => expiringIn(trace, absence)),
      (trace, event) => withOther(trace, event, { ...event, expiry: event.expiry! + 3_600 }),
    ),
  },
  {
    name: "availability stays online after the grace",
    breaks: { document: "docs/what-if.md", sentence: "`availability` is `offline`." },
    judge: "online",
    isSurvived: "no judge looks at availability while vigie is away",
    tell: tellAtOne(
      (trace) => trace.events.filter((event) => isKind(event, "message") && event.by === "will"),
      (trace, will) => without(trace, (event) => event === will),
    ),
  },
  {
    name: "a restart or a reload changes since when a rule says the same",
    breaks: {
      document: "docs/what-if.md",
      sentence: "If vigie comes back, it continues from its state file.",
    },
    judge: "quiet restart",
    tell: tellAtRestart(/^vigie\/rules\/\w+\/since$/, (_, { at }) => new Date(at).toISOString()),
  },
  {
    name: "a restart or a reload forgets a threshold",
    breaks: {
      document: "docs/topics.md",
      sentence: "moves the threshold of a rule; it survives a restart",
    },
    judge: "quiet restart",
    tell: tellAtRestart(/^vigie\/rules\/\w+\/threshold$/, (threshold) =>
      String((Number(threshold) + 20) % 100),
    ),
  },
  {
    name: "a restart or a reload forgets that a rule is disabled, or disables it",
    breaks: { document: "docs/topics.md", sentence: "The end is kept over restarts" },
    judge: "quiet restart",
    tell: tellAtRestart(/^vigie\/rules\/\w+\/enabled$/, (enabled) => (enabled === "ON" ? "OFF" : "ON")),
  },
  {
    name: "a restart or a reload sends a device its payload again",
    breaks: {
      document: "docs/outputs.md",
      sentence:
        "So a restart sends nothing again, and a change that happened while vigie was stopped is sent at its start.",
    },
    judge: "quiet restart",
    tell: tellAtRestart(/^vigie\/outputs\/\w+\/since$/, (_, { at }) => new Date(at).toISOString()),
  },
  {
    name: "a colour is shown while the clock is known to be behind by up to an hour",
    breaks: {
      document: "docs/what-if.md",
      sentence: "`now/…`, `today/…` and the other topics of the moment are `None`",
    },
    judge: "wrong clock",
    tell: tellAtOne(
      (trace) => shownByWrongClock(trace, (skew) => skew < -5 * MINUTE && skew > -65 * MINUTE),
      (trace, event) => withPayload(trace, event, "bleu"),
    ),
  },
  {
    name: "a colour is shown while the clock is known to be wrong by hours",
    breaks: {
      document: "docs/what-if.md",
      sentence: "`now/…`, `today/…` and the other topics of the moment are `None`",
    },
    judge: "wrong clock",
    tell: tellAtOne(
      (trace) => shownByWrongClock(trace, (skew) => skew > -DAY && Math.abs(skew) > 65 * MINUTE),
      (trace, event) => withPayload(trace, event, "bleu"),
    ),
  },
  {
    name: "a colour is shown after a start with a clock that is days behind, before a source has answered",
    breaks: {
      document: "docs/what-if.md",
      sentence:
        "vigie compares the machine's clock with those of the sources, and with the newest instant in its state file.",
    },
    judge: "wrong clock",
    tell: tellAtOne(
      (trace) => shownByWrongClock(trace, (skew) => skew < -DAY),
      (trace, event) => withPayload(trace, event, "bleu"),
    ),
  },
  {
    name: "the log names the sources before one has answered since the start",
    breaks: { document: "docs/what-if.md", sentence: BEFORE_AN_ANSWER },
    judge: "reason of a wrong clock",
    tell: tellAtOne(
      ({ events }) =>
        events.filter((event) => isKind(event, "log") && /wrong: .* or later\./.test(event.sentence)),
      (trace, event) => {
        const log = event as EventOf<"log">;
        const sentence = log.sentence.replace(/and it is (.*) or later/, "and by its sources it is $1");
        return withOther(trace, event, { ...log, sentence });
      },
    ),
  },
];

/** What vigie published last before it went, and what is over for a quarter of an hour before it comes back. */
function expiringIn({ events }: Trace, { from, to }: Time): EventOf<"published">[] {
  const last = new Map<string, EventOf<"published">>();
  for (const event of events)
    if (event.kind === "published" && event.steady <= from && EXPIRING.test(event.topic))
      last.set(event.topic, event);
  return [...last.values()].filter(({ steady, expiry, payload }) => {
    const end = steady + (expiry ?? Number.POSITIVE_INFINITY) * 1_000;
    return payload !== "None" && end > from && end + 15 * MINUTE < to;
  });
}

/** Of these the next boundary is an instant at which they are something else. */
const EXPIRING = /^vigie\/(now\/period|now\/period_until|offpeak|(today|tomorrow|d[2-7])\/date)$/;

type Quiet = EventOf<"quiet">;

/** Between two quiet points there was nothing but a restart or a reload, and this topic was the same at both. */
function tellAtRestart(topic: RegExp, other: (payload: string, after: Quiet) => string): Lie["tell"] {
  return tellAtOne(
    (trace) => {
      const quiets = trace.events.filter((event) => event.kind === "quiet");
      return quiets.flatMap((after, index) => {
        const before = quiets[index - 1];
        if (!before || after.steady - before.steady > 4 * MINUTE) return [];
        return [...after.retained]
          .filter(
            ([name, payload]) =>
              topic.test(name) && before.retained.get(name) === payload && isPlainTopic(trace, after, name),
          )
          .map(([name, payload]) => ({ after, name, payload }));
      });
    },
    (trace, { after, name, payload }) => {
      const retained = new Map(after.retained).set(name, other(payload, after));
      return withOther(trace, after, { ...after, retained });
    },
  );
}

/** No hold and no value of the house decides what stands here. */
function isPlainTopic(trace: Trace, { steady }: Quiet, topic: string): boolean {
  const [, kind, id = ""] = topic.split("/");
  const plain = plainRules(trace, steady);
  if (kind === "rules") return plain.includes(id);
  const output = configAt(trace, steady).outputs.list.find((one) => one.id === id);
  return output?.choose.every(({ when }) => plain.includes(when)) ?? false;
}

/** Where vigie says that the clock is wrong, and shows no colour. */
function shownByWrongClock(trace: Trace, isWrong: (skew: number) => boolean): EventOf<"published">[] {
  return shownFor(trace, /^vigie\/now\/color$/, 10 * MINUTE, isWrong)
    .filter(({ event, from }) => {
      const isCode = (one: TraceEvent) =>
        one.kind === "published" && one.topic === "vigie/service/problem_code";
      const code = trace.events.findLast((one) => isCode(one) && one.steady <= from);
      return event.payload === "None" && code?.kind === "published" && code.payload === "clock";
    })
    .map(({ event }) => event);
}
