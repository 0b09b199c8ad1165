import type { Clocks } from "../calendar/clocks.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { sayNotWanted, sayTaken } from "./not-taken.ts";
import { describeOutput, type Outputs, placeOfReports, templateText } from "./output.ts";
import {
  type ConfirmingOutput,
  confirmingOutputs,
  type DeviceReport,
  judgedFrom,
  type OutputsPart,
  passingOf,
  reportsOf,
  say,
  type Turning,
  withKept,
  withPassing,
  withPassingOf,
  withReportsOf,
} from "./outputs-part.ts";
import { isOfChoice, lastSent, recordOf, type Sent, withAway } from "./outputs-state.ts";
import { type ReportMeaning, readReport, readShown, shownReport } from "./read-report.ts";

/** A message on a topic on which devices report. */
export interface Report {
  topic: string;
  payload: string;
  retain: boolean;
}

/** What a device publishes: its state, or that it is there. */
export function takeReport(before: OutputsPart, report: Report, at: Clocks, outputs: Outputs): OutputsPart {
  const { connection } = before.passing;
  // On MQTT 3.1.1 only what the broker held before is marked as retained.
  const isFromBefore = report.retain && !(connection?.areReportsRead && connection.version === 5);
  let part = before;
  for (const output of confirmingOutputs(outputs)) {
    const { from, online } = output.confirm;
    if (from.kind === "mqtt" && from.topic === report.topic) {
      part = rememberRetained(part, report);
      part = noteReport(part, output, { payload: report.payload, isFromBefore }, at);
    }
    if (online?.topic === report.topic) part = notePresence(part, output, { ...report, isFromBefore }, at);
  }
  return part;
}

/** The reports of one second are judged together: the last one counts. */
export function noteReport(
  part: OutputsPart,
  output: ConfirmingOutput,
  report: Omit<DeviceReport, "isReturn">,
  at: Clocks,
): OutputsPart {
  const before = reportsOf(part, output.key, at);
  const isReturn = before.said === null || at.steady - before.liveAt >= SILENT;
  const newest = { ...report, isReturn: isReturn || before.newest?.isReturn === true };
  // An answer to a question counts only if it says what the device does.
  const isLive = !report.isFromBefore && output.confirm.from.kind === "mqtt";
  const liveAt = isLive ? at.steady : before.liveAt;
  return judgeIfDue(withReportsOf(part, output.key, { ...before, newest, liveAt }), output, at);
}

export function judgeIfDue(before: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const { key } = output;
  const part = judgePresence(before, output, at);
  const reports = part.passing.reports.byKey.get(key);
  const from = reports ? judgedFrom(part.passing, key, reports) : null;
  if (!reports || from === null || from > at.steady) return part;
  const { newest, hasComeBack } = reports;
  const judgedAt = at.steady;
  let judged = withReportsOf(part, key, { ...reports, newest: null, hasComeBack: false, judgedAt });
  const sent = lastSent(part.kept.devices, key);
  if (hasComeBack && sent) judged = noteBack(judged, output, sent, at);
  return newest ? judge(judged, output, newest, at) : judged;
}

/** The device is back. Nobody wants to be overruled by `else` because of that, but what it has not taken is sent to it anyway. */
function noteBack(part: OutputsPart, output: ConfirmingOutput, sent: Sent, at: Clocks): OutputsPart {
  const soon = tryAgainSoon(part, output, at);
  return isOfChoice(sent) ? noteReturn(soon, output) : soon;
}

/** It is not known what the device does now: it is told again as soon as that is allowed. */
function noteReturn(part: OutputsPart, { key }: ConfirmingOutput): OutputsPart {
  return withKept(part, recordOf(part.kept.devices, key, { came_back: true }), "with the next save");
}

