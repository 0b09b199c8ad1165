import { quotePayload } from "../log/quote-payload.ts";
import { isConfirmedBy, shownReport } from "./confirms.ts";
import { describeOutput, type Output, type Outputs } from "./output.ts";
import {
  type ConfirmedOutput,
  type OutputsPart,
  passingOf,
  say,
  withKept,
  withPassing,
  withPassingOf,
} from "./outputs-part.ts";
import {
  awaitsReport,
  lastSent,
  type OutputsState,
  recordConfirmation,
  recordOtherReport,
} from "./outputs-state.ts";

/** A message on a topic on which devices report. */
export interface Report {
  topic: string;
  payload: string;
  retain: boolean;
}

export function takeReport(before: OutputsPart, report: Report, outputs: Outputs): OutputsPart {
  const reporting = confirmedOutputs(outputs).filter(({ confirm }) => confirm.topic === report.topic);
  if (reporting.length === 0) return before;
  const { connection } = before.passing;
  // On MQTT 3.1.1 only what the broker held before is marked as retained.
  const isFromBefore = report.retain && !(connection?.areReportsRead && connection.version === 5);
  let part = rememberRetained(before, report);
  for (const output of reporting) {
    const { underWay } = passingOf(part, output.topic);
    // What the device reported before the payload was sent says nothing about it.
    if (underWay?.stage === "waiting for the save") continue;
    // It is looked at after the acknowledgement: that the payload is not sent again is said after that it was sent.
    if (isFromBefore && underWay?.send) continue;
    part = checkReport(part, output, { payload: report.payload, isFromBefore });
  }
  return part;
}

/** `isFromBefore`: the broker held it before the payload was sent, so it may be old. */
export function checkReport(
  part: OutputsPart,
  output: ConfirmedOutput,
  { payload, isFromBefore }: { payload: string; isFromBefore: boolean },
): OutputsPart {
  const { topic, confirm } = output;
  const sent = lastSent(part.kept, topic);
  if (!sent || !awaitsReport(sent) || sent.expect === null) return part;
  const shown = shownReport(payload, sent.expect, confirm.path);
  if (isConfirmedBy(payload, sent.expect, confirm.path)) {
    if (isFromBefore && sent.answer === "retained") return part;
    const told = tellConfirmation(part, output, { payload: sent.payload, shown, isFromBefore });
    const answer = isFromBefore ? "retained" : "heard";
    return withKept(told, recordConfirmation(part.kept, topic, answer, shown), "now");
  }
  if (isFromBefore) return part;
  // A device may report each second: only the first report is told at once, the others with the next repetition.
  const isFirst = sent.last_answer === null;
  const noted =
    passingOf(part, topic).otherReport === shown ? part : withPassingOf(part, topic, { otherReport: shown });
  return isFirst ? withKept(noted, recordOtherReport(part.kept, topic, shown), "with the next save") : noted;
}

/** With what the device has reported last. */
export function keptWithOtherReport(part: OutputsPart, topic: string): OutputsState {
  const { otherReport } = passingOf(part, topic);
  return otherReport === null ? part.kept : recordOtherReport(part.kept, topic, otherReport);
}

export function confirmedOutputs({ list }: Outputs): ConfirmedOutput[] {
  return list.filter(isConfirmed);
}

export function isConfirmed(output: Output): output is ConfirmedOutput {
  return output.confirm !== undefined;
}

interface ToldConfirmation {
  payload: string;
  shown: string;
  isFromBefore: boolean;
}

function tellConfirmation(
  part: OutputsPart,
  output: ConfirmedOutput,
  { payload, shown, isFromBefore }: ToldConfirmation,
): OutputsPart {
  const { confirm, topic } = output;
  const device = describeOutput(output);
  const [sentence, isOver] = isFromBefore
    ? [
        `${device} is not sent ${quotePayload(payload)} again: the broker holds the report ${quotePayload(shown)} of ${confirm.topic}, which may be old`,
        `vigie waits for no report of ${device} any more`,
      ]
    : [
        `${device} has confirmed ${quotePayload(payload)}: ${confirm.topic} reported ${quotePayload(shown)}`,
        `${device} does what it was sent again`,
      ];
  return say(say(part, { level: "info", sentence }), { problem: `answer ${topic}`, isOver });
}

function rememberRetained(part: OutputsPart, { topic, payload, retain }: Report): OutputsPart {
  const { retainedReports } = part.passing;
  if (retainedReports.get(topic) === (retain ? payload : undefined)) return part;
  const reports = new Map(retainedReports);
  if (retain) reports.set(topic, payload);
  else reports.delete(topic);
  return withPassing(part, { retainedReports: reports });
}
