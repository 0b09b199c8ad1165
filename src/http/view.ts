import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { HomeAssistantStatus } from "../core/discovery/describe-device.ts";
import type { Facts, FactsInput } from "../core/facts/facts.ts";
import type { PollCounts } from "../core/facts/poll-record.ts";
import type { OutputStatus } from "../core/outputs/output-status.ts";
import type { EvaluationInput } from "../core/rules/evaluation-input.ts";
import type { VerdictForecast } from "../core/rules/forecast-verdicts.ts";
import type { Rule } from "../core/rules/rule.ts";
import type { HeardValues } from "../core/rules/value-readings.ts";
import type { Verdict } from "../core/rules/verdict.ts";
import type { Topics } from "../core/topics/topic.ts";

/** What a refresh found. */
export interface Found {
  known: FactsInput;
  facts: Facts;
  /** What the rules were evaluated with. */
  input: EvaluationInput;
  /** Empty while the clock is known to be wrong. */
  verdicts: readonly Verdict[];
  /** Of each verdict, in the same order. */
  forecasts: readonly VerdictForecast[];
  /** Without the colour that is pretended; the same facts while no simulation runs. */
  real: { facts: Facts; verdicts: readonly Verdict[] };
  /** The retained topics. */
  topics: Topics;
}

/** All that the page, the calendar and the other views show: what the last refresh found, and how vigie itself does. */
export interface View extends Found {
  /** Names this view among all that this vigie has ever shown: a later view has another name. */
  id: string;
  version: string;
  instance: string;
  tariff: Tariff;
  /** As configured. */
  rules: readonly Rule[];
  /** The last payload of each topic that a rule looks at: newer than what the rules were evaluated with, where it turns none. */
  values: HeardValues;
  outputs: readonly OutputStatus[];
  /** `url` as messages name it: without a password. */
  broker: { connected: boolean; url: string };
  homeAssistant: HomeAssistantStatus;
  /** When each source last answered; null where it has not, or where there is none. */
  lastSuccess: { service: Instant | null; official: Instant | null };
  /** Since vigie was started. */
  pollCounts: PollCounts;
  /** In a demonstration: how many times as fast as real time its clock runs. */
  demoSpeed?: number;
}

/** What is new in a view, where it is not worth an event of its own. */
export type ViewChange = "values only";
