import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import { type BothVerdicts, chooseMessageText } from "./choose-outputs.ts";
import { wayTo } from "./due-send.ts";
import { aloneUntil, isItsTurn, isReachable } from "./flights.ts";
import { allowedAgainAt, chooseMessage, messageDueAt } from "./message-machine.ts";
import type { Output, Outputs } from "./output.ts";
import { messageOf, type OutputsPart, withMessage, withPassing, withPassingMessage } from "./outputs-part.ts";

/** Decides which message is wanted now, and gives it out if it is due. */
export function settleMessage(
  before: OutputsPart,
  output: Output,
  { outputs, verdicts, at }: { outputs: Outputs; verdicts: BothVerdicts; at: Clocks },
): OutputsPart {
  // Whether it arrives decides what comes next: its answer is waited for.
  if (messageOf(before, output.key).passing.inFlight) return before;
  const wanted = chooseMessageText(outputs, output, verdicts);
  if (wanted === "as before") return before;
  const { withoutSimulation: real } = verdicts;
  const step = chooseMessage(messageOf(before, output.key), output, {
    wanted: typeof wanted === "string" ? "none" : wanted,
    facts: real.factsAt(real.at),
    at,
    mayBegin: isReachable(before, output),
  });
  return giveIfDue(withMessage(before, output.key, step, at), output, at);
}

function giveIfDue(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  const { key, id } = output;
  const machine = messageOf(part, key);
  const last = machine.kept?.last;
  const { connection, given } = part.passing;
  const by = last && wayTo(output, { begun: last.at, connection: connection?.number ?? null });
  if (!by || messageDueAt(machine, output, at) !== at.steady || !isItsTurn(part, output, at)) return part;
  const number = given + 1;
  const inFlight = { due: { number, output: id, payload: last.text, by }, since: at.steady };
  return withPassing(withPassingMessage(part, key, { inFlight, unsaved: null }), { given: number });
}

/** When time alone changes something of this output. */
export function messageWakes(part: OutputsPart, output: Output, at: Clocks): (number | null)[] {
  const machine = messageOf(part, output.key);
  const { inFlight } = machine.passing;
  const alone = inFlight && aloneUntil(inFlight);
  return [later(messageDueAt(machine, output, at), at), allowedAgainAt(machine, at), later(alone, at)];
}

/** null: it has passed, and something else is waited for: the broker, or a turn. */
export function later(instant: number | null, { steady }: Clocks): number | null {
  return instant !== null && instant > steady ? instant : null;
}

export function noteNextMessageTry(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  const { retry, nextTry } = messageOf(part, output.key).passing;
  const next = retry?.isSlow && isReachable(part, output) ? retry.at : null;
  return withPassingMessage(part, output.key, { nextTry: shownInstant(next, nextTry, at) });
}

/** By the wall clock. It stays as it was `before`, though the two clocks do not go exactly alike. */
export function shownInstant(steady: number | null, before: Instant | null, at: Clocks): Instant | null {
  if (steady === null) return null;
  const shown = Math.round(at.now + (steady - at.steady));
  return before !== null && Math.abs(before - shown) < SAME_TRY ? before : shown;
}

/** Milliseconds. */
const SAME_TRY = 1_000;