/** Over HTTP: what the device has not taken for long is tried often again, as if it was sent now for the first time. */
function tryAgainSoon(part: OutputsPart, { key, to, confirm }: ConfirmingOutput, at: Clocks): OutputsPart {
  const { retry, underWay, sentAt, notBefore } = passingOf(part, key);
  // Some devices say often that they are there: what is tried often has to become slow all the same.
  if (to.kind === "mqtt" || !retry?.isSlow) return part;
  const due = Math.max(at.steady, notBefore ?? 0, sentAt === null ? 0 : sentAt + confirm.every);
  // An address that refuses, or says when to come again, is not asked sooner.
  if (!underWay && due >= retry.at) return part;
  const soon = { ...retry, since: at.steady, at: Math.min(retry.at, due), isSlow: false };
  return withPassingOf(part, key, { retry: soon });
}

/**
 * | last answer                | the report       | then                                                                 |
 * |----------------------------|------------------|----------------------------------------------------------------------|
 * | awaited, missed            | live, expected   | heard                                                                |
 * |                            | live, other      | noted; if it was missed and this is no answer: it is told again       |
 * |                            | before, expected | retained                                                             |
 * | heard, retained, doubted   | live, expected   | heard                                                                |
 * | heard, doubted             | live, other      | contrary, if it stands                                               |
 * |                            | before, other    | doubted, if nothing follows                                          |
 * | retained                   | live, other      | awaited, if it stands; by `else` and `unknown` contrary              |
 * |                            | before, other    | awaited, if nothing follows; by `else` and `unknown` doubted         |
 * | contrary                   | live, expected   | heard, if it stands                                                  |
 * |                            | before, expected | retained                                                             |
 *
 * `before`: the broker held it before the payload was sent, or before the connection.
 */
export function judge(
  before: OutputsPart,
  output: ConfirmingOutput,
  { payload, isFromBefore, isReturn }: DeviceReport,
  at: Clocks,
): OutputsPart {
  const sent = lastSent(before.kept.devices, output.key);
  if (!sent?.stands || sent.expect === null || sent.answer === "none") return before;
  const { path } = output.confirm;
  const meaning = readReport(payload, sent.expect, path);
  if (meaning === "nothing") return before;
  // The payload is sent again in any case, and the report counts once it has been taken.
  if (isFromBefore && meaning === "expected" && !sent.acknowledged) return before;
  // It has said that it came back, perhaps after the report that the broker holds.
  if (isFromBefore && meaning === "expected" && sent.came_back && output.confirm.online) return before;
  const shown = shownReport(payload, sent.expect, path);
  const report = { meaning, shown, isFromBefore, isReturn };
  const part = isFromBefore ? before : noteAnswer(before, output, { sent, shown, at });
  switch (sent.answer) {
    case "awaited":
    case "missed":
      return judgeAwaited(part, output, report, at);
    case "contrary":
      return judgeContrary(part, output, report, at);
    default:
      return judgeConfirmed(part, output, report, at);
  }
}

interface Meant {
  meaning: Exclude<ReportMeaning, "nothing">;
  shown: string;
  isFromBefore: boolean;
  isReturn: boolean;
}

function judgeAwaited(part: OutputsPart, output: ConfirmingOutput, report: Meant, at: Clocks): OutputsPart {
  const { key } = output;
  if (report.meaning === "expected") return noteConfirmed(part, output, report, at);
  const { sentAt } = passingOf(part, key);
  const isAnswer = sentAt !== null && at.steady - sentAt < ANSWERS_WITHIN;
  const isMissed = lastSent(part.kept.devices, key)?.answer === "missed";
  // A device that went on reporting all the time is no device that came back.
  const isBack = isMissed && !report.isFromBefore && report.isReturn && !isAnswer;
  return isBack ? noteReturn(part, output) : part;
}

