import { MINUTE } from "../calendar.ts";
import { countUntil, isKind, within } from "../trace.ts";
import type { Calm } from "./calm.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import {
  expectedOf,
  isStill,
  judgeOutputs,
  type Look,
  type OutputLife,
  type Report,
  settledInstants,
} from "./output-life.ts";

/** `outputs/<id>/state` follows the table of docs/outputs.md. */
export const stateJudges: readonly Judge[] = [
  judgeOutputs("confirmed without a report", (look) =>
    beginningsOf("confirmed", look, ({ steady, payload, reports, expected }) =>
      isHeard(reports, expected)
        ? "right"
        : isWrong(look, steady, `is confirmed (${payload}), but nothing that is expected was heard`),
    ),
  ),
  judgeOutputs("contrary without a report", (look) =>
    beginningsOf("contrary", look, (beginning) => judgeContrary(look, beginning)),
  ),
  judgeOutputs("failed too soon", (look) =>
    beginningsOf("failed", look, (beginning) => judgeFailed(look, beginning)),
  ),
  judgeOutputs("confirmed in spite of a report", confirmedInSpite),
  judgeOutputs("not confirmed by a report", notConfirmed),
  judgeOutputs("contrary in spite of a report", contraryInSpite),
  judgeOutputs("report forgotten", forgotten),
  judgeOutputs("waiting for ever", endless),
  judgeOutputs("confirmed without an answer for long", silent),
  judgeOutputs("sent without a reason", sentOnly),
  judgeOutputs("not sent though no choice is in force", ended),
  judgeOutputs("state changes too often", tooOften),
];

function isWrong({ life }: Look, at: number, what: string): Finding {
  return { at, sentence: `${life.id} ${what}` };
}

/** A state begins. */
interface Beginning {
  steady: number;
  output: OutputText;
  payload: string;
  sentAt: number;
  expected: string | null;
  /** What was heard since the payload was sent. */
  reports: readonly Report[];
}

/** Each time that the state becomes this one. */
function beginningsOf(
  state: string,
  { life, calm }: Look,
  find: (beginning: Beginning) => Finding,
): Finding[] {
  const begins = life.states.filter(
    (one, index) => one.state === state && life.states[index - 1]?.state !== state,
  );
  return begins.map(({ steady }): Finding => {
    const output = life.at(steady);
    const sent = life.sentWith(steady);
    if (!output || !sent) return "skipped";
    const { payload, sentAt } = sent;
    // What another state file, another configuration or another clock says may be otherwise. A clock that was set back since
    // makes the sending seem later than now.
    // The instant that is published may be a part of a second before the sending, and before a start.
    const first = life.sendings(steady).find((one) => one.payload === payload && one.steady >= sentAt - 1);
    const from = Math.min(first?.steady ?? sentAt - 1, steady);
    if (sentAt > steady || !life.isSame(from, steady) || !calm.isSure(sentAt - AROUND, steady))
      return "skipped";
    const expected = output.confirm ? expectedOf(output, payload) : null;
    const reports = within(life.reports, sentAt - SENT_ABOUT, steady);
    return find({ steady, output, payload, sentAt, expected, reports });
  });
}

function isHeard(reports: readonly Report[], expected: string | null): boolean {
  return reports.some(
    ({ isLive, meaning }) => isLive !== "no" && expected !== null && meaning(expected) === "expected",
  );
}

