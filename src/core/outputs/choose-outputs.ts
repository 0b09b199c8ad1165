import type { Facts } from "../facts/facts.ts";
import type { Choice, Output, Outputs } from "./output.ts";
import { noteStanding, type OutputsMemory, recallSent, type Sent } from "./outputs-memory.ts";
import { fillPlaceholders } from "./placeholders.ts";

/** What outputs look at: each rule's verdict (null: unknown), and the facts for the placeholders. */
export interface Outlook {
  verdicts: ReadonlyMap<string, { state: boolean | null }>;
  facts: Facts;
}

/** One message to a device. */
export interface Send {
  topic: string;
  payload: string;
  qos: Output["qos"];
  retain: boolean;
  /** What the device is to say then; null: it is not asked. */
  expect: string | null;
  /** Why, in words for the log. */
  because: string;
}

/**
 * What each output has to send so that its device knows what is in force (rules: what an output sends), and the memory
 * with what no longer stands. `truth` is the same without a pretended colour.
 */
export function chooseOutputs(
  { list, dry_when_simulated }: Outputs,
  seen: Outlook,
  memory: OutputsMemory,
  truth: Outlook = seen,
): { sends: Send[]; memory: OutputsMemory } {
  const outlook = dry_when_simulated ? truth : seen;
  const sends: Send[] = [];
  let after = memory;
  for (const output of list) {
    const sent = recallSent(memory, output.topic);
    const force = findForce(output, outlook.verdicts);
    if (force.kind === "unsaid") continue;
    if (force.kind === "nothing") {
      after = noteStanding(after, output.topic, false);
      continue;
    }
    const payload = fillPlaceholders(force.payload, outlook.facts);
    if (isDue(payload, force.kind, sent)) sends.push(compose(output, force, payload, outlook.facts));
    else after = noteStanding(after, output.topic, true);
  }
  return { sends, memory: after };
}

/** What is in force: a payload, nothing at all, or what was sent last, for nobody knows. */
type Force = Told | { kind: "nothing" } | { kind: "unsaid" };

interface Told {
  kind: "choice" | "unknown" | "else";
  payload: string;
  expect?: string | undefined;
  because: string;
}

function findForce(output: Output, verdicts: Outlook["verdicts"]): Force {
  const stateOf = ({ when }: Choice) => verdicts.get(when)?.state ?? null;
  const choice = output.choose.find((one) => stateOf(one) !== false);
  if (!choice) {
    if (output.else === undefined) return { kind: "nothing" };
    return { kind: "else", payload: output.else, because: "no choice is in force" };
  }
  const { when, payload, expect } = choice;
  if (stateOf(choice) === true) return { kind: "choice", payload, expect, because: `${when} is ON` };
  if (output.unknown === undefined) return { kind: "unsaid" };
  return { kind: "unknown", payload: output.unknown, because: `${when} is unknown` };
}

/**
 * What is not known to have arrived is sent again. A choice that begins anew is, too, though its payload is the one sent
 * last: others may have had their say in between. `else` alone never begins: vigie does not undo what it did not do.
 */
function isDue(payload: string, kind: Told["kind"], sent: Sent | undefined): boolean {
  if (!sent) return kind !== "else";
  if (sent.payload !== payload || !sent.acknowledged) return true;
  return kind !== "else" && !sent.stands;
}

function compose({ topic, qos, retain, confirm }: Output, force: Told, payload: string, facts: Facts): Send {
  const own = force.expect ?? confirm?.expect;
  const expected = own === undefined ? payload : fillPlaceholders(own, facts);
  return { topic, payload, qos, retain, expect: confirm ? expected : null, because: force.because };
}
