import type { Instant } from "../calendar/tariff.ts";
import type { Beliefs } from "./beliefs.ts";
import type { Seen } from "./seen.ts";
import type { ReadyRule } from "./spans.ts";
import type { Truth } from "./truth.ts";

/** What is true of a rule, and why. */
export interface Verdict {
  ready: ReadyRule;
  state: Truth;
  /** No forecast decides. */
  sure: boolean;
  reason: "conditions" | "disabled" | "when_unknown";
  enabled: boolean;
  /** Percent, as it counts now; null where the rule declares none. */
  threshold: number | null;
  seen: Seen;
  /** When it was, or will be, as seen: another time than now where a lead or a lag decides. */
  seen_at: Instant;
  /** Set while the verdict keeps to forecasts that have changed since. */
  held: { until: Instant; believed: Beliefs } | null;
  /** When a forecast that changed its mind last turned it; null where none did. */
  moved: Instant | null;
}
