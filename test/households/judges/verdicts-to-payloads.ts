import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { readCalm } from "./calm.ts";
import { type Chosen, choosePayload, decidingTopics, isHeldBack } from "./chosen-payload.ts";
import type { House } from "./house.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { readOutputLives } from "./output-life.ts";
import { readSendings, type Sending, targetOf } from "./sendings.ts";
import { houseAt, housesBetween, readTopics, type TopicHistory } from "./topics.ts";
import { rulesWithoutValues } from "./value-rules.ts";

/**
 * From the verdicts that vigie has published to the payloads that it has sent: at a quiet point the last payload is the
 * chosen one; none is sent that was not chosen about then; none twice, but after a kill; and none many times a second.
 */
export const payloadJudges: readonly Judge[] = [
  {
    name: "last payload",
    find: (trace) =>
      trace.events.flatMap((event) => (isKind(event, "quiet") ? lastPayloads(event, trace) : [])),
  },
  { name: "unwanted payload", find: (trace) => ofEachTarget(trace, unwanted) },
  { name: "sent twice", find: (trace) => ofEachTarget(trace, twice) },
  { name: "one change a second", find: (trace) => ofEachTarget(trace, tooFast) },
];

function ofEachTarget(trace: Trace, find: (sent: readonly Sending[], trace: Trace) => Finding[]): Finding[] {
  return [...readSendings(trace).values()].flatMap((sent) => find(sent, trace));
}

/** The last payload is the chosen one. */
function lastPayloads(quiet: EventOf<"quiet">, trace: Trace): Finding[] {
  const house = houseAt(trace, quiet.steady);
  if (!house) return [];
  const isHeld = isHeldBack(house, readTopics(trace), quiet.steady, quiet.steady);
  // What a message says does not change when a placeholder in it does: other judges follow it.
  const devices = house.outputs.filter(({ isMessage }) => !isMessage);
  return devices.flatMap((output): Finding[] => {
    if (isHeld) return ["skipped"];
    const chosen = choosePayload(output, (topic) => quiet.retained.get(topic));
    const target = targetOf(output);
    const last = readSendings(trace)
      .get(target)
      ?.findLast((one) => one.steady <= quiet.steady);
    if (!hasPayload(chosen)) return [];
    // vigie does not undo what it did not do. An output that had another target did something there.
    const isUntouched = !last && chosen.kind === "else" && !hadOtherTarget(output, trace, quiet.steady);
    if (chosen.payload === last?.payload || isUntouched) return ["right"];
    // vigie may have forgotten what it sent last. If it never sent anything, nothing keeps it from sending the payload of a choice.
    const isForgotten =
      (last || chosen.kind !== "choice") && hasForgotten(trace, last?.steady ?? 0, quiet.steady);
    if (isForgotten) return ["skipped"];
    const sentence = `${target}: ${chosen.payload} is chosen (${chosen.kind}), and ${last?.payload ?? "nothing"} was sent last`;
    return [{ at: quiet.steady, sentence }];
  });
}

function hadOtherTarget(output: OutputText, trace: Trace, to: number): boolean {
  const sendings = readSendings(trace);
  return housesBetween(trace, 0, to).some(({ outputs }) =>
    outputs.some(
      (one) =>
        one.id === output.id &&
        targetOf(one) !== targetOf(output) &&
        !one.isMessage &&
        sendings.get(targetOf(one))?.some(({ steady }) => steady <= to),
    ),
  );
}

function hasPayload(chosen: Chosen): chosen is Chosen & { payload: string } {
  return "payload" in chosen;
}

/** Each payload was chosen at some time shortly before or after it was sent. */
function unwanted(sent: readonly Sending[], trace: Trace): Finding[] {
  const calm = readCalm(trace);
  const topics = readTopics(trace);
  return sent.flatMap((sending, index): Finding[] => {
    const { target, how, payload, steady } = sending;
    const [from, to] = [steady - AROUND, steady + AROUND];
    const houses = housesBetween(trace, from, to).flatMap((house) => {
      const output = house.outputs.find((one) => targetOf(one) === target);
      return output ? [{ house, output }] : [];
    });
    if (houses.some(({ output }) => output.isMessage)) return [];
    const isOpen =
      // What rules say while the broker is away, nobody sees.
      (how === "http" && !calm.isThrough(from, to)) ||
      houses.some(({ house }) => isHeldBack(house, topics, from, to)) ||
      // A value may turn its rule more often than a slow broker hears of it.
      (!calm.isSeen(from, to) && houses.some(({ house, output }) => isOfValues(output, house)));
    if (isOpen) return ["skipped"];
    const before = sent[index - 1];
    const chosen = houses.flatMap(({ output }) =>
      chosenBetween(output, topics, Math.max(from, decidedAnew(output, sending, trace)), to),
    );
    const wanted = chosen.filter((one) => hasPayload(one) && one.payload === payload);
    if (wanted.some(({ kind }) => kind !== "else")) return ["right"];
    const outputs = houses.map(({ output }) => output);
    if (wanted.length > 0) return [before ? "right" : firstElse(sending, outputs, trace)];
    if (chosen.some(({ kind }) => kind === "stands")) {
      if (houses.some(({ output }) => wasLast(output, sending, before, topics))) return ["right"];
      if (before && hasForgotten(trace, before.steady, steady)) return ["skipped"];
    }
    return [{ at: steady, sentence: `${target}: nobody wanted ${payload}` }];
  });
}

