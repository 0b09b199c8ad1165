import { type EventOf, isKind, type Judge, type Trace, type TraceEvent, type Violation } from "../trace.ts";
import { readCalm } from "./calm.ts";
import { type Chosen, choosePayload, decidingTopics, isHeldBack } from "./chosen-payload.ts";
import type { House } from "./house.ts";
import type { OutputText } from "./house-outputs.ts";
import { type OutputLife, readOutputLives } from "./output-life.ts";
import { readSendings, type Sending, targetOf } from "./sendings.ts";
import { houseAt, housesBetween, readTopics, type TopicHistory } from "./topics.ts";
import { rulesWithoutValues } from "./value-rules.ts";

/**
 * From the verdicts that vigie has published to the payloads that it has sent: at a quiet point the last payload is the
 * chosen one; none is sent that was not chosen about then; none twice, but after a kill; and none many times a second.
 */
export const judgePayloads: Judge = (trace) => {
  const topics = readTopics(trace);
  const sendings = readSendings(trace);
  return [
    ...trace.events.flatMap((event) => (isKind(event, "quiet") ? lastPayloads(event, trace) : [])),
    ...[...sendings.values()].flatMap((sent) => [
      ...unwanted(sent, trace, topics),
      ...twice(sent, trace, topics),
      ...tooFast(sent),
    ]),
  ];
};

/** The last payload is the chosen one. */
function lastPayloads(quiet: EventOf<"quiet">, trace: Trace): Violation[] {
  const house = houseAt(trace, quiet.steady);
  if (!house || isHeldBack(house, readTopics(trace), quiet.steady, quiet.steady)) return [];
  const sendings = readSendings(trace);
  return house.outputs.flatMap((output): Violation[] => {
    // What a message says does not change when a placeholder in it does: another judge follows it.
    if (output.isMessage) return [];
    const chosen = choosePayload(output, (topic) => quiet.retained.get(topic));
    const target = targetOf(output);
    const last = sendings.get(target)?.findLast((one) => one.steady <= quiet.steady);
    if (!("payload" in chosen) || chosen.payload === last?.payload) return [];
    const since = last?.steady ?? 0;
    // vigie does not know what it sent last.
    if (hasForgotten(trace, since, quiet.steady)) return [];
    // vigie does not undo what it did not do.
    if (chosen.kind === "else" && !last) return [];
    const sentence = `${target}: ${chosen.payload} is chosen (${chosen.kind}), and ${last?.payload ?? "nothing"} was sent last`;
    return [{ judge: "last payload", at: quiet.steady, sentence }];
  });
}

function hasPayload(chosen: Chosen): chosen is Chosen & { payload: string } {
  return "payload" in chosen;
}

/** Each payload was chosen at some time shortly before or after it was sent. */
function unwanted(sent: readonly Sending[], trace: Trace, topics: TopicHistory): Violation[] {
  return sent.flatMap(({ target, how, payload, steady }, index): Violation[] => {
    const [from, to] = [steady - AROUND, steady + AROUND];
    const calm = readCalm(trace);
    // What rules say while the broker is away, nobody sees.
    if (how === "http" && !calm.isThrough(from, to)) return [];
    for (const house of housesBetween(trace, from, to)) {
      const output = house.outputs.find((one) => targetOf(one) === target);
      if (!output) continue;
      if (output.isMessage) return [];
      if (isHeldBack(house, topics, from, to)) return [];
      // A value may turn its rule more often than a slow broker hears of it.
      if (!calm.isSeen(from, to) && isOfValues(output, house)) return [];
      const before = sent[index - 1];
      // What it sent last, or what it believes that it did.
      // It may not have been able to send what was chosen since, such as without its secret, and tries that again.
      const chosenLast = chosenBetween(output, topics, before?.steady ?? 0, steady).findLast(hasPayload);
      const isLast =
        payload === (chosenLast?.payload ?? before?.payload) ||
        payload === before?.payload ||
        (before && hasForgotten(trace, before.steady, steady));
      const isWanted = (chosen: Chosen) =>
        "payload" in chosen ? chosen.payload === payload : chosen.kind === "stands" && isLast;
      if (chosenBetween(output, topics, from, to).some(isWanted)) return [];
    }
    return [{ judge: "unwanted payload", at: steady, sentence: `${target}: nobody wanted ${payload}` }];
  });
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
function twice(sent: readonly Sending[], trace: Trace, topics: TopicHistory): Violation[] {
  const calm = readCalm(trace);
  const lives = readOutputLives(trace);
  const isFor = (life: OutputLife, { target, steady }: Sending) => {
    const output = life.at(steady);
    return output !== undefined && targetOf(output) === target;
  };
  return sent.flatMap((second, index): Violation[] => {
    const first = sent[index - 1];
    if (!first || first.payload !== second.payload) return [];
    const [from, to] = [first.steady, second.steady];
    const outputs = housesBetween(trace, from, to).map((house) =>
      house.outputs.find((output) => targetOf(output) === first.target),
    );
    if (outputs.some((output) => !output || output.confirm || output.isMessage)) return [];
    const isOther = (chosen: Chosen) => !("payload" in chosen && chosen.payload === first.payload);
    if (outputs.some((output) => output && chosenBetween(output, topics, from, to + AROUND).some(isOther)))
      return [];
    // While the broker was away or slow, another one may have been chosen unseen.
    const isSeen = calm.isSeen(from, to);
    if (!isSeen && lives.some((life) => isFor(life, first) && life.isOrderedAnew(first, second, calm)))
      return [];
    const meanwhile = eventsBetween(trace, from, to);
    const isTaken = first.takenAt !== null && first.takenAt <= to;
    const isTriedAgain =
      !isTaken &&
      (first.failure !== null || meanwhile.some((event) => isKind(event, "disconnected", "stop", "reload")));
    const isKilled = meanwhile.some((event) => isKind(event, "kill", "crash"));
    if (isTriedAgain || isKilled || hasForgotten(trace, from, to)) return [];
    const sentence = `${first.target}: ${first.payload} was sent again after ${(to - from) / 1000} s, for no reason`;
    return [{ judge: "sent twice", at: to, sentence }];
  });
}

/** At most about one change a second. */
function tooFast(sent: readonly Sending[]): Violation[] {
  const changes = sent.filter(({ payload }, index) => payload !== sent[index - 1]?.payload);
  const found = changes.find((last, index) => {
    const first = changes[index - MOST_CHANGES];
    return first !== undefined && last.steady - first.steady < MOST_CHANGES_WITHIN;
  });
  if (!found) return [];
  const start = found.steady - MOST_CHANGES_WITHIN;
  const count = changes.filter(
    ({ steady }) => steady > start && steady <= start + 2 * MOST_CHANGES_WITHIN,
  ).length;
  const sentence = `${found.target}: ${count} changes within ${(2 * MOST_CHANGES_WITHIN) / 1000} s`;
  return [{ judge: "one change a second", at: found.steady, sentence }];
}

/** vigie was started with a state file that does not hold the last: the disk failed or hung, or an earlier file was put there. */
export function hasForgotten(trace: Trace, from: number, to: number): boolean {
  const meanwhile = eventsBetween(trace, from - AROUND, to);
  if (meanwhile.some((event) => isKind(event, "state file"))) return true;
  return isUnsaved(meanwhile) && meanwhile.some((event) => isKind(event, "start"));
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
