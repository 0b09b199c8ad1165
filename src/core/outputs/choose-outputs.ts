import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import type { Seen } from "../rules/condition-types.ts";
import { NOTHING_SEEN } from "../rules/seen.ts";
import type { Verdict } from "../rules/verdict.ts";
import { isGivenUp, type WantedMessage } from "./decide-message.ts";
import { markSimulated } from "./mark-simulated.ts";
import type { Messages } from "./message.ts";
import type { Choice, Output, Outputs, Payload } from "./output.ts";
import {
  type DevicesState,
  expectationOf,
  isOfChoice,
  isStillTried,
  lastSent,
  recordOf,
  type Sending,
  type Sent,
} from "./outputs-state.ts";
import { fillPlaceholders } from "./placeholders.ts";

/**
 * What decides the payloads: the verdict of each rule (null: unknown), and the facts for the placeholders. They are derived only for
 * messages, and for payloads that have one: an error of vigie itself in them keeps no other payload back.
 */
export interface VerdictsAndFacts {
  verdicts: ReadonlyMap<string, Pick<Verdict, "state"> & Partial<Pick<Verdict, "reason" | "seen">>>;
  at: Instant;
  /** The facts of an instant, by what is known now. */
  factsAt: (at: Instant) => Facts;
}

/** With the colour that is pretended, and without it; the same object while no simulation runs. */
export interface BothVerdicts {
  withSimulation: VerdictsAndFacts;
  withoutSimulation: VerdictsAndFacts;
}

/**
 * Why nothing is chosen. "nothing": all rules are OFF. "unknown": the first rule that is not OFF is unknown, and nothing is sent for
 * that. "as before": it is so because of vigie itself, or only for some seconds.
 */
export type NotChosen = "nothing" | "unknown" | "as before";

export interface ChosenSends {
  sends: Sending[];
  /** Those that are no longer wanted are marked. */
  state: DevicesState;
  /** The keys of those that have the payload of a choice whose rule is ON: not that of `else` or `unknown`. */
  choicesOn: ReadonlySet<string>;
  /** The keys of those whose payload is decided by values that the broker has not sent yet: by what they were before. */
  waiting: ReadonlySet<string>;
}

/** The payloads that each device has to be sent now. A device whose output throws keeps its state, and is sent nothing. */
export function chooseOutputs(
  { list, dry_when_simulated }: Outputs,
  both: BothVerdicts,
  state: DevicesState,
  protect: Protect = UNPROTECTED,
): ChosenSends {
  const known = dry_when_simulated ? both.withoutSimulation : both.withSimulation;
  const sends: Sending[] = [];
  const choicesOn = new Set<string>();
  const waiting = new Set<string>();
  let next = state;
  const chooseOne = (output: Output) => {
    const { key } = output;
    const sent = lastSent(state, key);
    const chosen = choosePayload(output, known);
    if (typeof chosen !== "string" && chosen.kind === "choice") choicesOn.add(key);
    const deciding = decidingChoice(output, known);
    if (deciding && known.verdicts.get(deciding.when)?.reason === "waiting") waiting.add(key);
    const { send, change } = decidePayload(output, chosen, sent);
    if (send) sends.push(send);
    if (change) next = recordOf(next, key, change);
  };
  for (const output of list)
    if (!output.message) protect(`the payload of output ${output.id}`, () => chooseOne(output));
  return { sends, state: next, choicesOn, waiting };
}

/** What is sent now, or what changes of what was sent last. */
interface Decision {
  send?: Sending;
  change?: Partial<Sent>;
}

function decidePayload(output: Output, chosen: Chosen, sent: Sent | undefined): Decision {
  if (chosen === "nothing") return { change: { stands: false } };
  if (chosen === "unknown" || chosen === "as before")
    return sent && isStillTried(sent, sent.payload) ? { send: sendAgain(output, sent) } : {};
  const send = composeSend(output, chosen);
  if (!sent) return chosen.kind === "else" ? {} : { send };
  if (isPayloadDue(send.payload, chosen.kind, sent)) return { send };
  const { choice, because } = send;
  return { change: { stands: true, choice, because, ...expectationOf(sent, send.expect) } };
}

/** null: none. A choice that is in force without the simulation, too, says what is true then. */
export function wantedMessage(
  { dry_when_simulated }: Pick<Outputs, "dry_when_simulated">,
  output: Output,
  both: BothVerdicts,
): WantedMessage | null | "as before" {
  const chosen = choosePayload(output, dry_when_simulated ? both.withoutSimulation : both.withSimulation);
  if (typeof chosen === "string") return chosen === "as before" ? chosen : null;
  const truly = choosePayload(output, both.withoutSimulation);
  if (typeof truly !== "string" && truly.choice === chosen.choice)
    return { ...composeMessage(output, truly), day: truly.seen.date, pretended: false };
  const { text, ...message } = composeMessage(output, chosen);
  const { to } = output;
  const contentType = to.kind === "http" ? to.content_type : undefined;
  // A rehearsal tells nobody of a day.
  return { ...message, text: markSimulated(text, contentType), pretended: true, day: null };
}

function composeMessage({ language }: Output, { payload, choice, because, facts }: ChosenPayload) {
  return { text: fillPlaceholders(payload, facts, language), choice, because };
}