const connectionsOf = onceForEach(({ events }: Trace) =>
  events.filter((event) => isKind(event, "connected")),
);

/**
 * When vigie had published the state of each rule over the connection by which it sent this. What it published over the connection
 * before counts no more: it may have been stopped, or its machine suspended. On each connection the rules are first.
 */
function decidedAnew(output: OutputText, { how, steady }: Sending, trace: Trace): number {
  const from = connectionsOf(trace).findLast((connection) => connection.steady <= steady)?.steady;
  if (how === "http" || from === undefined) return 0;
  const topics = readTopics(trace);
  const said = decidingTopics(output).map((topic) => topics.changes([topic], from, steady)[0] ?? 0);
  return Math.max(from, ...said);
}

/**
 * vigie does not undo what it did not do: as the first payload of a device, `else` is right only if vigie was to send something before.
 * That may have been at another target, or without success, such as while the broker was away.
 */
function firstElse(sending: Sending, outputs: readonly OutputText[], trace: Trace): Finding {
  const { target, payload, steady } = sending;
  const topics = readTopics(trace);
  if (outputs.some((output) => hadOtherTarget(output, trace, steady))) return "right";
  const ever = housesBetween(trace, 0, steady).flatMap((house) =>
    house.outputs.filter((output) => targetOf(output) === target),
  );
  // Before its topic is published first, a rule only seems to be unknown.
  const knownFrom = (output: OutputText) =>
    Math.max(0, ...decidingTopics(output).map((topic) => topics.published(topic)[0]?.steady ?? 0));
  const earlier = ever.flatMap((output) => chosenBetween(output, topics, knownFrom(output), steady + AROUND));
  if (earlier.some((one) => hasPayload(one) && one.kind !== "else")) return "right";
  // What was chosen may have ended before a topic said so.
  if (!readCalm(trace).isSeen(0, steady + AROUND)) return "skipped";
  return { at: steady, sentence: `${target}: ${payload} (else) was sent, and nothing before it` };
}

/**
 * It is what vigie sent last, or believes that it did. It may not have been able to send what was chosen since, such as without
 * its secret, and tries that again.
 */
function wasLast(
  output: OutputText,
  { payload, steady }: Sending,
  before: Sending | undefined,
  topics: TopicHistory,
): boolean {
  const chosenLast = chosenBetween(output, topics, before?.steady ?? 0, steady).findLast(hasPayload);
  return payload === (chosenLast?.payload ?? before?.payload) || payload === before?.payload;
}

function isOfValues({ choose }: OutputText, { rules }: House): boolean {
  const others = rulesWithoutValues(rules);
  return choose.some(({ when }) => !others.some(({ id }) => id === when));
}

/** What was chosen at each instant of a time. */
function chosenBetween(output: OutputText, topics: TopicHistory, from: number, to: number): Chosen[] {
  const instants = [from, ...topics.changes(decidingTopics(output), from, to)];
  return instants.map((instant) => choosePayload(output, (topic) => topics.at(topic, instant)));
}

