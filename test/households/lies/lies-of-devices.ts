import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { later, withMore, withOther, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import {
  again,
  type CalmOutput,
  calmOutputs,
  isChosen,
  outputsOf,
  payloadOf,
  type Sending,
  type Shown,
  stays,
  withoutSendings,
} from "./read-outputs.ts";
import type { Time } from "./read-trace.ts";

const OUTPUTS = "docs/outputs.md";

export const LIES_OF_DEVICES: readonly Lie[] = [
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
      (trace) => statesFor(trace, MINUTE, "contrary").filter(({ before }) => before?.state === "confirmed"),
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
      (trace) => statesFor(trace, 5 * MINUTE, "sent").filter((stated) => isPayloadLeft(trace, stated)),
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
  {
    name: "a device that is away is confirmed",
    breaks: { document: OUTPUTS, sentence: "the state is never `confirmed`, whatever is reported meanwhile" },
    judge: "confirmed while away",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "sent").filter(({ shown }) => shown.every(isAway)),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "since when a device is away begins anew at a reload or a restart",
    breaks: { document: OUTPUTS, sentence: "That goes on over reloads and restarts." },
    judge: "away since another time",
    tell: tellAtOne(awayOverRestarts, awayAnew),
  },
  {
    name: "a device that is away has a tick on the page",
    breaks: { document: OUTPUTS, sentence: "the state is never `confirmed`, whatever is reported meanwhile" },
    judge: "tick while away",
    tell: tellAtOne(awayOnPage, (trace, { quiet, place }) => {
      const page = quiet.page.replace(place, place.replace(AWAY, `✓ ${AWAY}`));
      return withOther(trace, quiet, { ...quiet, page });
    }),
  },
  {
    name: "nothing says that a device is away",
    breaks: { document: OUTPUTS, sentence: "It counts at once; what the broker held from before, after 5 s" },
    judge: "away and not shown as away",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "sent").filter(({ shown }) => shown.every(isAway)),
      (trace, { shown }) => withAwaySince(trace, shown, null),
    ),
  },
  {
    name: "a device that is back is shown as away",
    breaks: { document: "docs/devices.md", sentence: "until it is back and is told again" },
    judge: "there and shown as away",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 0, "waiting").flatMap(({ output, from, before }) =>
          before && isAway(before)
            ? [{ since: before.json["away_since"], shown: shownUntilAway(output, from) }]
            : [],
        ),
      (trace, { since, shown }) => withAwaySince(trace, shown, since),
    ),
  },
  {
    name: "the page does not say that a device is away",
    breaks: { document: OUTPUTS, sentence: "say since when it is away, as far as vigie heard" },
    judge: "away and not on the page",
    tell: tellAtOne(awayOnPage, (trace, { quiet, place }) => {
      const page = quiet.page.replace(place, place.replace(AWAY, "envoyé"));
      return withOther(trace, quiet, { ...quiet, page });
    }),
  },
  {
    name: "the page says of a device that is not away that it is",
    breaks: { document: OUTPUTS, sentence: "say since when it is away, as far as vigie heard" },
    judge: "there and on the page as away",
    tell: tellAtOne(
      (trace) => cardsOf(trace).filter(({ place }) => !place.includes(AWAY)),
      (trace, { quiet, place }) => {
        const page = quiet.page.replace(place, place.replace("</h3>", `</h3> ${AWAY} 12:00`));
        return withOther(trace, quiet, { ...quiet, page });
      },
    ),
  },
  {
    name: "a device is sent its payload again sooner than it was configured",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `confirm`, vigie sends the payload again every 30 s (`every`) until the device reports it",
    },
    judge: "told again too soon",
    tell: tellAtOne(
      (trace) => repeats(trace).filter(({ first }) => first.isTaken),
      (trace, { first, second }) =>
        withMore(trace, again(first, Math.round((second.steady - first.steady) / 3))),
    ),
  },
  {
    name: "a device that has confirmed its payload is sent it again",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `confirm`, vigie sends the payload again every 30 s (`every`) until the device reports it",
    },
    judge: "told again though it had confirmed",
    tell: tellAtOne(confirmedSendings, (trace, { sending, by }) => withMore(trace, again(sending, by))),
  },
  {
    name: "`else` is sent again to a device that does something else",
    breaks: { document: OUTPUTS, sentence: "never for `else` or `unknown`" },
    judge: "told again though not kept",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 3 * MINUTE, "contrary").flatMap(({ output, from, shown, before }) => {
          const sending = output.sendings.findLast(({ steady }) => steady < from);
          const isElse =
            shown.every(({ json }) => json["choice"] === "else") && before?.state === "confirmed";
          return isElse && sending ? [{ sending, by: from + 2 * MINUTE - sending.steady }] : [];
        }),
      (trace, { sending, by }) => withMore(trace, again(sending, by)),
    ),
  },
  {
    name: "what a device has not confirmed is not sent again",
    breaks: {
      document: OUTPUTS,
      sentence:
        "With `confirm`, vigie sends the payload again every 30 s (`every`) until the device reports it",
    },
    judge: "not tried again",
    tell: tellAtOne(
      (trace) =>
        repeats(trace).filter(
          ({ first, second, to }) => second.steady + (second.steady - first.steady) + 2 * MINUTE < to,
        ),
      (trace, { output, second, to }) =>
        withoutSendings(
          trace,
          output.sendings.filter(({ steady }) => steady >= second.steady && steady < to),
        ),
    ),
  },
  {
    name: "a device that is back is not sent its payload",
    breaks: {
      document: OUTPUTS,
      sentence: "sends the payload again when the device says on `topic` that it is back",
    },
    judge: "not told though it came back",
    tell: tellAtOne(
      (trace) =>
        tellings(trace).filter(({ state, before }) => state === "waiting" && before && isAway(before)),
      withoutTelling,
    ),
  },
  {
    name: "a device with `keep` that does something else is not sent its payload",
    breaks: { document: OUTPUTS, sentence: "sends the payload again 5 s after a report of something else" },
    judge: "not told though it does something else",
    tell: tellAtOne(
      (trace) =>
        tellings(trace).filter(({ state, output }) => state === "contrary" && output.output.confirm?.keep),
      withoutTelling,
    ),
  },
  {
    name: "a device that does something else is sent its payload at once",
    breaks: { document: OUTPUTS, sentence: "sends the payload again 5 s after a report of something else" },
    judge: "told again before 5 s",
    tell: tellAtOne(
      (trace) =>
        tellings(trace).filter(({ state, before }) => state === "contrary" && before?.state === "confirmed"),
      (trace, { sending }) =>
        withMore(
          withoutSendings(trace, [sending]),
          sending.events.map((event) => later(event, -4 * SECOND)),
        ),
    ),
  },
  {
    name: "a device that is there is not sent its payload at a new connection",
    breaks: {
      document: OUTPUTS,
      sentence: "vigie sends the payload once more to a device that is there according to `online`",
    },
    judge: "not told at a new connection",
    tell: tellAtOne(toldAtConnections, withoutTelling),
  },
  {
    name: "a device that is switched back is sent its payload a sixth time within an hour",
    breaks: {
      document: OUTPUTS,
      sentence: "vigie sends it at most five times within an hour, then every ten minutes",
    },
    judge: "told again too often",
    tell: tellAtOne(slowTellings, (trace, { sending, by }) => withMore(trace, again(sending, by))),
  },
  {
    name: "an address that refuses is asked again after a minute",
    breaks: {
      document: OUTPUTS,
      sentence:
        "After any other status from 300 to 499 vigie says at once what to check, and sends again every ten minutes.",
    },
    judge: "told again too soon",
    tell: tellAtOne(refusedSendings, (trace, sending) => withMore(trace, again(sending, MINUTE))),
  },
  {
    name: "a device goes on by a value that counts no longer, as the broker is away",
    breaks: {
      document: "docs/what-if.md",
      sentence: "devices over HTTP get what `when_unknown` of the rule or `unknown` of the output says",
    },
    judge: "values without the broker",
    tell: tellAtOne(sentAlone, (trace, sending) => withoutSendings(trace, [sending])),
  },
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

