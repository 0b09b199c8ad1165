import type { Clocks } from "../calendar/clocks.ts";
import { type BothVerdicts, wantedMessage } from "./choose-outputs.ts";
import { pendingMessage } from "./decide-message.ts";
import { wayTo } from "./due-send.ts";
import { aloneUntil, isItsTurn, isReachable, later } from "./flights.ts";
import { allowedAgainAt, followRules, messageDueAt } from "./message-machine.ts";
import type { Output, Outputs } from "./output.ts";
import { messageOf, type OutputsPart, withMessage, withPassing, withPassingMessage } from "./outputs-part.ts";

/** Decides which message is wanted now, and gives it out if it is due. */
export function settleMessage(
  before: OutputsPart,
  output: Output,
  { outputs, verdicts, at }: { outputs: Outputs; verdicts: BothVerdicts; at: Clocks },
): OutputsPart {
  const machine = messageOf(before, output.key);
  // Whether it arrives decides what comes next: its answer is waited for.
  if (machine.passing.inFlight) return before;
  const wanted = wantedMessage(outputs, output, verdicts);
  if (wanted === "as before") return before;
  const { withoutSimulation: real } = verdicts;
  const mayBegin = isReachable(before, output);
  const step = followRules(machine, output, { wanted, facts: real.factsAt(real.at), at, mayBegin });
  return giveIfDue(withMessage(before, output, step, at), output, at);
}

function giveIfDue(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  const { key, id } = output;
  const machine = messageOf(part, key);
  const message = pendingMessage(output, machine.kept);
  const { connection, given } = part.passing;
  const by = message && wayTo(output, { begun: message.at, connection: connection?.number ?? null });
  if (!by || messageDueAt(machine, output, at) !== at.steady || !isItsTurn(part, output, at)) return part;
  const number = given + 1;
  const inFlight = { due: { number, output: id, payload: message.text, by }, since: at.steady };
  return withPassing(withPassingMessage(part, key, { inFlight, unsaved: null }), { given: number });
}

/** When time alone changes something of this output. */
export function messageWakes(part: OutputsPart, output: Output, at: Clocks): (number | null)[] {
  const machine = messageOf(part, output.key);
  const { inFlight } = machine.passing;
  const alone = inFlight && aloneUntil(inFlight);
  return [later(messageDueAt(machine, output, at), at), allowedAgainAt(machine, at), later(alone, at)];
}

/** When it is tried next, if vigie has slowed down; null: it has not. */
export function nextSlowMessage(part: OutputsPart, output: Output): number | null {
  const { retry } = messageOf(part, output.key).passing;
  return retry?.isSlow && isReachable(part, output) ? retry.at : null;
}
