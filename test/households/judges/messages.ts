import type { Output } from "../../../src/core/outputs/output.ts";
import { isKind, type Judge, type Trace, type Violation, within } from "../trace.ts";
import { type Calm, readCalm } from "./calm.ts";
import { type OutputLife, readOutputLives } from "./output-life.ts";
import type { Sending } from "./sendings.ts";
import { BASE, readTopics } from "./topics.ts";

/**
 * A message is read by people: sent when its choice begins, at most three times if nobody knows whether it has arrived, not again
 * within six hours with the same text, and marked if it is only pretended.
 */
export const judgeMessages: Judge = (trace) => {
  const calm = readCalm(trace);
  return readOutputLives(trace).flatMap((life) => {
    const isEverMessage = life.changes.some((steady) => life.at(steady)?.message);
    if (!isEverMessage) return [];
    const look = { trace, life, calm };
    return [
      ...tries(look),
      ...repeated(look),
      ...changedText(look),
      ...unsent(look),
      ...untried(look),
      ...tooSoon(look),
      ...marks(look),
    ];
  });
};

interface Look {
  trace: Trace;
  life: OutputLife;
  calm: Calm;
}

function sendingsOf({ life }: Look): { sending: Sending; output: Output }[] {
  const lists = new Set(
    life.changes.flatMap((steady) => (life.at(steady)?.message ? [life.sendings(steady)] : [])),
  );
  return [...lists].flatMap((list) =>
    list.flatMap((sending) => {
      const output = life.at(sending.steady);
      return output?.message ? [{ sending, output }] : [];
    }),
  );
}

/** Tries of one message, one after the other, none of which is known to have arrived. */
function tries(look: Look): Violation[] {
  const found: Violation[] = [];
  let perhaps: Sending[] = [];
  for (const { sending } of sendingsOf(look)) {
    const last = perhaps.at(-1);
    const isSame = last?.payload === sending.payload && last.sendingId === sending.sendingId;
    const isNext = !isSame || last.takenAt !== null;
    // Without a name the same text may be the next message: its choice had ended.
    const isUnnamed = last !== undefined && sending.sendingId === undefined;
    const chosen = isUnnamed ? look.life.chosen(last.steady, sending.steady) : [];
    if (isNext || chosen === null || chosen.some(({ kind }) => kind !== "choice")) perhaps = [];
    if (!mayHaveArrived(sending)) continue;
    perhaps.push(sending);
    const first = perhaps[0]!;
    const kills = countEnds(look.trace, first.steady, sending.steady);
    const sentence = `${look.life.id}: ${sending.payload} was sent ${perhaps.length} times, with ${kills} kills`;
    if (perhaps.length > MOST + kills) found.push({ judge: "messages", at: sending.steady, sentence });
  }
  return found;
}

/** The broker had it, or the request was written and nothing was answered. */
function mayHaveArrived({ how, failure, hasArrived, takenAt, overAt }: Sending): boolean {
  if (takenAt !== null) return true;
  if (how === "mqtt") return hasArrived && failure !== "refused";
  return failure === "perhaps written" || (overAt === null && hasArrived);
}

/** After it was delivered, the same text comes again after six hours at the earliest. */
function repeated(look: Look): Violation[] {
  const { trace, calm } = look;
  const delivered: Sending[] = [];
  return sendingsOf(look).flatMap(({ sending }): Violation[] => {
    const { steady, payload } = sending;
    const before = delivered.findLast((one) => one.payload === payload && one.target === sending.target);
    if (sending.takenAt !== null) delivered.push(sending);
    const takenAt = before?.takenAt ?? null;
    if (takenAt === null || steady - takenAt >= SIX_HOURS - SLACK || steady < takenAt) return [];
    // That it was delivered may not be saved; and by a clock that is set six hours are other hours.
    if (!calm.isSure(takenAt - SLACK, steady) || countEnds(trace, takenAt - SLACK, takenAt + SAVED) > 0)
      return [];
    if (isUnsaved(trace, takenAt, steady)) return [];
    const sentence = `${look.life.id}: ${payload} was sent again ${((steady - takenAt) / 60_000).toFixed(1)} min after it was delivered`;
    return [{ judge: "messages", at: steady, sentence }];
  });
}

