import type { Instant } from "../calendar/tariff.ts";
import type { ConditionResult, Seen, Timeline } from "./condition-types.ts";
import type { Rule } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** Whether a rule is ON, and why. */
export interface Verdict {
  rule: Rule;
  /** The threshold in force, percent; null if the rule declares none. */
  threshold: number | null;
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
  /** When what a command set for a time ends: the rule is then disabled, or enabled again; null: nothing ends. */
  enabled_until: Instant | null;
  /** What the conditions find by what is known now. */
  conditions: ConditionResult;
  /** The instant whose conditions those are: later than now if a lead decides, earlier if a lag does. */
  decided_at: Instant;
  /** What it saw if it is ON. */
  seen: () => Seen;
  /** Set for some time after a forecast or a value has turned the rule. */
  hold: VerdictHold | null;
  /** When the first of the values is too old that it looks at, also through other rules, as published topics have it; null: never. */
  values_until: Instant | null;
  /** What the rule is over time, as it is published. */
  timeline: Timeline;
}

interface VerdictHold {
  until: Instant;
  /** A value, and no forecast, would turn the rule. */
  isOfValue: boolean;
  /** Set if what is known by now would give something else: what decides instead. null: only the verdict is known of it. */
  held: { conditions: ConditionResult | null; decided_at: Instant } | null;
}
