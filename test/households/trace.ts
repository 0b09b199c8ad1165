import type { Shown } from "./seams.ts";

/**
 * Everything of one household that can be seen from outside of vigie, in the order in which it happened. The judges read
 * nothing else.
 */
export interface Trace {
  /** The true time at `steady` 0, in milliseconds since 1970, as all instants here. */
  began: number;
  events: readonly TraceEvent[];
}

export type TraceEvent = {
  /** What the wall clock of vigie's machine says. It is the true time (`began + steady`), but after a jump. */
  at: number;
  /** Milliseconds of true time since the household began; they go on while the machine is suspended. */
  steady: number;
} & Seen;

export type Seen =
  | ProcessSeen
  | MachineSeen
  | SourceSeen
  | BrokerSeen
  | WebSeen
  | QuietSeen
  | HealthSeen
  | LookSeen;

/** vigie as a process. */
type ProcessSeen =
  /** A process begins, with this configuration: from now on it is in force. */
  | { kind: "start"; yaml: string }
  /** vigie reads another configuration, or the same again: from now on it is in force. */
  | { kind: "reload"; yaml: string }
  /** vigie reads a file in which the owner has made a mistake, or which is not whole. `isRefused`: it certainly has to refuse it. */
  | { kind: "wrong edit"; isRefused: boolean }
  /** The start or the reload is done: vigie connects to the broker and polls. */
  | { kind: "started" }
  /** SIGTERM; then the end of the process. */
  | { kind: "stop" }
  | { kind: "stopped" }
  | { kind: "kill" }
  /** An error that nobody caught: the process has ended. */
  | { kind: "crash"; error: string }
  /** Another vigie owns the base topic: the process ends with code 3. */
  | { kind: "yield" }
  /** A line of its log, from the level warn on. */
  | { kind: "log"; level: "warn" | "error"; sentence: string }
  /** A line of its log of the level info: no judge reads it. */
  | { kind: "note"; sentence: string }
  /** A write of the state file: begun, then done (a later start reads it) or failed. */
  | { kind: "write"; outcome: "begun" | "done" | "failed" }
  /**
   * A part of an address, a header or a secret, in what the trace does not hold: the state file, a line of its log below the level
   * warn, the page while something is wrong.
   */
  | { kind: "leak"; where: LeakPlace; text: string }
  /**
   * While vigie was stopped: the state file is one that was written earlier; or the one before the last write is the only one that can be
   * read; or none can. `damaged`: so many files are there that no vigie can read (0: the state file is only gone).
   */
  | { kind: "state file"; from: "earlier" | "previous" | "none"; damaged?: number }
  /** A start has found a damaged file. Whether all of it is still there under another name. */
  | { kind: "damaged file"; isKept: boolean }
  /** A process has ended at once, without having begun. The last words of vigie. */
  | { kind: "no start"; why: string };

export type LeakPlace = "the state file" | "the log" | "the page";

/** The machine on which vigie runs. */
type MachineSeen =
  /** Its clock is set. */
  | { kind: "jump"; by: number }
  /** It is suspended: vigie does nothing and hears nothing until `resume`. */
  | { kind: "suspend" }
  | { kind: "resume" }
  /** A file with a secret is gone, or there again. */
  | { kind: "secret file"; name: string; isThere: boolean };

export type SourceName = "service" | "rte";

type SourceSeen =
  /** vigie asks a source. */
  | { kind: "request"; source: SourceName; path: string }
  /** The answer has arrived at vigie. */
  | {
      kind: "answer";
      source: SourceName;
      /** Path and query of the request. */
      path: string;
      status: number;
      headers: Readonly<Record<string, string>>;
      /** With status 304 the body that vigie has already, and that holds again. */
      body: string;
    }
  /** No answer: the connection was refused, or the time was over. */
  | { kind: "no answer"; source: SourceName; path: string };

export type Retained = "kept" | "lost" | "saved";
export type LoginRefusal = "bad password" | "not authorised";

