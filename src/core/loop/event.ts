import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { HomeAssistantStatus } from "../discovery/describe-device.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { OutputsEvent } from "../outputs/take-outputs.ts";
import type { HeardValues, KeptValues } from "../rules/value-readings.ts";
import type { RequestFailure } from "../sources/request-failure.ts";
import type { DueRequest, SourceAnswer } from "../sources/source.ts";
import type { ClientMemory } from "../sources/source-kept.ts";
import type { ReceivedCommand } from "./command.ts";
import type { BrokerState } from "./known.ts";

/** What happened. Sources, broker, devices, disk and clock post it; nothing outside calls into another part. */
export type Event =
  /** Time went by: something may be due. */
  | { kind: "time" }
  /** The wall clock and the time that passed disagree by so many milliseconds. */
  | { kind: "jump"; by: number }
  | { kind: "source"; source: SourceId; event: SourceEvent }
  | CommandsEvent
  | ValuesEvent
  | { kind: "outputs"; event: OutputsEvent }
  | BrokerEvent
  | HomeAssistantEvent
  | SavedEvent;

export type SourceEvent =
  /** What the client has counted and learnt. */
  | { kind: "memory"; memory: ClientMemory }
  /** The request failed, and is tried again. `isPause`: after a 429, which is in the log already. */
  | { kind: "tried"; due: DueRequest; failure: string; isPause: boolean }
  | AnsweredEvent
  | { kind: "failed"; due: DueRequest; failure: RequestFailure };

export interface AnsweredEvent {
  kind: "answered";
  due: DueRequest;
  answer: SourceAnswer;
  /** The source's clock when it answered, and when it made the answer; null if it does not say. */
  date: Instant | null;
  made_at: Instant | null;
  /** Its `Date` as it stands there: the source's clock showed it then, or later. */
  sent: Instant | null;
}

/** The connection was made or lost, the broker counts as away, or another vigie owns the base topic. */
export interface BrokerEvent {
  kind: "broker";
  state: BrokerState;
}

/** What Home Assistant said of itself; null when the connection ends: nobody tells vigie then whether it ends. */
export interface HomeAssistantEvent {
  kind: "home assistant";
  status: HomeAssistantStatus;
}

export interface CommandsEvent {
  kind: "commands";
  commands: readonly ReceivedCommand[];
}

/** The values that rules look at. Posted at most once a second. */
export interface ValuesEvent {
  kind: "values";
  heard: HeardValues;
  /** For the state file. */
  kept: KeptValues;
  /** False from the start, and from each new connection, until `heard` has what the broker holds. */
  isSettled: boolean;
}

/** A write of the state has ended. */
export interface SavedEvent {
  kind: "saved";
  /** 0: it was not the loop's. */
  number: number;
  /** How many changes of the outputs were written. */
  outputChanges: number;
  /** Why the state cannot be saved; null if it can. */
  problem: string | null;
}

export interface Posted {
  event: Event;
  at: Clocks;
}
