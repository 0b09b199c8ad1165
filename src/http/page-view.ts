import type { Tariff } from "../core/calendar/tariff.ts";
import type { Found, Shown } from "../core/loop/view.ts";
import type { Rule } from "../core/rules/rule.ts";
import type { HeardValues } from "../core/rules/value-readings.ts";

/** All that the page, the calendar and the other views show. */
export interface PageView
  extends Found,
    Pick<Shown, "broker" | "homeAssistant" | "mayDecide" | "pollCounts" | "sinceStart" | "unsaved"> {
  version: string;
  instance: string;
  tariff: Tariff;
  /** The last payload of each topic that a rule looks at: newer than what the rules were evaluated with, if it turns none. */
  values: HeardValues;
  /** As configured. */
  rules: readonly Rule[];
  /** In a demonstration: how many times as fast as real time its clock runs. */
  demoSpeed?: number;
  /** What is wrong with the configuration that was read last, where the one before it is in force. */
  refused?: readonly string[];
  /** Nobody has named a broker yet. */
  brokerIsUnknown?: boolean;
}
