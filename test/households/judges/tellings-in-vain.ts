import { MINUTE } from "../calendar.ts";
import { countUntil, isKind, within } from "../trace.ts";
import { isOutOfReach } from "./absence-of-device.ts";
import type { Finding, Judge } from "./judge.ts";
import { expectedOf, judgeOutputs, type Look, type OutputLife, settledInstants } from "./output-life.ts";
import { isRefusal, type Sending } from "./sendings.ts";
import { type Again, hasComeBack, sentAgain } from "./tellings.ts";
import { BASE, readTopics } from "./topics.ts";

/** A device that hears nothing is told every ten minutes, until it is back. */
export const judgesOfTellingsInVain: readonly Judge[] = [
  judgeOutputs("told too often while away", toldWhileAway),
  judgeOutputs("told too often after it failed", toldThoughFailed),
  judgeOutputs("next try while away", nextTryWhileAway),
  judgeOutputs("no problem though it failed", problemStays),
  judgeOutputs("not failed though refused", refusedStays),
];

/** With `keep`, if it did something else as it went away. */
function toldWhileAway(look: Look): Finding[] {
  return tellingsIn(look, "contrary").flatMap((again): Finding[] => {
    const { first, second } = again;
    if (isOutOfReach(look, second.steady) !== "yes" || hasComeBack(look.life, first, second)) return [];
    return [judgePause(look, again, "is away, and")];
  });
}

/** Unless it was silent for ten minutes or from the sending on, and reports something else now. */
function toldThoughFailed(look: Look): Finding[] {
  return tellingsIn(look, "failed").flatMap((again): Finding[] => {
    if (mayBeBack(look, again)) return [];
    const { first, second } = again;
    const chosen = look.life.chosen(first.steady, second.steady);
    // That it is there, or that the broker was away, is no reason to send `else` again.
    if (chosen?.every(({ kind }) => kind === "else" || kind === "unknown")) return [judgeElse(look, again)];
    return hasComeBack(look.life, first, second) ? [] : [judgePause(look, again, "has failed, and")];
  });
}

/** Only "while a choice is `ON`, vigie then sends its payload again". */
function judgeElse({ trace, life, calm }: Look, { first, second }: Again): Finding {
  const isBegunAnew = within(trace.events, first.steady, second.steady).some((event) =>
    isKind(event, "start", "reload", "jump", "suspend"),
  );
  const isKnown =
    !isBegunAnew &&
    first.takenAt !== null &&
    isOneOrder(life, first, second) &&
    life.isSame(first.steady, second.steady) &&
    calm.isSeen(first.steady - SAVED, second.steady);
  if (!isKnown) return "skipped";
  const gap = (second.steady - first.steady) / 1000;
  const sentence = `${life.id} has failed, and was told ${second.payload} again after ${gap} s, which is no choice whose rule is ON`;
  return { at: second.steady, sentence };
}

/** Those to a device that was in this state for a while. */
function tellingsIn(look: Look, state: "contrary" | "failed"): Again[] {
  const { life, calm } = look;
  return sentAgain(look).filter(({ first, second }) => {
    const { steady } = second;
    const states = life.statesBetween(steady - calm.lag(steady), steady - 1);
    return (
      states.every((one) => one === state) &&
      // What an address has not taken is tried again like any sending.
      (first.how === "mqtt" || first.failure === null)
    );
  });
}

function judgePause(
  { life, calm }: Look,
  { first, second, output, isUnclear }: Again,
  what: string,
): Finding {
  const gap = second.steady - first.steady;
  const least = Math.max(PAUSE, output.confirm?.every ?? 0);
  if (gap >= least - calm.lag(second.steady)) return "right";
  if (isUnclear || !isOneOrder(life, first, second)) return "skipped";
  return {
    at: second.steady,
    sentence: `${life.id} ${what} was told ${second.payload} again after ${gap / 1000} s`,
  };
}

function isOneOrder(life: OutputLife, first: Sending, second: Sending): boolean {
  return (life.sentAt(second.steady) ?? second.steady) <= first.steady + SAVED;
}

function mayBeBack({ life, calm }: Look, { first, second, output }: Again): boolean {
  const expected = output.confirm ? expectedOf(output, first.payload) : null;
  const lag = calm.lag(second.steady);
  const sentAt = life.sentAt(second.steady) ?? first.steady;
  return within(life.reports, first.steady, second.steady).some(({ steady, isLive, meaning }) => {
    if (isLive === "no" || meaning(expected ?? "") !== "other") return false;
    const silentFrom = Math.max(sentAt + lag, steady - SILENT + lag);
    const wasSilent = within(life.reports, silentFrom, steady - 1).every((one) => one.isLive === "no");
    return wasSilent && steady > (first.overAt ?? first.steady) + ANSWERS - lag;
  });
}

