import { countUntil, isKind, type Judge, type Trace, type Violation, within } from "../trace.ts";
import { type Calm, readCalm } from "./calm.ts";
import { expectedOf, type OutputLife, type Report, readOutputLives } from "./output-life.ts";
import { MINUTE } from "./truth/calendar.ts";

/**
 * `outputs/<id>/state` follows the table of docs/outputs.md: `confirmed` only after a report of what is expected, `contrary` only
 * after that and one of something else that stood, `failed` only after the time for it; and none of them for long if the device says
 * something else.
 */
export const judgeStates: Judge = (trace) => {
  const calm = readCalm(trace);
  return readOutputLives(trace).flatMap((life) => {
    const look = { trace, life, calm };
    return [
      ...changes(look),
      ...stuck(look),
      ...forgotten(look),
      ...endless(look),
      ...silent(look),
      ...sentOnly(look),
      ...tooOften(look),
    ];
  });
};

interface Look {
  trace: Trace;
  life: OutputLife;
  calm: Calm;
}

/** Each state that begins has a reason. */
function changes({ life, calm }: Look): Violation[] {
  return life.states.flatMap(({ steady, state }, index): Violation[] => {
    const before = life.states[index - 1]?.state;
    if (state === before) return [];
    const output = life.at(steady);
    const sent = life.sentWith(steady);
    if (!output || !sent) return [];
    const { payload, sentAt } = sent;
    // What another state file, another configuration or another clock says may be otherwise. A clock that was set back since
    // makes the sending seem later than now.
    if (sentAt > steady || !life.isSame(sentAt - 1, steady) || !calm.isSure(sentAt - AROUND, steady))
      return [];
    const expected = output.confirm ? expectedOf(output, payload) : null;
    const reports = within(life.reports, sentAt - 1_500, steady);
    const says = (why: string) => [
      { judge: "output state", at: steady, sentence: `${life.id} is ${state} (${payload}), but ${why}` },
    ];
    const isHeard = reports.some(
      (report) => report.isLive !== "no" && expected !== null && report.meaning(expected) === "expected",
    );
    if (state === "confirmed")
      return isHeard ? [] : says("nothing that is expected was heard since it was sent");
    if (state === "contrary") {
      // What was only said by an old report was never done: it is told again. Once the device was away, nobody knows that.
      const wasAway = within(life.presences, sentAt - 1_500, steady).some(({ isThere }) => !isThere);
      const chosen = isHeard || wasAway ? null : life.chosen(steady, steady);
      if (chosen?.every(({ kind }) => kind === "choice")) return says("its device has never done it");
      const stands = standing(reports, expected ?? "", steady, calm);
      return stands ? [] : says("nothing else was heard that stood for 5 s");
    }
    if (state === "failed" && !output.needsSecretFile) {
      const sendings = life.sendings(steady);
      const count = countUntil(sendings, steady);
      const isRefused = sendings
        .slice(Math.max(0, count - 2), count)
        .some(({ failure }) => failure === "refused");
      const length = output.confirm?.for ?? USUAL;
      const isTried = steady - sentAt > length - calm.lag(steady) || output.isMessage;
      return isRefused || isTried ? [] : says(`it was tried for ${(steady - sentAt) / 1000} s only`);
    }
    return [];
  });
}

/** A report of something else, 5 s ago or longer, after which none of what is expected came. */
function standing(reports: readonly Report[], expected: string, at: number, calm: Calm): boolean {
  // What came within the second in which it is judged, or while the state was on its way, changes nothing.
  const until = at - calm.lag(at);
  const last = reports.findLastIndex(
    ({ steady, isLive, meaning }) => steady <= until && isLive === "yes" && meaning(expected) === "expected",
  );
  return reports
    .slice(last + 1)
    .some(
      ({ steady, isLive, meaning }) =>
        steady <= at - STANDS && isLive !== "no" && meaning(expected) === "other",
    );
}

