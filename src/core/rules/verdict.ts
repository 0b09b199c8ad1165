import type { Instant } from "../calendar/tariff.ts";
import type { ConditionResult } from "./condition-kind.ts";
import type { HeldForecasts } from "./held-forecasts.ts";
import type { Rule } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** Whether a rule is ON, and why. */
export interface Verdict {
  rule: Rule;
  /** true is ON, false OFF, null unknown. */
  state: Truth;
  /** When this state began. */
  since: Instant;
  /** No forecast decides. */
  sure: boolean;
  reason: "conditions" | "disabled" | "when_unknown";
  /** The threshold in force, percent; null where the rule declares none. */
  threshold: number | null;
  /** The conditions with what they found at `decided_at`. */
  conditions: ConditionResult;
  /** The instant whose conditions decide: later than now where a lead decides, earlier where a lag does. */
  decided_at: Instant;
  /** Set while a hold lets earlier forecasts decide. */
  held: { until: Instant; forecasts: HeldForecasts } | null;
  /** When the verdict last followed a forecast that had changed; null where it never did. */
  followedChangeAt: Instant | null;
}