type BrokerSeen =
  /** Another vigie has made itself the owner of the base topic, and answers; or it has ended, or has left the base topic. */
  | { kind: "other vigie"; is: "there" | "gone" }
  /** vigie's lasting connection, which owns the base topic. Short connections before it are not told. */
  | { kind: "connected"; version: 4 | 5 }
  | { kind: "disconnected" }
  /** Each connection of vigie breaks, also the short ones. */
  | { kind: "connections broken" }
  /** The broker is down; then up again, with what it held before, with nothing, or with what it has saved last. */
  | { kind: "broker down" }
  | { kind: "broker up"; retained: Retained }
  | { kind: "broker saves" }
  /** It has refused the user name or the password of vigie, or both. */
  | { kind: "login refused"; code: LoginRefusal }
  /** The broker has taken a message of vigie, over any of its connections. */
  | {
      kind: "published";
      id: number;
      /** In full, with the base topic. */
      topic: string;
      payload: string;
      retain: boolean;
      qos: 0 | 1 | 2;
      /** Seconds; MQTT 5 only. */
      expiry: number | undefined;
    }
  /** From now on so many milliseconds pass from vigie to the broker, and back. */
  | { kind: "latency"; milliseconds: number }
  /**
   * The broker has refused a message of vigie. `isSaid`: vigie can know it. On MQTT 3.1.1 the broker acknowledges what it refuses, and
   * with QoS 0 no broker answers.
   */
  | { kind: "refused"; id: number; topic: string; payload: string; isSaid: boolean }
  /** The acknowledgement of that message has arrived at vigie. It may never do so. */
  | { kind: "acknowledged"; id: number }
  /** Somebody else publishes; `will`: the broker for a vigie that is gone. */
  | {
      kind: "message";
      by: "device" | "house" | "home assistant" | "command" | "will";
      topic: string;
      payload: string;
      retain: boolean;
    }
  /**
   * A message has arrived at vigie's lasting connection, as the broker marks it: not one of its own below the base topic, but also its own
   * for a device, if another output is confirmed there.
   */
  | { kind: "heard"; topic: string; payload: string; retain: boolean };

/** Requests of vigie to devices, and to services that deliver messages. */
type WebSeen =
  /** vigie begins one. It counts from here, also if nobody takes the connection. */
  | {
      kind: "web request";
      id: number;
      /** The id of the output, as the address begins with it. */
      output: string;
      /** A question asks what the device does. */
      what: "sending" | "question";
      host: string;
      /** The whole address as vigie asked for it, without its user. */
      url: string;
      /** What a sending says; empty for a question. */
      payload: string;
      /** What `{id}` stands for; undefined: the address has none. */
      sendingId: string | undefined;
    }
  /** The device has read the request, whoever hears its answer. */
  | { kind: "web arrival"; id: number }
  /** How it ended for vigie: with a status (`body`: of an answer to a question, as it can be read), without one, or vigie ended it. */
  | { kind: "web answer"; id: number; status: number; body: string | null; retryAfter: number | null }
  | { kind: "web failure"; id: number; wasWritten: boolean; isAborted: boolean };

/**
 * Nothing has happened from outside for a while (`since`, as `steady`): the process runs, the broker is up, no fault of it
 * is in force. What the broker holds now, and what the page shows.
 */
type QuietSeen = {
  kind: "quiet";
  since: number;
  retained: ReadonlyMap<string, string>;
  /** The parts of the page that show what was sent to devices. */
  page: string;
  /** null: vigie has not started. */
  views: Views | null;
};

/** What vigie answers over HTTP to programs. */
export interface Views {
  /** `/metrics` */
  metrics: string;
  /** `/calendar.ics` */
  calendar: string;
  /** `/health`, and whether its status is 200. */
  health: string;
  isHealthy: boolean;
}

/** The broker has been away for a while, and somebody asks for `/health`. */
type HealthSeen = { kind: "health" } & Pick<Views, "health" | "isHealthy">;

/** Somebody looks at all that can be read of vigie now. */
export interface LookSeen {
  kind: "look";
  name: string;
  /** The configuration as the owner has written it. */
  yaml: string;
  retained: ReadonlyMap<string, string>;
  /** null: there is no state file. */
  stateFile: string | null;
  /** null: vigie does not run, or is starting. */
  shown: Shown | null;
}

export type Kind = Seen["kind"];
export type EventOf<K extends Kind> = Extract<TraceEvent, { kind: K }>;

export function isKind<K extends Kind>(event: TraceEvent, ...kinds: K[]): event is EventOf<K> {
  return (kinds as Kind[]).includes(event.kind);
}

/** Those after the first instant, up to the second one, of a list in the order of time. A trace may be long. */
export function within<T extends { steady: number }>(list: readonly T[], from: number, to: number): T[] {
  return list.slice(countUntil(list, from), countUntil(list, to));
}

/** How many there are up to this instant, of a list in the order of time. */
export function countUntil(list: readonly { steady: number }[], steady: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.steady <= steady) low = middle + 1;
    else high = middle;
  }
  return low;
}
