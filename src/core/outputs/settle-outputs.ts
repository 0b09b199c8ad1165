import type { Clocks } from "../calendar/clocks.ts";
import { describeLength } from "../log/duration.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { type BothVerdicts, chooseOutputs, type Send } from "./choose-outputs.ts";
import { isConfirmed, keptWithOtherReport } from "./device-reports.ts";
import { describeOutput, type Output, type Outputs } from "./output.ts";
import {
  type ConfirmedOutput,
  type DueSend,
  dropWaiting,
  type OutputsPart,
  passingOf,
  type Repetition,
  say,
  withKept,
  withPassing,
  withPassingOf,
} from "./outputs-part.ts";
import { isUnconfirmed, lastSent, recordMissed, recordRepetition, recordSending } from "./outputs-state.ts";

interface SettleContext {
  outputs: Outputs;
  /** The newest; null: nothing is decided yet, and no payload is chosen. */
  verdicts: BothVerdicts | null;
  /** Of an output that throws nothing changes, and nothing is sent for it. */
  protect?: Protect;
}

/**
 * Decides what is sent now. The payload is saved before it is given to the broker and after the broker has acknowledged it: if
 * vigie is killed in between, it is sent again, and none is lost. A second call changes nothing.
 */
export function settleOutputs(
  before: OutputsPart,
  at: Clocks,
  { outputs, verdicts, protect = UNPROTECTED }: SettleContext,
): OutputsPart {
  if (before.passing.isEnding) return before;
  const protectDrop: Protect = (name, run) => protect(`${name}, if it is still wanted`, run);
  let part = endRefusals(before, at);
  part = dropUnwanted(part, verdicts ? chooseOutputs(outputs, verdicts, part.kept, protectDrop).sends : []);
  part = giveSaved(part, at);
  let sends: readonly Send[] = [];
  if (verdicts) {
    const chosen = chooseOutputs(outputs, verdicts, part.kept, protect);
    ({ sends } = chosen);
    part = forgetRefusals(withKept(part, chosen.state, "now"), sends);
  }
  for (const output of outputs.list) {
    protect(`what is sent to ${output.topic}`, () => {
      const send = sends.find(({ topic }) => topic === output.topic);
      if (send) part = beginSend(part, send, at);
      part = repeatIfDue(part, at, output);
    });
  }
  return part;
}

function endRefusals(before: OutputsPart, { steady }: Clocks): OutputsPart {
  let part = before;
  for (const [topic, { refusal }] of before.passing.byTopic) {
    if (!refusal || refusal.repeatAt === null || refusal.repeatAt > steady) continue;
    part = withPassingOf(part, topic, { refusal: { ...refusal, repeatAt: null } });
  }
  return part;
}

/** A save may take seconds, in which the choice may end. */
function dropUnwanted(before: OutputsPart, wanted: readonly Send[]): OutputsPart {
  let part = before;
  for (const { underWay } of before.passing.byTopic.values()) {
    if (underWay?.stage !== "waiting for the save") continue;
    const { topic, payload } = underWay.send;
    if (!wanted.some((send) => send.topic === topic && send.payload === payload))
      part = dropWaiting(part, underWay);
  }
  return part;
}

function giveSaved(before: OutputsPart, { steady }: Clocks): OutputsPart {
  let part = before;
  for (const { underWay } of before.passing.byTopic.values()) {
    if (underWay?.stage !== "waiting for the save") continue;
    if (underWay.isSaved || steady >= underWay.saveLimit) part = give(part, underWay.send, underWay.send);
  }
  return part;
}

function give(
  part: OutputsPart,
  { topic, payload, qos, retain }: Omit<DueSend, "number" | "connection">,
  send: Send | null,
): OutputsPart {
  const { connection } = part.passing;
  if (!connection) return part;
  const number = part.passing.given + 1;
  const due = { number, connection: connection.number, topic, payload, qos, retain };
  const underWay = { stage: "given to the broker", due, send } as const;
  return withPassing(withPassingOf(part, topic, { underWay }), { given: number });
}

/** A refused payload is no problem any more when it is not due any more. */
function forgetRefusals(before: OutputsPart, sends: readonly Send[]): OutputsPart {
  let part = before;
  for (const [topic, { refusal }] of before.passing.byTopic) {
    if (!refusal || sends.some((send) => send.topic === topic)) continue;
    part = say(withPassingOf(part, topic, { refusal: null }), {
      problem: `output ${topic}`,
      isOver: `Nothing has to be sent to ${topic} any more`,
    });
  }
  return part;
}

function beginSend(before: OutputsPart, send: Send, at: Clocks): OutputsPart {
  const { topic, payload } = send;
  const { underWay, refusal, repetition, otherReport } = passingOf(before, topic);
  const isTooEarly = refusal?.payload === payload && refusal.repeatAt !== null;
  if (!before.passing.connection || underWay || isTooEarly) return before;
  const part = withKept(before, recordSending(before.kept, send, at.now), "now");
  return withPassingOf(part, topic, {
    underWay: {
      stage: "waiting for the save",
      send,
      change: part.passing.changes,
      isSaved: false,
      saveLimit: at.steady + SAVE_LIMIT,
      before: { sent: lastSent(before.kept, topic), repetition, otherReport },
    },
    repetition: null,
    otherReport: null,
  });
}

function repeatIfDue(part: OutputsPart, at: Clocks, output: Output): OutputsPart {
  const { topic } = output;
  const { repetition } = passingOf(part, topic);
  if (!repetition) return part;
  const sent = lastSent(part.kept, topic);
  if (!isConfirmed(output) || !sent || !isUnconfirmed(sent))
    return withPassingOf(part, topic, { repetition: null });
  if (repetition.next === null || repetition.next > at.steady) return part;
  return repeatOrGiveUp(part, at, { output, repetition, payload: sent.payload });
}

interface DueRepetition {
  output: ConfirmedOutput;
  repetition: Repetition;
  payload: string;
}

function repeatOrGiveUp(before: OutputsPart, at: Clocks, due: DueRepetition): OutputsPart {
  const { output, repetition, payload } = due;
  const { topic, confirm, qos, retain } = output;
  const kept = keptWithOtherReport(before, topic);
  if (at.steady - repetition.since >= confirm.for) {
    const part = withPassingOf(before, topic, { repetition: null });
    return tellMissed(withKept(part, recordMissed(kept, topic), "now"), due);
  }
  const part = withKept(before, recordRepetition(kept, topic), "with the next save");
  const given = give(part, { topic, payload, qos, retain }, null);
  return withPassingOf(given, topic, {
    repetition: { ...repetition, times: repetition.times + 1, next: null },
  });
}

function tellMissed(part: OutputsPart, { output, repetition, payload }: DueRepetition): OutputsPart {
  const { topic, confirm } = output;
  const { expect = null, last_answer = null } = lastSent(part.kept, topic) ?? {};
  const howOften = repetition.times === 1 ? "once" : `${repetition.times} times`;
  const advice =
    last_answer === null
      ? `check that the device is connected to the broker, and that vigie may read ${confirm.topic}`
      : `it last reported ${quotePayload(last_answer)}. Check the device, and what this output expects`;
  return say(part, {
    problem: `answer ${topic}`,
    starts: `Sent ${quotePayload(payload)} to ${describeOutput(output)} ${howOften} in ${describeLength(confirm.for)}, but ${confirm.topic} never reported ${quotePayload(expect ?? "")}: ${advice}`,
  });
}

/** Milliseconds. */
const SAVE_LIMIT = 5_000;