function judgeConfirmed(part: OutputsPart, output: ConfirmingOutput, report: Meant, at: Clocks): OutputsPart {
  const { key } = output;
  const { turning } = passingOf(part, key);
  const sent = lastSent(part.kept.devices, key);
  const { meaning, isFromBefore, shown } = report;
  if (meaning === "expected") {
    const still = withPassingOf(part, key, { turning: null });
    return isFromBefore || sent?.answer === "heard" ? still : noteConfirmed(still, output, report, at);
  }
  if (isFromBefore && turning) return part;
  const to = isFromBefore ? "doubted" : "contrary";
  if (turning?.to !== to) return beginTurn(part, output, { to, shown }, at);
  // A device over HTTP said it twice, and there were some seconds between.
  const hasStood = output.confirm.from.kind === "http" && at.steady >= turning.since + STANDS;
  const countsAt = hasStood ? at.steady : turning.countsAt;
  return withPassingOf(part, key, { turning: { ...turning, shown, countsAt } });
}

function judgeContrary(part: OutputsPart, output: ConfirmingOutput, report: Meant, at: Clocks): OutputsPart {
  const { key } = output;
  const { turning } = passingOf(part, key);
  const { meaning, isFromBefore, shown } = report;
  if (meaning === "other") return isFromBefore ? part : withPassingOf(part, key, { turning: null });
  if (isFromBefore) return noteConfirmed(part, output, report, at);
  return turning ? part : beginTurn(part, output, { to: "heard", shown }, at);
}

function beginTurn(
  part: OutputsPart,
  { key, confirm }: ConfirmingOutput,
  { to, shown }: Pick<Turning, "to" | "shown">,
  { steady: since }: Clocks,
): OutputsPart {
  const [before, last] = passingOf(part, key).contraryAt;
  // A device that changes its mind again and again changes its topics at most once a minute.
  const isUnsteady = before !== undefined && last !== undefined && last - before < UNSTEADY_WITHIN;
  // It is asked again after that time, and the answer may take some more.
  const more = to === "contrary" && confirm.from.kind === "http" ? ANSWERED_WITHIN : 0;
  const countsAt = since + (to === "heard" && isUnsteady ? STANDS_LONG : STANDS + more);
  return withPassingOf(part, key, { turning: { to, since, countsAt, shown } });
}

/**
 * A report of the last seconds before vigie ended, or read its configuration again, counts when it has stood for long enough. After a
 * kill a later report may be missing in what was kept: such a report is forgotten, so that it does not count after a later restart.
 */
export function resumeTurn(
  part: OutputsPart,
  output: ConfirmingOutput,
  { isAfterCrash, at }: { isAfterCrash: boolean; at: Clocks },
): OutputsPart {
  const { key } = output;
  const sent = lastSent(part.kept.devices, key);
  if (!sent?.stands || sent.expect === null || sent.last_answer === null) return part;
  const { answer, last_answer: shown } = sent;
  const meaning = readShown(shown, sent.expect);
  const wasDone = answer === "heard" || answer === "retained" || answer === "doubted";
  const turnsBack = answer === "contrary" && meaning === "expected";
  if (!turnsBack && !(wasDone && meaning === "other")) return part;
  if (isAfterCrash)
    return withKept(part, recordOf(part.kept.devices, key, NOTHING_SAID), "with the next save");
  return beginTurn(part, output, { to: turnsBack ? "heard" : "contrary", shown }, at);
}

/** What the device has reported has stood for long enough. */
export function turnIfDue(part: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const { key } = output;
  const { turning, contraryAt } = passingOf(part, key);
  if (!turning || turning.countsAt > at.steady) return part;
  const turned = withPassingOf(part, key, { turning: null });
  const sent = lastSent(part.kept.devices, key);
  if (!sent?.stands) return turned;
  if (turning.to === "heard")
    return noteConfirmed(turned, output, { shown: turning.shown, isFromBefore: false }, at);
  if (sent.answer === "retained" && isOfChoice(sent)) return noteNeverObeyed(turned, output, turning, at);
  const contrary = [...contraryAt, at.steady].slice(-2);
  return turning.to === "contrary"
    ? turnContrary(withPassingOf(turned, key, { contraryAt: contrary }), output, turning.shown, at)
    : doubt(turned, output, describeDoubt(output, turning.shown));
}

