import { HOUR, MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Trace } from "../trace.ts";
import { eventAt, later, withMore, withOther, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { isBoundary, plainRules, type Shown, shownFor, silentTimes, turnsIn } from "./read-trace.ts";

const STATE = /^vigie\/rules\/\w+\/state$/;

/** What rules say now, and what they said that they would say. */
export const LIES_OF_RULES: readonly Lie[] = [
  {
    name: "a rule is ON in place of OFF, or OFF in place of ON",
    breaks: {
      document: "docs/topics.md",
      sentence: "A value of the *moment* is true until its next boundary",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => statesOf(trace).filter(({ event }) => event.payload !== "None"),
      (trace, { event }) => withPayload(trace, event, event.payload === "ON" ? "OFF" : "ON"),
    ),
  },
  {
    name: "an unknown rule is OFF",
    breaks: {
      document: "docs/rules.md",
      sentence: "A value that is not known makes a rule unknown, unless the laws of the tariff decide",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => statesOf(trace).filter(({ event }) => event.payload === "None"),
      (trace, { event }) => withPayload(trace, event, "OFF"),
    ),
  },
  {
    name: "a rule turns an hour late",
    breaks: { document: "docs/rules.md", sentence: "so the clock turns it as planned" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => turnsOf(trace, 90 * MINUTE).filter(isBoundary(trace)),
      (trace, turn) => withOther(trace, turn, later(turn, HOUR)),
    ),
  },
  {
    name: "a rule waits for values that have arrived",
    breaks: {
      document: "docs/rules.md",
      sentence:
        "Until the broker has sent what it holds, at most 10 seconds, what the values were before decides",
    },
    judge: "values that have arrived",
    tell: tellAtOne(quietRules, (trace, { quiet, topic }) => {
      const json = '{"because":["as before: the values that the broker holds have not arrived yet"]}';
      return withOther(trace, quiet, { ...quiet, retained: new Map([...quiet.retained, [topic, json]]) });
    }),
  },
  {
    name: "a rule turns a minute late",
    breaks: { document: "docs/rules.md", sentence: "so the clock turns it as planned" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => turnsOf(trace, 5 * MINUTE).filter(isBoundary(trace)),
      (trace, turn) => withOther(trace, turn, later(turn, MINUTE)),
    ),
  },
  {
    name: "a disabled rule is ON",
    breaks: { document: "docs/rules.md", sentence: "A disabled rule is `OFF` with the reason `disabled`" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => statesOf(trace).filter((shown) => isDisabled(trace, shown)),
      (trace, { event }) => withPayload(trace, event, "ON"),
    ),
  },
  {
    name: "a simulation goes on for an hour after its end",
    breaks: {
      document: "docs/topics.md",
      sentence: "It ends after `for` (`1s` to `24h`, an hour if none is given)",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) =>
        turnsIn(trace, /^vigie\/simulation\/color$/, 90 * MINUTE).filter(({ payload }) => payload === "auto"),
      (trace, turn) => withOther(trace, turn, later(turn, HOUR)),
    ),
  },
  {
    name: "a rule turns for three minutes, which its plan did not say",
    breaks: {
      document: "docs/topics.md",
      sentence: "the coming verdicts, as far as the days are known",
    },
    judge: "foretold",
    tell: tellAtOne(
      (trace) =>
        statesOf(trace).flatMap((shown) =>
          silentTimes(trace, 10 * MINUTE)
            .filter(({ from, to }) => from >= shown.from && to <= shown.to)
            .map(({ from, to }) => ({ shown, middle: (from + to) / 2 })),
        ),
      (trace, { shown: { event }, middle }) =>
        withMore(trace, [
          eventAt(trace, middle, { ...event, payload: event.payload === "ON" ? "OFF" : "ON" }),
          eventAt(trace, middle + 3 * MINUTE, event),
        ]),
    ),
  },
  {
    name: "a rule turns at another instant than its plan says",
    breaks: {
      document: "docs/rules.md",
      sentence: "With them a home automation can act at 06:00 even when vigie is gone.",
    },
    judge: "foretold",
    tell: tellAtOne(
      (trace) => turnsOf(trace, 10 * MINUTE).flatMap((turn) => plansOf(trace, turn)),
      (trace, { plan, turn }) => withPayload(trace, plan, shifted(plan.payload, turn.at, 3 * MINUTE)),
    ),
  },
];

/** The reasons of each rule at a quiet point long after the connection. */
function quietRules({ events }: Trace) {
  return events.flatMap((quiet, index) => {
    if (!isKind(quiet, "quiet")) return [];
    const connected = events.slice(0, index).findLast((event) => isKind(event, "connected"));
    if (!connected || quiet.steady < connected.steady + HOUR) return [];
    const topics = [...quiet.retained.keys()].filter((topic) => /^vigie\/rules\/\w+$/.test(topic));
    return topics.map((topic) => ({ quiet, topic }));
  });
}

/** What vigie showed of plain rules for an hour. */
function statesOf(trace: Trace): Shown[] {
  return shownFor(trace, STATE, HOUR).filter(({ event }) => isPlain(trace, event));
}

function turnsOf(trace: Trace, least: number): EventOf<"published">[] {
  return turnsIn(trace, STATE, least).filter((turn) => isPlain(trace, turn));
}

function isPlain(trace: Trace, { topic, steady }: EventOf<"published">): boolean {
  return plainRules(trace, steady).includes(ruleIn(topic));
}

function ruleIn(topic: string): string {
  return topic.split("/")[2] ?? "";
}

function isDisabled(trace: Trace, { event, from, to }: Shown): boolean {
  const enabled = shownFor(trace, new RegExp(`^vigie/rules/${ruleIn(event.topic)}/enabled$`), HOUR);
  return enabled.some((one) => one.event.payload === "OFF" && one.from <= from && one.to >= to);
}

/** The plan that counts in a silent time in which its rule turns. */
function plansOf(trace: Trace, turn: EventOf<"published">) {
  const silent = silentTimes(trace, 5 * MINUTE).find(
    ({ from, to }) => from + MINUTE < turn.steady && turn.steady < to - 4 * MINUTE,
  );
  const topic = `vigie/rules/${ruleIn(turn.topic)}/plan`;
  const plan = trace.events.findLast(
    (event): event is EventOf<"published"> =>
      event.kind === "published" && event.topic === topic && event.steady < turn.steady,
  );
  return silent && plan?.payload.includes(instantOf(turn.at)) ? [{ plan, turn }] : [];
}

/** The plan, with another instant in place of this one. */
function shifted(plan: string, at: number, by: number): string {
  return plan.replaceAll(instantOf(at), instantOf(at + by));
}

function instantOf(at: number): string {
  return new Date(at - (at % SECOND)).toISOString().replace(".000Z", "Z");
}
