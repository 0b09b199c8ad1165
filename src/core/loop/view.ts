import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { HomeAssistantStatus } from "../discovery/describe-device.ts";
import type { Facts, FactsInput } from "../facts/facts.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { Problems } from "../log/problem.ts";
import type { DueQuestion, DueSend } from "../outputs/due-send.ts";
import type { OutputStatus } from "../outputs/output-status.ts";
import type { EvaluationInput } from "../rules/evaluation-input.ts";
import type { Future } from "../rules/futures.ts";
import type { RulesState } from "../rules/rules-state.ts";
import type { Verdict } from "../rules/verdict.ts";
import type { PollCounts } from "../sources/poll-outcome.ts";
import type { DueRequest } from "../sources/source.ts";
import type { Topics } from "../topics/topic.ts";
import type { TopicGroups } from "../topics/topic-group.ts";
import type { BrokerState, SavingPart } from "./known.ts";

/** All that follows from what vigie knows at an instant. */
export interface View extends Found, Shown {
  at: Clocks;
  /** The verdicts, also while the clock is wrong, and what the next evaluation needs of them. */
  evaluated: readonly Verdict[];
  next: RulesState;
  /** When time alone next changes something: by this machine's wall clock, and by its steady one. */
  boundary: { now: Instant; steady: number };
}

/** What is derived. */
export interface Found {
  factsInput: FactsInput;
  facts: Facts;
  /** What the rules were evaluated with. */
  input: EvaluationInput;
  /** Empty while the clock is known to be wrong. */
  verdicts: readonly Verdict[];
  /** One for each verdict, in the same order. */
  futures: readonly Future[];
  /** Without the colour that is pretended; the same facts while no simulation runs. */
  real: { facts: Facts; verdicts: readonly Verdict[] };
  /** What is known of each output, in the order of the configuration. */
  outputs: readonly OutputStatus[];
  /** What is wrong. */
  problems: Problems;
  /** The retained topics. */
  topics: Topics;
  topicGroups: TopicGroups;
}

/** What a view shows as it is known: it decides nothing. */
export interface Shown {
  /** The requests that have to be under way now, by source; null: none. */
  requests: Readonly<Partial<Record<SourceId, DueRequest | null>>>;
  /** What has to be sent to devices now, by the broker or to their addresses. */
  sends: readonly DueSend[];
  /** The devices that have to be asked what they do now. */
  questions: readonly DueQuestion[];
  broker: BrokerState;
  homeAssistant: HomeAssistantStatus;
  /** Each source was polled once since the start, or days are known from before. */
  mayDecide: boolean;
  /** Since the start or the last reload: the sources of which no poll has ended, and whether a request has failed. */
  sinceStart: { unpolled: readonly SourceId[]; hasFailed: boolean };
  /** Since vigie was started. */
  pollCounts: Readonly<Partial<Record<SourceId, PollCounts>>>;
  /** The state that the disk has to be given; `saving.number` counts them. */
  saving: SavingPart;
  /** Only while the state cannot be saved, or the disk hangs: where and why. */
  unsaved?: string;
  /** How often this machine's clock was set by a minute or more. */
  jumps: number;
}
