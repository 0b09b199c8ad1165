import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { Timeline } from "../rules/condition-types.ts";
import { NOTHING_SEEN } from "../rules/seen.ts";
import { findSpan } from "../rules/timeline.ts";
import { type BothVerdicts, chooseOutputs, wantedMessage, whyNothing } from "./choose-outputs.ts";
import { decideMessage, pendingMessage, recordTry } from "./decide-message.ts";
import { type Messages, messagesAt } from "./message.ts";
import type { Output } from "./output.ts";
import type { OutputsKept } from "./outputs-kept.ts";
import { type DevicesState, lastSent, recordAcknowledgement, recordSending } from "./outputs-state.ts";

/** A payload that an output will send, if no colour changes and the device's broker is there. */
export interface PlannedSend {
  at: Instant;
  payload: string;
  because: string;
}

interface SendPlan {
  /** What the rules will be, by id. */
  timelines: ReadonlyMap<string, Timeline>;
  factsAt: (at: Instant) => Facts;
  /** What was sent before. */
  kept: OutputsKept;
  from: Instant;
  to: Instant;
}

/**
 * What an output sends from an instant to before another: at the first, and at each at which one of its rules changes, what it sees, or
 * what placeholders say.
 * `nothing`: why it sends nothing at the first.
 */
export function planSends(output: Output, plan: SendPlan): { sends: PlannedSend[]; nothing: string | null } {
  const { timelines, factsAt, from, to } = plan;
  const ids = [...new Set(output.choose.map(({ when }) => when))];
  const timelineOf = (id: string): Timeline => timelines.get(id) ?? [];
  const changes = ids.flatMap((id) => timelineOf(id).map(({ start }) => start));
  const instants = [...boundaries(plan), ...changes.filter((at) => at > from && at < to)];
  const knownAt = (at: Instant) => {
    const verdictOf = (id: string) => {
      const { state = null, seen = () => NOTHING_SEEN } = findSpan(timelineOf(id), at) ?? {};
      return { state, seen };
    };
    return { at, verdicts: new Map(ids.map((id) => [id, verdictOf(id)])), factsAt };
  };
  const { devices, messages } = plan.kept;
  const before = output.message
    ? { messages: messagesAt(messages, output.key) }
    : { sent: lastSent(devices, output.key) };
  const send = before.messages ? messageSender(output, before.messages) : deviceSender(output, devices);
  const sends = [...new Set(instants)]
    .sort((one, other) => one - other)
    .flatMap((at): PlannedSend[] => {
      const known = knownAt(at);
      const found = send({ withSimulation: known, withoutSimulation: known }, at);
      return found ? [{ at, ...found }] : [];
    });
  const isSentAtOnce = sends[0]?.at === from;
  const nothing = isSentAtOnce ? null : whyNothing(output, knownAt(from), before);
  return { sends, nothing };
}

/** Called at one instant after the other. undefined: nothing is sent then. */
type Sender = (both: BothVerdicts, at: Instant) => Pick<PlannedSend, "payload" | "because"> | undefined;

function deviceSender(output: Output, before: DevicesState): Sender {
  let state = before;
  return (both, at) => {
    const chosen = chooseOutputs({ dry_when_simulated: false, list: [output] }, both, state);
    state = chosen.state;
    const [send] = chosen.sends;
    if (!send) return undefined;
    const { key, payload, because } = send;
    state = recordAcknowledgement(recordSending(state, send, at), key, payload);
    return { payload, because };
  };
}

function messageSender(output: Output, before: Messages): Sender {
  let messages = before;
  return (both, at) => {
    const wanted = wantedMessage({ dry_when_simulated: false }, output, both);
    if (wanted === "as before") return undefined;
    const { withoutSimulation: real } = both;
    const by = { facts: real.factsAt(real.at), at, mayBegin: true };
    messages = decideMessage(output, wanted, messages, by);
    const pending = pendingMessage(output, messages);
    if (!pending) return undefined;
    messages = recordTry(messages, { isTaken: true, at });
    return { payload: pending.text, because: pending.because };
  };
}

/** The first instant, and those at which time alone changes a fact. */
function boundaries({ factsAt, from, to }: SendPlan): Instant[] {
  const instants: Instant[] = [];
  for (let at = from; at < to; at = factsAt(at).next_boundary) instants.push(at);
  return instants;
}