/** A state that vigie showed of a device in a calm time, all that it published meanwhile, and what it had shown before. */
interface Stated extends Time {
  output: CalmOutput;
  state: string;
  shown: readonly Shown[];
  before: Shown | undefined;
}

/** Those of these states that stood in a calm time for so long. */
function statesFor(trace: Trace, least: number, ...states: readonly string[]): Stated[] {
  return calmOutputs(trace)
    .filter(({ output }) => output.confirm !== undefined)
    .flatMap(readStates)
    .filter(({ state, from, to }) => states.includes(state) && to - from >= least);
}

function readStates(output: CalmOutput): Stated[] {
  const found: Stated[] = [];
  for (const [index, shown] of output.shown.entries()) {
    const before = output.shown[index - 1];
    const last = found.at(-1);
    const to = Math.min(shown.until, output.to);
    if (last?.state === shown.state) Object.assign(last, { to, shown: [...last.shown, shown] });
    else
      found.push({
        output,
        state: shown.state,
        from: Math.max(shown.steady, output.from),
        to,
        shown: [shown],
        before,
      });
  }
  return found;
}

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

/** It shows what was sent last, and all rules of its choices are OFF all the time. */
function isPayloadLeft(trace: Trace, stated: Stated): boolean {
  const { choose, else: otherwise } = stated.output.output;
  const isOff = choose.every(({ when }) => stays(trace, when, "OFF", stated));
  return otherwise === undefined && isOff && stated.shown.every(({ json }) => json["payload"] !== null);
}