/** Only an old report said that it does what it was sent. */
function noteNeverObeyed(
  part: OutputsPart,
  output: ConfirmingOutput,
  { to, shown }: Turning,
  at: Clocks,
): OutputsPart {
  const { key, confirm } = output;
  const [report, place] = [quotePayload(shown), placeOfReports(confirm)];
  const found =
    to === "contrary" ? `${place} reported ${report}` : `the broker holds the report ${report} of ${place}`;
  const payload = quotePayload(lastSent(part.kept.devices, key)?.payload ?? "");
  const sentence = `Only an old report said that ${describeOutput(output)} does ${payload}, and ${found}. It is told again`;
  const { awaitedFor } = passingOf(part, key);
  const awaited = withPassingOf(part, key, { awaitedSince: at.steady - awaitedFor });
  const kept = recordOf(part.kept.devices, key, { answer: "awaited" });
  return say(withKept(awaited, kept, "now"), { level: "warn", sentence });
}

function turnContrary(part: OutputsPart, output: ConfirmingOutput, shown: string, at: Clocks): OutputsPart {
  const { key, confirm } = output;
  const sent = lastSent(part.kept.devices, key);
  // What was sent last counts on until the rules are decided.
  const isChoiceOn = passingOf(part, key).isChoiceOn ?? (sent !== undefined && isOfChoice(sent));
  const payload = quotePayload(sent?.payload ?? "");
  const then = isChoiceOn && confirm.keep ? "It is told again" : "vigie leaves it so";
  const sentence = `${describeOutput(output)} does not do ${payload} any more: ${placeOfReports(confirm)} reported ${quotePayload(shown)}. ${then}`;
  const change: Partial<Sent> = { answer: "contrary", last_answer: shown, answered_at: at.now };
  return say(withKept(part, recordOf(part.kept.devices, key, change), "now"), { level: "warn", sentence });
}

/** It is not known any more whether the device does what it was sent. */
export function doubt(part: OutputsPart, output: ConfirmingOutput, sentence: string): OutputsPart {
  const { key, confirm } = output;
  const doubted = withKept(part, recordOf(part.kept.devices, key, { answer: "doubted" }), "now");
  const isTold = confirm.keep && confirm.from.kind === "mqtt";
  return say(isTold ? noteReturn(doubted, output) : doubted, { level: "info", sentence });
}

function describeDoubt(output: ConfirmingOutput, shown: string): string {
  return `It is not known what ${describeOutput(output)} does now: the broker holds the report ${quotePayload(shown)} of ${placeOfReports(output.confirm)}, which may be old`;
}

function noteConfirmed(
  part: OutputsPart,
  output: ConfirmingOutput,
  { shown, isFromBefore }: Pick<Meant, "shown" | "isFromBefore">,
  at: Clocks,
): OutputsPart {
  const { key } = output;
  let told = tellConfirmation(part, output, { shown, isFromBefore });
  const change: Partial<Sent> = isFromBefore
    ? { answer: "retained", answered_at: null }
    : // It has the payload, also if the acknowledgement was lost.
      { answer: "heard", answered_at: at.now, acknowledged: true };
  const kept = recordOf(part.kept.devices, key, {
    ...change,
    last_answer: shown,
    came_back: false,
    stuck: null,
  });
  // What the device said before is not what it does now, as far as is known.
  if (isFromBefore) told = withReportsOf(told, key, { ...reportsOf(told, key, at), said: null });
  told = endRefusedTelling(told, output);
  if (!isFromBefore && passingOf(part, key).retry) {
    told = say(told, sayTaken(output));
    told = withPassingOf(told, key, { retry: null });
  }
  const isDone = isFromBefore ? NOTHING_IS_OPEN : { ...NOTHING_IS_OPEN, awaitedFor: 0 };
  return withKept(withPassingOf(told, key, isDone), kept, "now");
}

