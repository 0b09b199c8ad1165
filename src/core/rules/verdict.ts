import type { Instant } from "../calendar/tariff.ts";
import type { PhasedRule } from "./chain.ts";
import type { ConditionResult, Seen } from "./condition-types.ts";
import type { HoldDecision } from "./hold.ts";
import type { Truth } from "./truth.ts";
import type { ValueTruths } from "./value-readings.ts";

/** Whether a rule is ON, and why. */
export interface Verdict extends PhasedRule, Pick<HoldDecision, "held" | "followedChangeAt"> {
  /** true is ON, false OFF, null unknown. */
  state: Truth;
  /** When this state began. */
  since: Instant;
  /** Neither a forecast nor a value decides. */
  sure: boolean;
  /**
   * `waiting`: the broker has not sent the values that it holds yet, so what they were before decides. `error`: an error of vigie
   * itself, so the state is unknown, no condition was found, and what is remembered of the rule stays.
   */
  reason: "conditions" | "disabled" | "when_unknown" | "waiting" | "error";
  /** When what a command set for a time ends: the rule is then disabled, or enabled again; null where nothing ends. */
  enabled_until: Instant | null;
  /** The conditions with what they found at `decided_at`. */
  conditions: ConditionResult;
  /** The instant whose conditions decide: later than now where a lead decides, earlier where a lag does. */
  decided_at: Instant;
  /** What it saw if it is ON. While a hold lets earlier forecasts decide, it counts as seen now. */
  seen: () => Seen;
  /** Of a rule that depends on values, and is not disabled. */
  values: VerdictValues | null;
}

/** What values have to do with a verdict. */
interface VerdictValues {
  /** What each condition found; while a hold lasts, at the turn that began it. */
  truths: ValueTruths;
  /** When a value last made the rule ON or OFF; null where none did. */
  turnedAt: Instant | null;
  /** When values may turn the rule again; null: now. */
  heldUntil: Instant | null;
  /** Those of `truths` that are not what is found now: the broker has not sent what it holds yet. */
  awaited: readonly string[];
  /** The verdict is another than before, and with the values of then it would not be. */
  isTurn: boolean;
}
