import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { Timeline } from "../rules/condition-types.ts";
import { NOTHING_SEEN } from "../rules/seen.ts";
import { findSpan } from "../rules/timeline.ts";
import { chooseOutputs, whyNothing } from "./choose-outputs.ts";
import { recordArrival } from "./messages.ts";
import type { Output } from "./output.ts";
import { lastSent, type OutputsState, recordAcknowledgement, recordSending } from "./outputs-state.ts";

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
  state: OutputsState;
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
  let { state } = plan;
  const sends = [...new Set(instants)]
    .sort((one, other) => one - other)
    .flatMap((at) => {
      const known = knownAt(at);
      const chosen = chooseOutputs(
        { dry_when_simulated: false, list: [output] },
        { withSimulation: known, withoutSimulation: known },
        state,
        at,
      );
      state = chosen.state;
      for (const send of chosen.sends) {
        state = recordSending(state, send, at);
        state = output.message
          ? recordArrival(state, send.key, { isTaken: true, at })
          : recordAcknowledgement(state, send.key, send.payload);
      }
      return chosen.sends.map(({ payload, because }) => ({ at, payload, because }));
    });
  const isSentAtOnce = sends[0]?.at === from;
  const nothing = isSentAtOnce ? null : whyNothing(output, knownAt(from), lastSent(plan.state, output.key));
  return { sends, nothing };
}

/** The first instant, and those at which time alone changes a fact. */
function boundaries({ factsAt, from, to }: SendPlan): Instant[] {
  const instants: Instant[] = [];
  for (let at = from; at < to; at = factsAt(at).next_boundary) instants.push(at);
  return instants;
}