/** The device need not be told again. */
export function endRefusedTelling(part: OutputsPart, output: ConfirmingOutput): OutputsPart {
  const { key } = output;
  if (passingOf(part, key).tellingFailure === null) return part;
  return say(withPassingOf(part, key, { tellingFailure: null }), sayNotWanted(output));
}

function tellConfirmation(
  part: OutputsPart,
  output: ConfirmingOutput,
  { shown, isFromBefore }: Pick<Meant, "shown" | "isFromBefore">,
): OutputsPart {
  const payload = quotePayload(lastSent(part.kept.devices, output.key)?.payload ?? "");
  const device = describeOutput(output);
  const place = placeOfReports(output.confirm);
  const [sentence, isOver] = isFromBefore
    ? [
        `${device} is not sent ${payload} again: the broker holds the report ${quotePayload(shown)} of ${place}, which may be old`,
        `vigie waits for no report of ${device} any more`,
      ]
    : [
        `${device} has confirmed ${payload}: ${place} reported ${quotePayload(shown)}`,
        `${device} does what it was sent again`,
      ];
  return say(say(part, { level: "info", sentence }), { problem: `answer ${output.key}`, isOver });
}

/** Nothing is judged later: what devices have said by now is judged and kept, for the next start. */
export function noteLastReports(before: OutputsPart, outputs: Outputs, at: Clocks): OutputsPart {
  let part = before;
  for (const output of confirmingOutputs(outputs))
    part = noteNewestAnswer(judgeIfDue(part, output, at), output);
  return part;
}

/**
 * What the device said last, and when. A device may report each second, so the same answer is noted from time to time only, and
 * another one at most once a minute.
 */
function noteAnswer(
  before: OutputsPart,
  output: ConfirmingOutput,
  { sent, shown, at }: { sent: Sent; shown: string; at: Clocks },
): OutputsPart {
  const { key } = output;
  const said = { shown, at: at.now };
  const part = withReportsOf(before, key, { ...reportsOf(before, key, at), said, liveAt: at.steady });
  const age = sent.answered_at === null ? Number.POSITIVE_INFINITY : Math.abs(at.now - sent.answered_at);
  const isSoon = age < (sent.last_answer === shown ? SAME_NOTED_EVERY : OTHER_NOTED_EVERY);
  if (isSoon && !part.passing.isEnding) return part;
  return noteNewestAnswer(part, output);
}

export function noteNewestAnswer(part: OutputsPart, { key }: ConfirmingOutput): OutputsPart {
  const said = part.passing.reports.byKey.get(key)?.said;
  if (!said) return part;
  const change = { last_answer: said.shown, answered_at: said.at };
  return withKept(part, recordOf(part.kept.devices, key, change), "with the next save");
}

/**
 * A device may flap, so that it has come back counts with its next report, at most once a second; and that it is away again within
 * some minutes counts if it stands. What the broker held before the connection may be over in some seconds.
 */
function notePresence(
  part: OutputsPart,
  output: ConfirmingOutput,
  { payload, isFromBefore }: Pick<DeviceReport, "payload" | "isFromBefore">,
  at: Clocks,
): OutputsPart {
  const { key, confirm } = output;
  const equals = confirm.online?.equals;
  if (equals === undefined) return part;
  const meaning = readReport(payload, templateText(equals));
  if (meaning === "nothing") return part;
  const isOnline = meaning === "expected";
  const before = reportsOf(part, key, at);
  const isReturn = isOnline && !isFromBefore;
  const hasComeBack = before.hasComeBack || isReturn;
  if (before.isOnline === isOnline && before.hasComeBack === hasComeBack) return part;
  const isUnsteady = at.steady - before.goneAt < UNSTEADY_WITHIN;
  const countsAt = at.steady + (isUnsteady ? STANDS_LONG : isFromBefore ? STANDS : 0);
  const gone = isOnline ? null : (before.gone ?? { since: at.now, countsAt });
  return judgeIfDue(withReportsOf(part, key, { ...before, isOnline, hasComeBack, gone }), output, at);
}