/** The JSON says when it is told next. */
function nextTryWhileAway(look: Look): Finding[] {
  const { life, calm } = look;
  return settledInstants(look).flatMap((steady): Finding[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const last = lastSending(life, steady);
    // One that flaps does what it was told again for two minutes before that counts.
    const isPaused =
      output?.confirm?.keep &&
      life.statesBetween(steady - FLAPS, steady).every((state) => state === "contrary") &&
      within(life.reports, steady - FLAPS, steady).length === 0 &&
      within(life.presences, steady - FLAPS, steady).every(({ isThere }) => !isThere) &&
      isOutOfReach(look, steady) === "yes";
    if (!isPaused || !last || last.payload !== payload) return [];
    const chosen = life.chosen(steady - MINUTE, steady);
    const isKnown = last.failure === null && calm.isThrough(last.steady, steady) && chosen !== null;
    if (!isKnown) return ["skipped"];
    if (!chosen.every((one) => one.kind === "choice" && one.payload === payload)) return [];
    const due = last.steady + Math.max(PAUSE, output.confirm?.every ?? 0);
    const said = life.nextTryAt(steady);
    if (said !== null && Math.abs(said - due) < ABOUT + calm.lag(steady)) return ["right"];
    const sentence = `${life.id} is away and to be told ${payload} again in ${(due - steady) / 1000} s, and its next try is ${said === null ? "null" : `in ${(said - steady) / 1000} s`}`;
    return [{ at: steady, sentence }];
  });
}

/** "The problem stays until the device confirms", or has taken it over HTTP, though it is `waiting` again, as it is back. */
function problemStays(look: Look): Finding[] {
  const { trace, life, calm } = look;
  const topics = readTopics(trace);
  return settledInstants(look).flatMap((steady): Finding[] => {
    const [before, now] = life.states.slice(0, countUntil(life.states, steady)).slice(-2);
    if (before?.state !== "failed" || now?.state !== "waiting") return [];
    const sentAt = life.sentAt(steady);
    const ofOrder = life.sendings(steady).filter((one) => one.steady > (sentAt ?? 0) - 1_000);
    const tried = within(ofOrder, 0, steady);
    const last = tried.at(-1);
    if (!last || sentAt === null) return [];
    // What nobody had taken was another problem, which is over when it is taken.
    const wasTaken = within(ofOrder, 0, now.steady - 1_000).at(-1)?.takenAt !== null;
    if (last.how === "mqtt" ? !wasTaken : tried.some(({ takenAt }) => takenAt !== null)) return [];
    // The topic names whole seconds: what was sent 50 ms after the failure seems to be sent before it.
    const isKnown =
      sentAt < before.steady - 1_000 &&
      calm.isThrough(before.steady - AROUND, steady) &&
      life.isSame(sentAt, steady);
    if (!isKnown) return ["skipped"];
    if (topics.at(`${BASE}/service/failed_outputs`, steady) !== "None") return ["right"];
    const sentence = `${life.id} has failed and is ${now.state}, and no device is named that does not do what it was sent`;
    return [{ at: steady, sentence }];
  });
}

/** "The address refuses it": until the next try, also if its device says meanwhile that it is back. */
function refusedStays(look: Look): Finding[] {
  const { life, calm } = look;
  return settledInstants(look).flatMap((steady): Finding[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const sentAt = life.sentAt(steady);
    // The next one may be under way.
    const last = life.sendings(steady).findLast(({ overAt }) => overAt !== null && overAt < steady);
    if (!output || sentAt === null || !last?.overAt || last.payload !== payload) return [];
    if (!isRefusal(last.status) || last.overAt > steady - SETTLES) return [];
    // It may have what it was sent before.
    const tried = within(life.sendings(steady), sentAt - SETTLES, last.steady);
    if (tried.some(({ failure }) => failure !== "refused" && failure !== "not written")) return [];
    const expected = expectedOf(output, payload) ?? "";
    if (
      within(life.reports, sentAt - SETTLES, steady).some(({ meaning }) => meaning(expected) === "expected")
    )
      return [];
    const chosen = life.chosen(last.overAt, steady);
    const isKnown =
      chosen !== null && calm.isThrough(sentAt - SETTLES, steady) && life.isSame(sentAt, steady);
    if (!isKnown) return ["skipped"];
    if (!chosen.every((one) => "payload" in one && one.payload === payload)) return [];
    const state = life.stateAt(steady);
    if (state === "failed") return ["right"];
    return [
      { at: steady, sentence: `${life.id} is ${state} (${payload}), though its address has refused it` },
    ];
  });
}

function lastSending(life: OutputLife, steady: number): Sending | undefined {
  const sendings = life.sendings(steady);
  return sendings[countUntil(sendings, steady) - 1];
}

const AROUND = 12_000;
const SETTLES = 5_000;
const ABOUT = MINUTE;
const FLAPS = 135_000;
const PAUSE = 600_000;
const SILENT = 600_000;
/** Milliseconds: a report so soon after a sending is an answer to it. */
const ANSWERS = 60_000;
/** Milliseconds that a save takes at most. */
const SAVED = 6_000;