/** Only after a report of what is expected, and after one of something else that stood. */
function judgeContrary(look: Look, { steady, payload, sentAt, expected, reports }: Beginning): Finding {
  const { life, calm } = look;
  // What was only said by an old report was never done: it is told again. Once the device was away, nobody knows that.
  const wasAway = within(life.presences, sentAt - SENT_ABOUT, steady).some(({ isThere }) => !isThere);
  const chosen = isHeard(reports, expected) || wasAway ? null : life.chosen(steady, steady);
  if (chosen?.every(({ kind }) => kind === "choice"))
    return isWrong(look, steady, `is contrary (${payload}), but its device has never done it`);
  return standing(reports, expected ?? "", steady, calm)
    ? "right"
    : isWrong(look, steady, `is contrary (${payload}), but nothing else was heard that stood for 5 s`);
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

/** Only after the time for it, or a refusal. */
function judgeFailed(look: Look, { steady, output, payload, sentAt }: Beginning): Finding {
  const { life, calm } = look;
  // It cannot be sent without its secret.
  if (output.needsSecretFile && !calm.hasSecrets(steady, steady)) return "skipped";
  const sendings = life.sendings(steady);
  const count = countUntil(sendings, steady);
  const isRefused = sendings
    .slice(Math.max(0, count - 2), count)
    .some(({ failure }) => failure === "refused");
  const length = output.confirm?.for ?? USUAL;
  const begunAnew = begunAnewAt(life, { steady, payload });
  const since = Math.max(sentAt, begunAnew);
  const isTried = steady - since > length - calm.lag(steady) || output.isMessage;
  if (isRefused || isTried) return "right";
  // It may have begun while no topic could say so.
  if (begunAnew > sentAt && !calm.isThrough(begunAnew - AROUND, begunAnew)) return "skipped";
  return isWrong(
    look,
    steady,
    `is failed (${payload}), but it was tried for ${(steady - since) / 1000} s only`,
  );
}

/** It had failed before, and its device came back: `for` begins anew. What was chosen meanwhile, and not sent, begins nothing. */
function begunAnewAt(life: OutputLife, failed: Pick<Beginning, "steady" | "payload">): number {
  const [before, last] = life.states.slice(0, countUntil(life.states, failed.steady - 1)).slice(-2);
  const isTriedAgain =
    before?.state === "failed" &&
    last?.state === "waiting" &&
    life.sentWith(last.steady)?.payload === failed.payload;
  return isTriedAgain ? last.steady : Number.NEGATIVE_INFINITY;
}

/** What a device says itself of the payload that was sent last. */
interface Saying {
  index: number;
  report: Report;
  output: OutputText;
  payload: string;
  expected: string;
}

function sayingsOf({ life }: Look, meant: "expected" | "other"): Saying[] {
  return life.reports.flatMap((report, index): Saying[] => {
    if (report.isLive !== "yes") return [];
    const output = life.at(report.steady);
    const payload = life.payloadAt(report.steady);
    const expected = output?.confirm && payload !== undefined ? expectedOf(output, payload) : null;
    if (!output || payload === undefined || expected === null || report.meaning(expected) !== meant)
      return [];
    return [{ index, report, output, payload, expected }];
  });
}

/** It was said after the payload was sent, nothing was sent since, the payload is in force, and nothing opposite was said. */
function stands({ life, calm }: Look, { index, report, payload, expected }: Saying, end: number): boolean {
  const { steady } = report;
  if (!calm.isThrough(steady - 1_000, end) || !life.isSame(steady, end)) return false;
  const sentAt = life.sentAt(steady) ?? end;
  if (sentAt > steady || within(life.sendings(steady), steady, end).length > 0) return false;
  const opposite = report.meaning(expected) === "other" ? "expected" : "other";
  if (reportsUntil(life, index, end).some((one) => one.meaning(expected) === opposite)) return false;
  const isInForce = (from: number) => life.chosen(from, end)?.every((one) => isStill(one, payload)) ?? false;
  // While nobody knows what is to be sent, what was in force before counts on: not what had ended.
  const isUnknown = life.chosen(steady, end)?.some(({ kind }) => kind === "stands");
  // Nor does a vigie whose state file was damaged know whether it had ended.
  if (isUnknown && !calm.isSure(sentAt, end)) return false;
  return isInForce(isUnknown ? sentAt : steady);
}

function reportsUntil({ reports }: OutputLife, index: number, end: number): Report[] {
  return reports.slice(index + 1, countUntil(reports, end));
}

function stillSays(look: Look, { report, payload }: Saying, end: number): Finding {
  const heard = `${report.payload.slice(0, 80)} was heard ${(end - report.steady) / 1000} s ago`;
  return isWrong(look, end, `is still ${look.life.stateAt(end)} (${payload}), though ${heard}`);
}

/** What a device does else counts after a while. */
function confirmedInSpite(look: Look): Finding[] {
  const { life, calm } = look;
  return sayingsOf(look, "other").map((saying): Finding => {
    const { steady } = saying.report;
    const isWeb = saying.output.confirm?.from.kind === "http";
    const end = steady + (isWeb ? TURNS_WEB : TURNS + calm.lag(steady));
    if (!stands(look, saying, end)) return "skipped";
    if (life.stateAt(end) !== "confirmed") return "right";
    // Without another answer over HTTP nothing stands.
    const others = reportsUntil(life, saying.index, end - 2_000);
    const isSaid = !isWeb || others.some((one) => one.steady > steady + STANDS);
    return isSaid ? stillSays(look, saying, end) : "skipped";
  });
}

/** So does what is expected. */
function notConfirmed(look: Look): Finding[] {
  const { life, calm } = look;
  return sayingsOf(look, "expected").map((saying): Finding => {
    const { steady } = saying.report;
    const soon = steady + TAKEN + calm.lag(steady);
    if (mayBeAway(life, steady, soon) || !stands(look, saying, soon)) return "skipped";
    if (life.stateAt(soon) === "sent" && isOfConfigurationBefore(look, soon)) return "skipped";
    const isStill = ["waiting", "failed", "sent"].includes(life.stateAt(soon) ?? "");
    return isStill ? stillSays(look, saying, soon) : "right";
  });
}

/** What the device should report of such a payload is not known before this configuration has chosen one. */
function isOfConfigurationBefore({ trace, life }: Look, at: number): boolean {
  const edited = trace.events.findLast((event) => event.steady <= at && isKind(event, "reload", "start"));
  return life.chosen(edited?.steady ?? at, at)?.every(({ kind }) => kind === "stands") ?? false;
}

/** While its device is away nothing is confirmed, and when it is back, what it said before says nothing of what it does then. */
function mayBeAway({ presences, awaySinceAt }: OutputLife, from: number, to: number): boolean {
  const heard = presences.slice(Math.max(0, countUntil(presences, from) - 1), countUntil(presences, to));
  const isSaid = heard.some(({ isThere }) => !isThere);
  return isSaid || awaySinceAt(from) !== null || awaySinceAt(to) !== null;
}

/** For the second time within five minutes after two minutes only. */
function contraryInSpite(look: Look): Finding[] {
  const { life, calm } = look;
  return sayingsOf(look, "expected").flatMap((saying): Finding[] => {
    const { steady } = saying.report;
    const late = steady + TURNS_BACK + calm.lag(steady);
    if (!life.statesBetween(steady, late).includes("contrary")) return [];
    if (!stands(look, saying, late)) return ["skipped"];
    return [life.stateAt(late) === "contrary" ? stillSays(look, saying, late) : "right"];
  });
}

/** What a device said last is not forgotten by a reload or an end in order. */
function forgotten(look: Look): Finding[] {
  const { trace, life, calm } = look;
  const lost = trace.events.filter((event) => isKind(event, "kill", "crash", "suspend"));
  const quiets = trace.events.filter((event) => isKind(event, "quiet"));
  return quiets.flatMap(({ steady }): Finding[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const report = life.reports[countUntil(life.reports, steady) - 1];
    if (output?.confirm?.from.kind !== "mqtt" || payload === undefined || report?.isLive !== "yes") return [];
    // An edit may have taken the payload away, with what was expected after it.
    const expected = expectedOf(output, payload);
    if (expected === null || report.meaning(expected) !== "other") return [];
    const from = report.steady;
    const isKnown =
      steady - from >= TURNS + calm.lag(from) &&
      (life.sentAt(steady) ?? steady) <= from &&
      life.isSame(from - 1, steady) &&
      within(lost, from, steady).length === 0 &&
      calm.isSure(from - AROUND, steady) &&
      calm.isDiskQuick(from, steady);
    if (!isKnown) return ["skipped"];
    if (life.stateAt(steady) !== "confirmed") return ["right"];
    const what = `is confirmed (${payload}), though ${report.payload.slice(0, 80)} was heard last`;
    return [isWrong(look, steady, what)];
  });
}

/** `confirm.for` counts over connections: a device of which nothing is heard has failed then, though the connection comes and goes. */
function endless(look: Look): Finding[] {
  const { trace, life, calm } = look;
  const starts = trace.events.filter((event) => isKind(event, "start", "reload", "kill", "suspend"));
  return settledInstants(look).flatMap((steady): Finding[] => {
    const output = life.at(steady);
    const sentAt = life.sentAt(steady);
    if (!output?.confirm || sentAt === null) return [];
    const from = sentAt - AROUND;
    const isSilent =
      within(life.reports, from, steady).length === 0 && within(life.presences, from, steady).length === 0;
    const taken = life.sendings(steady).find((one) => one.steady >= sentAt - 1_000)?.takenAt ?? steady;
    const connected = calm.connected(taken, steady);
    if (!isSilent || connected < output.confirm.for + 2 * MINUTE) return [];
    const isKnown =
      within(starts, from, steady).length === 0 && life.isSame(from, steady) && calm.isSure(from, steady);
    if (!isKnown) return ["skipped"];
    if (life.stateAt(steady) !== "waiting") return ["right"];
    const what = `is waiting, though nothing was heard of its device for ${(connected / MINUTE).toFixed(0)} min of connections`;
    return [isWrong(look, steady, what)];
  });
}

/** Over HTTP a device that has not answered for long is not known to do anything. */
function silent(look: Look): Finding[] {
  const { life, calm } = look;
  return life.states.flatMap(({ steady: from, state }, index): Finding[] => {
    const to = life.states[index + 1]?.steady ?? Number.POSITIVE_INFINITY;
    const output = life.at(from);
    const payload = life.sentWith(from)?.payload;
    const expected = output && payload !== undefined ? expectedOf(output, payload) : null;
    if (state !== "confirmed" || output?.confirm?.from.kind !== "http" || expected === null) return [];
    const answers = within(life.reports, from, to).filter(({ meaning }) => meaning(expected) !== "nothing");
    const instants = [from, ...answers.map(({ steady }) => steady), to];
    return instants.flatMap((steady, place): Finding[] => {
      const next = instants[place + 1] ?? steady;
      const until = steady + SILENT + MINUTE;
      // An answer that came just in time ends no silence.
      if (next <= steady + SILENT - MINUTE || (next < to && next <= until)) return [];
      if (next <= until) return ["right"];
      if (!calm.isThrough(steady, until) || !life.isSame(from, until)) return ["skipped"];
      return [isWrong(look, until, `is confirmed (${payload}), though it has not answered for 16 min`)];
    });
  });
}

/** A payload in force is `sent` and not more only if a report from before, or a doubt, is the reason. */
function sentOnly(look: Look): Finding[] {
  const { life, calm } = look;
  return settledInstants(look).flatMap((steady): Finding[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const sentAt = life.sentAt(steady);
    if (!output?.confirm || payload === undefined || sentAt === null) return [];
    const chosen = life.chosen(steady - MINUTE, steady);
    if (chosen?.some((one) => !("payload" in one) || one.payload !== payload)) return [];
    if (chosen === null || !calm.isSure(sentAt - AROUND, steady)) return ["skipped"];
    if (life.stateAt(steady) !== "sent") return ["right"];
    const reports = within(life.reports, sentAt - AROUND, steady);
    const isOld = reports.some(({ isLive }) => isLive !== "yes");
    // What its device said before, live, is an old report for what is sent after it.
    const last = life.reports[countUntil(life.reports, sentAt + 1_000) - 1];
    const isHeld =
      isOld || (last?.isRetained && last.meaning(expectedOf(output, payload) ?? "") === "expected");
    const wasConfirmed = life.statesBetween(sentAt, steady).includes("confirmed");
    if (isHeld || wasConfirmed || life.awaySinceAt(steady) !== null) return ["skipped"];
    return [isWrong(look, steady, `is sent, though ${payload} is in force and was not confirmed`)];
  });
}

/** If no choice is in force, and there is no `else`, what was sent last is `sent`. */
function ended(look: Look): Finding[] {
  const { life } = look;
  return settledInstants(look).flatMap((steady): Finding[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady) ?? "None";
    if (!output || output.isMessage || output.else || payload === "None") return [];
    const chosen = life.chosen(steady - MINUTE, steady);
    if (chosen?.some(({ kind }) => kind !== "nothing")) return [];
    if (chosen === null) return ["skipped"];
    const state = life.stateAt(steady);
    if (state === "sent") return ["right"];
    return [isWrong(look, steady, `is ${state} (${payload}), though no choice is in force`)];
  });
}

/** A device that changes its mind again and again changes its topics at most once a minute in the long run. */
function tooOften(look: Look): Finding[] {
  const { life, calm } = look;
  const turns = life.states.filter(
    ({ state }, index) => [state, life.states[index - 1]?.state].sort().join(" ") === "confirmed contrary",
  );
  return LIMITS.flatMap(({ most, within }) =>
    turns.slice(most).map(({ steady }, index): Finding => {
      const first = turns[index]!.steady;
      if (steady - first >= within) return "right";
      // What a restart or a reload has forgotten may begin anew, and so may a sending.
      const isOneOrder = Math.abs((life.sentAt(first) ?? 0) - (life.sentAt(steady) ?? 0)) < 1_000;
      if (!calm.isThrough(first - AROUND, steady) || !isOneOrder) return "skipped";
      return isWrong(
        look,
        steady,
        `turned contrary or back more than ${most} times in ${within / 60_000} min`,
      );
    }),
  );
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
/** The instant of a sending is published without its milliseconds. */
const SENT_ABOUT = 1_500;
const LIMITS = [
  { most: 4, within: 60_000 },
  { most: 7, within: 300_000 },
];