/** Without `confirm` a payload is sent once, unless another was chosen in between. */
function twice(sent: readonly Sending[], trace: Trace): Finding[] {
  return sent.slice(1).flatMap((second, index): Finding[] => {
    const first = sent[index]!;
    const [from, to] = [first.steady, second.steady];
    const outputs = housesBetween(trace, from, to).map((house) =>
      house.outputs.find((output) => targetOf(output) === first.target),
    );
    if (outputs.some((output) => output?.confirm || output?.isMessage)) return [];
    const known = outputs.filter((output) => output !== undefined);
    if (first.payload !== second.payload || wasOtherChosen(known, first, to, trace)) return ["right"];
    // It was removed and put back.
    if (known.length < outputs.length) return ["skipped"];
    const meanwhile = eventsBetween(trace, from, to);
    const isTaken = first.takenAt !== null && first.takenAt <= to;
    const isTriedAgain =
      !isTaken &&
      (first.failure !== null || meanwhile.some((event) => isKind(event, "disconnected", "stop", "reload")));
    if (isTriedAgain || isKilledUnsaved(meanwhile, first)) return ["right"];
    if (isOrderedUnseen(first, second, trace) || hasForgotten(trace, from, to)) return ["skipped"];
    const sentence = `${first.target}: ${first.payload} was sent again after ${(to - from) / 1000} s, for no reason`;
    return [{ at: to, sentence }];
  });
}

/** The process was killed before a write that began after this payload was taken was done. */
function isKilledUnsaved(meanwhile: readonly TraceEvent[], { takenAt }: Sending): boolean {
  const since = takenAt === null ? [] : meanwhile.filter(({ steady }) => steady >= takenAt);
  const begun = since.findIndex((event) => isKind(event, "write") && event.outcome === "begun");
  const isSaved = (event: TraceEvent) => isKind(event, "write") && event.outcome === "done";
  const saved = begun < 0 ? undefined : since.slice(begun).find(isSaved);
  return meanwhile.some(
    (event) => isKind(event, "kill", "crash") && (saved === undefined || event.steady <= saved.steady),
  );
}

function wasOtherChosen(
  outputs: readonly OutputText[],
  { payload, steady }: Sending,
  to: number,
  trace: Trace,
): boolean {
  const isOther = (chosen: Chosen) => !(hasPayload(chosen) && chosen.payload === payload);
  return outputs.some((output) =>
    chosenBetween(output, readTopics(trace), steady, to + AROUND).some(isOther),
  );
}

/** While the broker was away or slow, another one may have been chosen unseen. */
function isOrderedUnseen(first: Sending, second: Sending, trace: Trace): boolean {
  const calm = readCalm(trace);
  if (calm.isSeen(first.steady, second.steady)) return false;
  return readOutputLives(trace).some((life) => {
    const output = life.at(first.steady);
    return output && targetOf(output) === first.target && life.isOrderedAnew(first, second, calm);
  });
}

/** At most about one change a second. */
function tooFast(sent: readonly Sending[]): Finding[] {
  const changes = sent.filter(({ payload }, index) => payload !== sent[index - 1]?.payload);
  return changes.slice(MOST_CHANGES).map(({ target, steady }, index): Finding => {
    const within = steady - changes[index]!.steady;
    if (within >= MOST_CHANGES_WITHIN) return "right";
    return { at: steady, sentence: `${target}: ${MOST_CHANGES + 1} changes within ${within / 1000} s` };
  });
}

/** vigie was started with a state file that does not hold the last: the disk failed or hung, or an earlier file was put there. */
export function hasForgotten(trace: Trace, from: number, to: number): boolean {
  const meanwhile = eventsBetween(trace, from - AROUND, to);
  if (meanwhile.some((event) => isKind(event, "state file"))) return true;
  // What is not saved is not known after the next start only.
  const started = meanwhile.findLastIndex((event) => isKind(event, "start"));
  if (started < 0) return false;
  // A write that hangs may have begun before.
  const before = eventsBetween(trace, 0, from - AROUND - 1).findLast((event) => isKind(event, "write"));
  return isUnsaved([...(before ? [before] : []), ...meanwhile.slice(0, started)]);
}

/** A write failed, or the process ended in one that hung: vigie does not wait for it for ever. */
function isUnsaved(events: readonly TraceEvent[]): boolean {
  let begun: number | null = null;
  for (const event of events) {
    if (isKind(event, "write")) {
      if (event.outcome === "failed") return true;
      begun = event.outcome === "begun" ? event.steady : null;
    }
    const isEnd = isKind(event, "kill", "crash", "stopped");
    if (isEnd && begun !== null && event.steady - begun > HANGS) return true;
  }
  return false;
}

function eventsBetween({ events }: Trace, from: number, to: number): TraceEvent[] {
  return events.slice(firstFrom(events, from), firstFrom(events, to + 1));
}

/** The index of the first event from this instant on. */
function firstFrom(events: readonly TraceEvent[], steady: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.steady < steady) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Milliseconds by which a payload may come before or after the verdict on the broker. */
const AROUND = 12_000;
/** Milliseconds for which vigie waits with a payload until the state is saved. */
const HANGS = 5_000;
const MOST_CHANGES = 6;
const MOST_CHANGES_WITHIN = 5_000;