/** vigie shows this state in place of the one that it has shown. */
function withState(trace: Trace, { shown }: Stated, state: string): Trace {
  return shown
    .flatMap(({ events }) => events)
    .reduce((changed, event) => withPayload(changed, event, withStateIn(event, state)), trace);
}

function withStateIn({ topic, payload }: EventOf<"published">, state: string): string {
  if (topic.endsWith("/state")) return state;
  return payload.startsWith("{") ? JSON.stringify({ ...JSON.parse(payload), state }) : payload;
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

function isAway({ json }: Shown): boolean {
  return json["away_since"] !== null;
}

function shownUntilAway({ shown }: CalmOutput, from: number): Shown[] {
  const following = shown.filter(({ steady }) => steady >= from);
  const next = following.findIndex(isAway);
  return next < 0 ? following : following.slice(0, next);
}

function withAwaySince(trace: Trace, shown: readonly Shown[], away_since: unknown): Trace {
  return shown
    .flatMap(({ events }) => events)
    .reduce((changed, event) => {
      if (!event.payload.startsWith("{")) return changed;
      return withPayload(changed, event, JSON.stringify({ ...JSON.parse(event.payload), away_since }));
    }, trace);
}

/** What was published first of a device after a reload or a restart in order, if it was away before and still was. */
function awayOverRestarts(trace: Trace): EventOf<"published">[] {
  const last = new Map<string, EventOf<"published">>();
  const found: EventOf<"published">[] = [];
  let restartedAt = 0;
  for (const event of trace.events) {
    if (isKind(event, "kill", "crash", "jump", "state file")) last.clear();
    if (isKind(event, "stop", "reload")) restartedAt = event.steady;
    if (!isKind(event, "published") || !/^vigie\/outputs\/\w+$/.test(event.topic)) continue;
    const before = last.get(event.topic);
    const since = awaySince(event);
    const isSame = before !== undefined && since !== null && awaySince(before) === since;
    if (isSame && before.steady < restartedAt) found.push(event);
    last.set(event.topic, event);
  }
  return found;
}

function awaySince({ payload }: EventOf<"published">): string | null {
  return payload === "" ? null : JSON.parse(payload).away_since;
}

function awayAnew(trace: Trace, first: EventOf<"published">): Trace {
  const since = awaySince(first);
  const away_since = `${new Date(first.at).toISOString().slice(0, 19)}Z`;
  const wrong = trace.events.filter(
    (event) =>
      isKind(event, "published") &&
      event.topic === first.topic &&
      event.steady >= first.steady &&
      awaySince(event) === since,
  ) as EventOf<"published">[];
  return wrong.reduce(
    (changed, event) =>
      withPayload(changed, event, JSON.stringify({ ...JSON.parse(event.payload), away_since })),
    trace,
  );
}

/** Quiet points at which the page shows that a device is away. */
function awayOnPage(trace: Trace): Card[] {
  return cardsOf(trace).filter(({ place }) => place.includes(AWAY));
}

/** What the page shows of a device at a quiet point. */
interface Card {
  quiet: EventOf<"quiet">;
  place: string;
}

function cardsOf(trace: Trace): Card[] {
  return trace.events.flatMap((event) => {
    if (!isKind(event, "quiet")) return [];
    const cards = event.page.split('<li class="card device').slice(1);
    return cards.map((place) => ({ quiet: event, place }));
  });
}

const AWAY = "hors ligne depuis";

interface Repeated {
  output: CalmOutput;
  first: Sending;
  /** The same payload, as nothing had confirmed the first one. */
  second: Sending;
  /** How long it went on waiting. */
  to: number;
}

function repeats(trace: Trace): Repeated[] {
  return statesFor(trace, MINUTE, "waiting").flatMap(({ output, from, to }) => {
    const sendings = output.sendings.filter(({ steady }) => steady >= from && steady < to);
    return sendings.slice(1).flatMap((second, index): Repeated[] => {
      const first = sendings[index]!;
      return first.payload === second.payload ? [{ output, first, second, to }] : [];
    });
  });
}

/** Sendings that were confirmed, and an instant three minutes after that at which they still were. */
function confirmedSendings(trace: Trace): { sending: Sending; by: number }[] {
  return statesFor(trace, 5 * MINUTE, "confirmed").flatMap(({ output, from, to }) => {
    const sending = output.sendings.findLast(({ steady }) => steady < from);
    const topic = output.output.confirm?.online?.topic;
    const isTouched = trace.events.some(
      (event) => isKind(event, "heard") && event.topic === topic && event.steady > from && event.steady < to,
    );
    return sending && !isTouched ? [{ sending, by: from + 3 * MINUTE - sending.steady }] : [];
  });
}

/** vigie sends the payload of a choice once more, as its device is back or does something else; and so long nothing else is due. */
function tellings(trace: Trace): (Stated & { sending: Sending })[] {
  return statesFor(trace, 0, "waiting", "contrary").flatMap((stated) => {
    const { output, shown } = stated;
    const { steady } = shown[0]!;
    const sending = output.sendings.find((one) => Math.abs(one.steady - steady) < SECOND);
    const next = output.sendings.find((one) => one.steady > steady && one.payload !== sending?.payload);
    const to = Math.min(next?.steady ?? output.to, output.to, steady + 10 * MINUTE);
    const isMqtt = output.output.confirm?.topic !== undefined && output.output.topic !== undefined;
    if (!sending || !isMqtt || to < steady + 5 * MINUTE) return [];
    const isDue = isChosen(trace, output.output, sending.payload, { from: steady - SECOND, to });
    return isDue ? [{ ...stated, sending, from: steady, to }] : [];
  });
}

/** Nothing is sent, and so the device reports nothing, and vigie shows nothing else. */
function withoutTelling(
  trace: Trace,
  { output: { id, output, sendings }, from, to }: Pick<Stated, "output" | "from" | "to">,
): Trace {
  const isMeanwhile = ({ steady }: { steady: number }) => steady > from - SECOND && steady <= to;
  const untold = withoutSendings(trace, sendings.filter(isMeanwhile));
  return without(
    untold,
    (event) =>
      isKind(event, "published", "heard", "message") &&
      event.steady > from &&
      event.steady <= to &&
      (event.topic === output.confirm?.topic || event.topic.startsWith(`vigie/outputs/${id}`)),
  );
}

/** A device that is there is sent its payload after a connection was lost, and so long nothing else is due. */
function toldAtConnections(trace: Trace): Pick<Stated, "output" | "from" | "to">[] {
  const { events } = trace;
  return events.flatMap((event, index) => {
    if (!isKind(event, "connected")) return [];
    const before = events.slice(0, index).findLast((one) => isKind(one, ...DISTURBING));
    if (before?.kind !== "disconnected") return [];
    const time = { from: event.steady, to: event.steady + 5 * MINUTE };
    const isDisturbed = (one: TraceEvent) =>
      one.steady > time.from && one.steady < time.to && isKind(one, ...DISTURBING);
    if (events.some(isDisturbed)) return [];
    return outputsOf(trace)(time).flatMap((output) => {
      const [first] = output.sendings;
      const { confirm, topic } = output.output;
      if (!first || !confirm?.online || topic === undefined || first.steady > time.from + MINUTE) return [];
      const isDue = isChosen(trace, output.output, first.payload, time);
      return isDue ? [{ output, from: first.steady, to: time.to }] : [];
    });
  });
}

const DISTURBING = ["disconnected", "start", "stop", "kill", "crash", "reload", "suspend", "jump"] as const;

/** A device was sent its payload so often that vigie waits, and so long it may not be sent it again. */
function slowTellings(trace: Trace): { sending: Sending; by: number }[] {
  return statesFor(trace, 5 * MINUTE, "contrary").flatMap(({ output, shown, to }) =>
    shown.flatMap(({ steady, json }) => {
      const sending = output.sendings.findLast((one) => one.steady < steady + SECOND);
      const nextTry = Date.parse(String(json["next_try"])) - trace.began;
      const by = 3 * MINUTE;
      const isEarly = sending !== undefined && sending.steady + by + MINUTE < Math.min(nextTry, to);
      return isEarly ? [{ sending, by }] : [];
    }),
  );
}

/** The address has refused it, and was not asked again for two minutes. */
function refusedSendings(trace: Trace): Sending[] {
  return calmOutputs(trace)
    .filter(({ output }) => !output.message)
    .flatMap(({ sendings, to }) =>
      sendings.filter(({ events, steady }, index) => {
        const isRefused = events.some(
          (event) =>
            isKind(event, "web answer") &&
            event.status >= 300 &&
            event.status < 500 &&
            !LATER.includes(event.status),
        );
        return isRefused && (sendings[index + 1]?.steady ?? to) > steady + 2 * MINUTE;
      }),
    );
}

const LATER = [408, 425, 429];

/** What a vigie that started without a broker sent last, before it had one: the payload for values that are not known. */
function sentAlone(trace: Trace): Sending[] {
  let started: number | null = null;
  return trace.events.flatMap((event) => {
    if (isKind(event, "start")) started = event.steady;
    if (!isKind(event, ...ENDS) || started === null) return [];
    const [from, to] = [started, event.steady];
    started = null;
    return outputsOf(trace)({ from, to }).flatMap(({ output, sendings }) => {
      const last = sendings.findLast(({ steady }) => steady < to);
      const isUnknown = output.unknown !== undefined && last?.payload === payloadOf(output.unknown);
      return last && last.steady > from && isUnknown ? [last] : [];
    });
  });
}

const ENDS = ["connected", "stop", "kill", "reload"] as const;

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