/** Why an output sends nothing now, in words; null: it sends something. */
export function whyNothing(output: Output, known: VerdictsAndFacts, before: SentBefore): string | null {
  const chosen = choosePayload(output, known);
  if (chosen === "nothing") return `${describeAllOff(output.choose)}, and there is no else`;
  if (typeof chosen === "string") {
    const deciding = decidingChoice(output, known);
    return `${deciding?.when} is unknown, so what was sent last stands`;
  }
  const payload = fillPlaceholders(chosen.payload, chosen.facts, output.language);
  const { last = null } = before.messages ?? {};
  if (last && isGivenUp(output, last)) return `${chosen.because}, and ${last.text} was given up`;
  if (isDue(output, payload, chosen.kind, before)) return null;
  const why = (last ?? before.sent) ? `${payload} was sent already` : "else is not sent before a choice was";
  return `${chosen.because}, and ${why}`;
}

/**
 * What an output does not send during a simulation because of `dry_when_simulated`; null if it sends the same as without
 * the simulation, or nothing.
 */
export function payloadHeldBack(
  output: Output,
  { withSimulation, withoutSimulation }: BothVerdicts,
  before: SentBefore,
): string | null {
  const pretended = choosePayload(output, withSimulation);
  if (typeof pretended === "string") return null;
  const { language } = output;
  const payload = fillPlaceholders(pretended.payload, pretended.facts, language);
  const real = choosePayload(output, withoutSimulation);
  const isReal = typeof real !== "string" && fillPlaceholders(real.payload, real.facts, language) === payload;
  return !isReal && isDue(output, payload, pretended.kind, before) ? payload : null;
}

/** What was sent to the device, or what people were told. */
interface SentBefore {
  sent?: Sent | undefined;
  messages?: Messages | undefined;
}

function isDue(
  { message }: Output,
  payload: string,
  kind: ChosenPayload["kind"],
  { sent, messages }: SentBefore,
): boolean {
  if (!message) return isPayloadDue(payload, kind, sent);
  return !messages?.stands || messages.last?.text !== payload || !messages.last.taken;
}

interface ChosenPayload extends Payload {
  kind: "choice" | "else" | "unknown";
  /** The id of the rule that decides, `else` or `unknown`. */
  choice: string;
  because: string;
  /** What the rule saw; of `else` and `unknown` nothing. */
  seen: Seen;
  /** Those of the instant that the rule saw: by a lead of 5 minutes, `{now.color}` at 05:55 is the colour from 06:00 on. */
  facts: () => Facts;
}

type Chosen = ChosenPayload | NotChosen;

/** The first choice that is not OFF; undefined: all are. */
function decidingChoice({ choose }: Output, { verdicts }: VerdictsAndFacts): Choice | undefined {
  return choose.find(({ when }) => (verdicts.get(when)?.state ?? null) !== false);
}

function choosePayload(output: Output, known: VerdictsAndFacts): Chosen {
  const { verdicts, at, factsAt } = known;
  const choice = decidingChoice(output, known);
  const now = { seen: NOTHING_SEEN, facts: () => factsAt(at) };
  if (!choice) {
    if (output.else === undefined) return "nothing";
    const because = describeAllOff(output.choose);
    return { ...output.else, ...now, kind: "else", choice: "else", because };
  }
  const { when, ...payload } = choice;
  const verdict = verdicts.get(when);
  if (verdict?.state === true) {
    const seen = verdict.seen?.() ?? NOTHING_SEEN;
    const facts = () => factsAt(seen.at ?? at);
    return { ...payload, kind: "choice", choice: when, because: `${when} is ON`, seen, facts };
  }
  // Within seconds the rule may be known; and an error of vigie itself must switch nothing.
  if (verdict?.reason === "waiting" || verdict?.reason === "error") return "as before";
  if (output.unknown === undefined) return verdict ? "unknown" : "as before";
  const because = `${when} is unknown`;
  return { ...output.unknown, ...now, kind: "unknown", choice: "unknown", because };
}

function describeAllOff(choices: readonly Choice[]): string {
  const rules = [...new Set(choices.map(({ when }) => when))];
  const last = rules.pop();
  return rules.length === 0 ? `${last} is OFF` : `${rules.join(", ")} and ${last} are OFF`;
}

/**
 * A payload without an acknowledgement is sent again. So is the payload of a choice that begins, though it is the one that was
 * sent last, before or as `else`: the device may have been switched by hand in between. `else` is sent only if a choice was sent
 * before: vigie does not undo what it did not do.
 */
function isPayloadDue(payload: string, kind: ChosenPayload["kind"], sent: Sent | undefined): boolean {
  if (!sent) return kind !== "else";
  if (sent.payload !== payload || !sent.acknowledged) return true;
  return (kind !== "else" && !sent.stands) || (kind === "choice" && !isOfChoice(sent));
}

function composeSend(
  output: Output,
  { payload: template, expect = template, choice, because, facts }: ChosenPayload,
): Sending {
  return {
    key: output.key,
    id: output.id,
    payload: fillPlaceholders(template, facts, output.language),
    expect: output.confirm ? fillPlaceholders(expect, facts, output.language) : null,
    choice,
    because,
  };
}

/** What was sent last stands, but has not arrived, as far as is known. */
function sendAgain(output: Output, { payload, expect, choice, because }: Sent): Sending {
  return {
    key: output.key,
    id: output.id,
    payload,
    expect,
    choice: choice ?? "unknown",
    because: because ?? "what was sent last stands",
  };
}