/** Notes with what was sent since when the device is away, or that it is there again. */
export function judgePresence(part: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const { key, confirm } = output;
  const reports = part.passing.reports.byKey.get(key);
  const sent = lastSent(part.kept.devices, key);
  if (!reports || !sent) return part;
  const { isOnline, hasComeBack, gone } = reports;
  if (sent.away_since !== null) {
    if (!isOnline) return part;
    const back = withKept(part, recordOf(part.kept.devices, key, { away_since: null }), "with the next save");
    // It may have come back while vigie was stopped.
    return hasComeBack ? back : noteBack(back, output, sent, at);
  }
  if (!gone || gone.countsAt > at.steady) return part;
  const away = withAway(sent, gone.since);
  // A save at once is not needed: the device says so again after a start.
  const kept = withKept(part, recordOf(part.kept.devices, key, away), "with the next save");
  const noted = withReportsOf(kept, key, { ...reports, goneAt: at.steady });
  if (away.answer === sent.answer || !sent.stands) return noted;
  const sentence = `It is not known what ${describeOutput(output)} does now: it is away, as ${confirm.online?.topic} says`;
  return say(noted, { level: "info", sentence });
}

/** What devices say of being there is known of one connection only. */
export function forgetPresence(before: OutputsPart, outputs: Outputs, at: Clocks): OutputsPart {
  let part = before;
  for (const { key, confirm } of confirmingOutputs(outputs))
    if (confirm.online)
      part = withReportsOf(part, key, { ...reportsOf(part, key, at), isOnline: null, gone: null });
  return part;
}

/**
 * The broker was away, and with it perhaps the power of the building. What the broker holds may be from before. So a device that is
 * there may have come back, and so may one that is to be kept and of which the broker holds no report.
 */
export function doubtDevices(before: OutputsPart, outputs: Outputs, at: Clocks): OutputsPart {
  let part = before;
  for (const output of confirmingOutputs(outputs)) {
    const sent = lastSent(part.kept.devices, output.key);
    if (sent && mayHaveComeBack(part, output, sent, at)) part = noteBack(part, output, sent, at);
  }
  return part;
}

function mayHaveComeBack(
  part: OutputsPart,
  { key, confirm }: ConfirmingOutput,
  { answer }: Sent,
  at: Clocks,
): boolean {
  const { newest, isOnline } = reportsOf(part, key, at);
  if (confirm.online) return isOnline === true;
  if (!confirm.keep || confirm.from.kind === "http") return false;
  const isHeard = newest !== null || part.passing.reports.retained.has(confirm.from.topic);
  return !isHeard && (answer === "heard" || answer === "retained");
}

function rememberRetained(part: OutputsPart, { topic, payload, retain }: Report): OutputsPart {
  const { reports } = part.passing;
  if (reports.retained.get(topic) === (retain ? payload : undefined)) return part;
  const retained = new Map(reports.retained);
  if (retain) retained.set(topic, payload);
  else retained.delete(topic);
  return withPassing(part, { reports: { ...reports, retained } });
}

/** Of a device that does what it was sent. */
const NOTHING_IS_OPEN = {
  turning: null,
  awaitedSince: null,
  failure: null,
};

const NOTHING_SAID = { last_answer: null, answered_at: null } as const;

/** Milliseconds: a report after a sending is an answer to it, and no sign that the device came back. */
const ANSWERS_WITHIN = 60_000;
/** What a device says else than before counts when it has stood so long. */
export const STANDS = 5_000;
/** A request to a device takes at most ten seconds. */
const ANSWERED_WITHIN = 11_000;
const SILENT = 600_000;
const STANDS_LONG = 120_000;
const UNSTEADY_WITHIN = 300_000;
const SAME_NOTED_EVERY = 15 * 60_000;
const OTHER_NOTED_EVERY = 60_000;