/** What a device says counts after a while. */
function stuck({ life, calm }: Look): Violation[] {
  return life.reports.flatMap((report, index): Violation[] => {
    if (report.isLive !== "yes") return [];
    const { steady } = report;
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const expected = output?.confirm && payload !== undefined ? expectedOf(output, payload) : null;
    if (!output?.confirm || expected === null) return [];
    const meaning = report.meaning(expected);
    const isWeb = output.confirm.from.kind === "http";
    const following = (end: number) => life.reports.slice(index + 1, countUntil(life.reports, end));
    const stands = (length: number, opposite: string) => {
      const end = steady + length;
      if (!calm.isThrough(steady - 1_000, end) || !life.isSame(steady, end)) return false;
      // It was said after the payload was sent, and nothing was sent since.
      if ((life.sentAt(steady) ?? end) > steady) return false;
      if (within(life.sendings(steady), steady, end).length > 0) return false;
      const chosen = life.chosen(steady, end);
      const isInForce = chosen?.every((one) => "payload" in one && one.payload === payload) ?? false;
      return isInForce && !following(end).some((one) => one.meaning(expected) === opposite);
    };
    const lag = calm.lag(steady);
    const says = (end: number): Violation[] => {
      const state = life.stateAt(end);
      const sentence = `${life.id} is still ${state} (${payload}), though ${report.payload.slice(0, 80)} was heard ${(end - steady) / 1000} s ago`;
      return [{ judge: "output state", at: end, sentence }];
    };
    if (meaning === "other") {
      const length = isWeb ? TURNS_WEB : TURNS + lag;
      const end = steady + length;
      if (life.stateAt(end) !== "confirmed") return [];
      // Without another answer over HTTP nothing stands.
      const isSaid = !isWeb || following(end - 2_000).some((one) => one.steady > steady + STANDS);
      if (isSaid && stands(length, "expected")) return says(end);
    }
    if (meaning === "expected") {
      const soon = steady + TAKEN + lag;
      const isStill = ["waiting", "failed", "sent"].includes(life.stateAt(soon) ?? "");
      // Of a device that is away nothing is confirmed.
      const isWaiting = isStill && life.awaySinceAt(soon) === null;
      if (isWaiting && stands(soon - steady, "other")) return says(soon);
      const late = steady + TURNS_BACK + lag;
      if (life.stateAt(late) === "contrary" && stands(late - steady, "other")) return says(late);
    }
    return [];
  });
}

/** What a device said last is not forgotten by a reload or an end in order. */
function forgotten({ trace, life, calm }: Look): Violation[] {
  const quiets = trace.events.flatMap((event) => (isKind(event, "quiet") ? [event.steady] : []));
  const lost = trace.events.filter((event) => isKind(event, "kill", "crash", "suspend"));
  return quiets.flatMap((steady): Violation[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const report = life.reports[countUntil(life.reports, steady) - 1];
    if (output?.confirm?.from.kind !== "mqtt" || payload === undefined || report?.isLive !== "yes") return [];
    const from = report.steady;
    if (life.stateAt(steady) !== "confirmed" || steady - from < TURNS + calm.lag(from)) return [];
    if ((life.sentAt(steady) ?? steady) > from || !life.isSame(from - 1, steady)) return [];
    if (within(lost, from, steady).length > 0) return [];
    if (!calm.isSure(from - AROUND, steady) || !calm.isDiskQuick(from, steady)) return [];
    if (report.meaning(expectedOf(output, payload) ?? "") !== "other") return [];
    const sentence = `${life.id} is confirmed (${payload}), though ${report.payload.slice(0, 80)} was heard last`;
    return [{ judge: "output state", at: steady, sentence }];
  });
}

/** `confirm.for` counts over connections: a device of which nothing is heard has failed then, though the connection comes and goes. */
function endless({ trace, life, calm }: Look): Violation[] {
  const quiets = trace.events.flatMap((event) => (isKind(event, "quiet") ? [event.steady] : []));
  const starts = trace.events.filter((event) => isKind(event, "start", "reload", "kill", "suspend"));
  return quiets.flatMap((steady): Violation[] => {
    const output = life.at(steady);
    const sentAt = life.sentAt(steady);
    if (output?.confirm?.from.kind !== "mqtt" || sentAt === null || life.stateAt(steady) !== "waiting")
      return [];
    const heard = [
      ...within(life.reports, sentAt - AROUND, steady),
      ...within(life.presences, sentAt - AROUND, steady),
    ];
    const isKnown =
      within(starts, sentAt - AROUND, steady).length === 0 && life.isSame(sentAt - AROUND, steady);
    if (heard.length > 0 || !isKnown || !calm.isSure(sentAt - AROUND, steady)) return [];
    const taken = life.sendings(steady).find((one) => one.steady >= sentAt - 1_000)?.takenAt ?? steady;
    const times = Array.from(
      { length: Math.ceil((steady - taken) / 1_000) },
      (_, second) => taken + second * 1_000,
    );
    const connected = times.filter((at) => calm.since(at) !== null).length * 1_000;
    if (connected < output.confirm.for + 2 * MINUTE) return [];
    const sentence = `${life.id} is waiting, though nothing was heard of its device for ${(connected / MINUTE).toFixed(0)} min of connections`;
    return [{ judge: "output state", at: steady, sentence }];
  });
}

