import type { Clocks } from "../calendar/clocks.ts";
import { describeDuration } from "../log/duration.ts";
import { doubt, STANDS } from "./device-reports.ts";
import { describeOutput, placeOfReports } from "./output.ts";
import {
  type ConfirmingOutput,
  type OutputsPart,
  passingOf,
  reportsOf,
  withPassing,
  withPassingOf,
  withReportsOf,
} from "./outputs-part.ts";
import { lastSent } from "./outputs-state.ts";

/** Asks a device over HTTP what it does, while that says something about what it was sent. */
export function askIfDue(before: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const { key, id } = output;
  if (output.confirm.from.kind === "mqtt") return before;
  const isListening = before.passing.reports.byKey.has(key);
  const listening = isListening ? before : withReportsOf(before, key, reportsOf(before, key, at));
  const part = doubtIfSilent(listening, output, at);
  const askAt = nextQuestion(part, output, at);
  if (askAt === null || askAt > at.steady) return part;
  const number = part.passing.given + 1;
  const { questions } = passingOf(part, key);
  const asked = { question: { number, output: id }, askedAt: at.steady, questions: questions + 1 };
  return withPassing(withPassingOf(part, key, asked), { given: number });
}

/** When the device is asked next, if nothing happens; null: it is not. */
export function nextQuestion(part: OutputsPart, output: ConfirmingOutput, at: Clocks): number | null {
  const { key, confirm } = output;
  const sent = lastSent(part.kept.devices, key);
  const { underWay, retry, question, askedAt, questions, sentAt, turning, isChoiceOn } = passingOf(part, key);
  const mayHaveIt = sent?.acknowledged || retry?.mayHaveArrived;
  const isAsked = confirm.from.kind === "http" && sent?.stands && mayHaveIt && sent.expect !== null;
  if (!isAsked || underWay || question || sent.answer === "none") return null;
  if (sentAt !== null && questions === 0) return sentAt + BEFORE_FIRST;
  if (askedAt === null) return at.steady;
  // After a start, the sending may be an hour ago.
  if (sentAt !== null && questions === 1) return askedAt + BEFORE_SECOND;
  if (turning)
    return Math.max(turning.since + STANDS, askedAt > turning.since ? askedAt + WHILE_TURNING : askedAt);
  const isPatient = sent.answer === "heard" || !(isChoiceOn || sent.answer === "awaited");
  return askedAt + (isPatient ? WHILE_CONFIRMED : confirm.every);
}

/** When a device that answers nothing is doubted; null: nothing of it is known to doubt. */
export function nextDoubt(part: OutputsPart, { key, confirm }: ConfirmingOutput, at: Clocks): number | null {
  const sent = lastSent(part.kept.devices, key);
  if (confirm.from.kind === "mqtt" || !sent?.stands || sent.answer !== "heard") return null;
  return reportsOf(part, key, at).liveAt + SILENT;
}

function doubtIfSilent(part: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const from = nextDoubt(part, output, at);
  if (from === null || from > at.steady) return part;
  const { failure } = passingOf(part, output.key);
  const silent = describeDuration(at.steady - reportsOf(part, output.key, at).liveAt);
  const why = failure === null ? "" : ` (${failure})`;
  return doubt(
    part,
    output,
    `It is not known what ${describeOutput(output)} does now: ${placeOfReports(output.confirm)} has not answered for ${silent}${why}`,
  );
}

/** Milliseconds after a sending, and after the first question. */
const BEFORE_FIRST = 1_000;
const BEFORE_SECOND = 4_000;
const WHILE_TURNING = 10_000;
const WHILE_CONFIRMED = 5 * 60_000;
const SILENT = 15 * 60_000;