/** While one choice is in force, only one text is sent, whatever happens to its placeholders. */
function changedText({ trace, life, calm }: Look): Violation[] {
  const pretended = readTopics(trace);
  return sendingsOf({ trace, life, calm }).flatMap(({ sending }, index, all): Violation[] => {
    const before = all[index - 1]?.sending;
    const { steady, payload } = sending;
    if (!before || before.payload === payload || before.target !== sending.target) return [];
    if (!calm.isThrough(before.steady - AROUND, steady) || !life.isSame(before.steady, steady)) return [];
    const [first, ...others] = life.chosen(before.steady, steady) ?? [];
    const isOne = first?.kind === "choice" && others.every((one) => "rule" in one && one.rule === first.rule);
    if (!isOne || pretended.changes([SIMULATION], before.steady - AROUND, steady).length > 0) return [];
    const sentence = `${life.id}: ${payload} was sent after ${before.payload}, by the same choice`;
    return [{ judge: "messages", at: steady, sentence }];
  });
}

/** When its choice begins, it is sent, unless the same was delivered not long ago. */
function unsent(look: Look): Violation[] {
  const { life, calm } = look;
  return life.turns.flatMap((steady): Violation[] => {
    const output = life.at(steady);
    const end = steady + BEGINS;
    if (!output?.message || !calm.isThrough(steady - AROUND, end) || !life.isSame(steady - AROUND, end))
      return [];
    const [before, ...after] = life.chosen(steady - 1, end) ?? [];
    const begun = after[0];
    if (before?.kind !== "nothing" || begun?.kind !== "choice") return [];
    if (!after.every((one) => one.kind === "choice")) return [];
    const sendings = life.sendings(steady);
    const texts = after.map((one) => ("payload" in one ? one.payload : ""));
    const isKnown = (payload: string) => texts.some((text) => payload === text || payload.includes(MARK));
    if (sendings.some((one) => one.steady > steady - AROUND && one.steady <= end)) return [];
    const isDelivered = sendings.some(
      (one) => mayHaveArrived(one) && one.steady > steady - SIX_HOURS - AROUND && isKnown(one.payload),
    );
    // A file with a secret that cannot be read keeps it from being tried.
    if (isDelivered || output.access?.secret_file !== undefined) return [];
    const sentence = `${life.id}: its choice has begun, and no ${texts[0]} was sent within ${BEGINS / 1000} s`;
    return [{ judge: "messages", at: end, sentence }];
  });
}

/** What was certainly not taken is tried again while its choice is ON. */
function untried(look: Look): Violation[] {
  const { life, calm } = look;
  const all = sendingsOf(look);
  return all.flatMap(({ sending, output }, index): Violation[] => {
    const { steady, failure, retryAfter, status } = sending;
    const isSecret = output.access?.secret_file !== undefined;
    if (isSecret || (failure !== "not written" && failure !== "refused")) return [];
    const isLater = failure === "not written" || (status !== null && LATER.includes(status));
    const wait = isLater ? Math.max(EVERY, Math.min((retryAfter ?? 0) * 1_000, PAUSE)) : PAUSE;
    const end = (sending.overAt ?? steady) + wait + LATE;
    const next = all[index + 1]?.sending.steady ?? Number.POSITIVE_INFINITY;
    if (next <= end || !calm.isThrough(steady - AROUND, end) || !life.isSame(steady, end)) return [];
    if (!life.chosen(steady - AROUND, end)?.every(({ kind }) => kind === "choice")) return [];
    const sentence = `${life.id}: ${sending.payload} was not taken, and not tried again within ${(wait + LATE) / 1000} s`;
    return [{ judge: "messages", at: end, sentence }];
  });
}