/** Over HTTP a device that has not answered for long is not known to do anything. */
function silent({ trace, life, calm }: Look): Violation[] {
  const end = trace.events.at(-1)?.steady ?? 0;
  return life.states.flatMap(({ steady: from, state }, index): Violation[] => {
    const to = life.states[index + 1]?.steady ?? end;
    const output = life.at(from);
    const payload = life.sentWith(from)?.payload;
    const expected = output && payload !== undefined ? expectedOf(output, payload) : null;
    if (state !== "confirmed" || output?.confirm?.from.kind !== "http" || expected === null) return [];
    const answers = within(life.reports, from, to).filter(({ meaning }) => meaning(expected) !== "nothing");
    const instants = [from, ...answers.map(({ steady }) => steady), to];
    const found = instants.find((steady, place) => {
      const until = steady + SILENT + 60_000;
      return (
        (instants[place + 1] ?? steady) > until && calm.isThrough(steady, until) && life.isSame(from, until)
      );
    });
    if (found === undefined) return [];
    const sentence = `${life.id} is confirmed (${payload}), though it has not answered for 16 min`;
    return [{ judge: "output state", at: found + SILENT + 60_000, sentence }];
  });
}

/** A payload in force is `sent` and not more only if a report from before, or a doubt, is the reason. */
function sentOnly({ trace, life, calm }: Look): Violation[] {
  const quiets = trace.events.flatMap((event) => (isKind(event, "quiet") ? [event.steady] : []));
  return quiets.flatMap((steady): Violation[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const sentAt = life.sentAt(steady);
    if (!output?.confirm || payload === undefined || sentAt === null || life.stateAt(steady) !== "sent")
      return [];
    const since = calm.since(steady);
    if (since === null || !calm.isSure(sentAt - AROUND, steady)) return [];
    const chosen = life.chosen(steady - MINUTE, steady);
    if (!chosen?.every((one) => "payload" in one && one.payload === payload)) return [];
    const isOld = life.reports.some((report) => report.isLive !== "yes" && report.steady > sentAt - AROUND);
    // What its device said before, live, is an old report for what is sent after it.
    const last = life.reports[countUntil(life.reports, sentAt + 1_000) - 1];
    const isHeld =
      isOld || (last?.isRetained && last.meaning(expectedOf(output, payload) ?? "") === "expected");
    const wasConfirmed = life.states.some((one) => one.state === "confirmed" && one.steady > sentAt);
    if (isHeld || wasConfirmed || life.awaySinceAt(steady) !== null) return [];
    const sentence = `${life.id} is sent, though ${payload} is in force and was not confirmed`;
    return [{ judge: "output state", at: steady, sentence }];
  });
}

/** A device that changes its mind again and again changes its topics at most once a minute in the long run. */
function tooOften({ life, calm }: Look): Violation[] {
  const turns = life.states.filter(
    ({ state }, index) => [state, life.states[index - 1]?.state].sort().join(" ") === "confirmed contrary",
  );
  return LIMITS.flatMap(({ most, within }) => {
    const found = turns.find(({ steady }, index) => {
      const first = turns[index - most];
      return (
        first !== undefined &&
        steady - first.steady < within &&
        // What a restart or a reload has forgotten may begin anew.
        calm.isThrough(first.steady - AROUND, steady) &&
        // A sending begins to count anew.
        Math.abs((life.sentAt(first.steady) ?? 0) - (life.sentAt(steady) ?? 0)) < 1_000
      );
    });
    if (!found) return [];
    const sentence = `${life.id} turned contrary or back more than ${most} times in ${within / 60_000} min`;
    return [{ judge: "output state", at: found.steady, sentence }];
  });
}

const STANDS = 5_000;
/** Milliseconds after which a report of something else has to be seen. */
const TURNS = 16_000;
/** It is asked again after 5 s, and the answer takes up to 10 s. */
const TURNS_WEB = 40_000;
const TURNS_BACK = 135_000;
const TAKEN = 8_000;
const SILENT = 15 * MINUTE;
/** Without `confirm`. */
const USUAL = 60 * MINUTE;
const AROUND = 12_000;
const LIMITS = [
  { most: 4, within: 60_000 },
  { most: 7, within: 300_000 },
];
