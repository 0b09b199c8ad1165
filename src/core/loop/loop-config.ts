import type { Tariff } from "../calendar/tariff.ts";
import type { ClockCheck } from "../facts/source-clocks.ts";
import type { Outputs } from "../outputs/output.ts";
import type { Rule } from "../rules/rule.ts";
import type { PollLines } from "../sources/poll-times.ts";
import type { Source } from "../sources/source.ts";

/** What the loop takes from the configuration. */
export interface LoopConfig {
  tariff: Tariff;
  rules: readonly Rule[];
  outputs: Outputs;
  /** Those that are asked. */
  sources: readonly Source[];
  /** The built-in simulator says the days, as one of them or as both. */
  isInvented: boolean;
  /** When this installation may ask them (`service.poll`). */
  pollLines: PollLines;
  /** `mqtt.grace`: milliseconds for which topics outlive what they say. */
  grace: number;
  /** `service.late_after`: a time of the wall clock. */
  late_after: string;
  /** `service.check_clock`, and whether both sources are asked, on different hosts. */
  check_clock: ClockCheck;
  /** In a demonstration no device gets anything. */
  isDemo: boolean;
}
