import type { Tariff } from "../core/calendar/tariff.ts";
import type { Found, Shown } from "../core/loop/view.ts";
import type { Rule } from "../core/rules/rule.ts";

/** All that the page, the calendar and the other views show. */
export interface View
  extends Found,
    Pick<Shown, "values" | "broker" | "homeAssistant" | "isPolled" | "pollCounts" | "unsaved"> {
  version: string;
  instance: string;
  tariff: Tariff;
  /** As configured. */
  rules: readonly Rule[];
  /** In a demonstration: how many times as fast as real time its clock runs. */
  demoSpeed?: number;
  /** What is wrong with the configuration that was read last, where the one before it is in force. */
  refused?: readonly string[];
  /** Nobody has named a broker yet. */
  brokerIsUnknown?: boolean;
}