/** Over MQTT, when the connection was lost. */
function tooSoon(look: Look): Violation[] {
  return sendingsOf(look).flatMap(({ sending }, index, all): Violation[] => {
    const before = all[index - 1]?.sending;
    if (before?.how !== "mqtt" || before.target !== sending.target) return [];
    if (before.payload !== sending.payload || before.takenAt !== null || before.failure !== null) return [];
    const chosen = look.life.chosen(before.steady, sending.steady);
    const isSame = chosen?.every(({ kind }) => kind === "choice") ?? false;
    const gap = sending.steady - before.steady;
    if (!isSame || gap >= EVERY - 1_000 || countEnds(look.trace, before.steady, sending.steady) > 0)
      return [];
    const sentence = `${look.life.id}: ${sending.payload} was sent again ${gap / 1000} s later, when the connection was lost`;
    return [{ judge: "messages", at: sending.steady, sentence }];
  });
}

/** Marked in a simulation, and only then. */
function marks(look: Look): Violation[] {
  const topics = readTopics(look.trace);
  return sendingsOf(look).flatMap(({ sending, output }, index, all): Violation[] => {
    const { steady, payload } = sending;
    const isMarked = payload.includes(MARK);
    const hours = output.confirm ? 0 : SIX_HOURS;
    const isEverPretended =
      topics.at(SIMULATION, steady - hours) !== "auto" ||
      topics.changes([SIMULATION], steady - hours, steady + AROUND).length > 0;
    const says = (what: string) => [
      { judge: "messages", at: steady, sentence: `${look.life.id}: ${payload} ${what}` },
    ];
    if (isMarked && !isEverPretended) return says("is marked, and nothing is pretended");
    const [began] = topics.changes([SIMULATION], steady - AROUND, steady);
    const isFirst = !all.slice(0, index).some((one) => one.sending.payload === payload);
    if (isMarked || began === undefined || !isFirst || topics.at(SIMULATION, steady) === "auto") return [];
    // It was OFF until something was pretended, and nothing else happened.
    const wasOff = look.life.chosen(began - AROUND, began - 1)?.every(({ kind }) => kind === "nothing");
    const isNews = within(look.trace.events, began - AROUND, steady).some(
      (event) =>
        isKind(event, "answer", "reload", "start") ||
        (isKind(event, "heard") && !event.topic.startsWith(BASE)),
    );
    return wasOff && !isNews ? says("is not marked, though it is pretended") : [];
  });
}

/** After these nobody may know what was sent. */
function countEnds({ events }: Trace, from: number, to: number): number {
  return within(events, from, to).filter((event) => isKind(event, "kill", "crash")).length;
}

/** A process ended whose disk had failed or hung since. */
function isUnsaved({ events }: Trace, from: number, to: number): boolean {
  const meanwhile = within(events, from - SLACK, to);
  const hasFailed = meanwhile.some((event) => isKind(event, "write") && event.outcome === "failed");
  const writes = meanwhile.filter((event) => isKind(event, "write", "start"));
  const hangs = writes.some((event, index) => event.kind === "start" && isBegun(writes[index - 1]));
  return hasFailed || hangs;
}

function isBegun(event: Trace["events"][number] | undefined): boolean {
  return event?.kind === "write" && event.outcome === "begun";
}

const SIMULATION = `${BASE}/simulation/color`;
const MARK = "[simulation]";
const MOST = 3;
const SIX_HOURS = 6 * 3_600_000;
const SLACK = 10_000;
/** Milliseconds in which that it was delivered is saved. */
const SAVED = 5_000;
const AROUND = 12_000;
const BEGINS = 30_000;
const EVERY = 30_000;
const PAUSE = 600_000;
/** Milliseconds: a host that hangs holds two requests, each for ten seconds. */
const LATE = 45_000;
const LATER = [408, 425, 429, 500, 502, 503, 504];
