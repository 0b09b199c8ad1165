import type { Instant } from "../calendar/tariff.ts";
import type { PhasedRule } from "./chain.ts";
import type { ConditionResult } from "./condition-kind.ts";
import type { HoldDecision } from "./hold.ts";
import type { Truth } from "./truth.ts";

/** Whether a rule is ON, and why. */
export interface Verdict extends PhasedRule, Pick<HoldDecision, "held" | "followedChangeAt"> {
  /** true is ON, false OFF, null unknown. */
  state: Truth;
  /** When this state began. */
  since: Instant;
  /** No forecast decides. */
  sure: boolean;
  reason: "conditions" | "disabled" | "when_unknown";
  /** When what a command set for a time ends: the rule is then disabled, or enabled again; null where nothing ends. */
  enabled_until: Instant | null;
  /** The conditions with what they found at `decided_at`. */
  conditions: ConditionResult;
  /** The instant whose conditions decide: later than now where a lead decides, earlier where a lag does. */
  decided_at: Instant;
}
