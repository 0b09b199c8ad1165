import { isKind, type Kind, type Trace, type TraceEvent } from "../trace.ts";
import { isWaiting } from "./calm.ts";
import type { Finding, Judge } from "./judge.ts";
import { BASE, houseAt } from "./topics.ts";

/** What must be so in each household, whatever its rules say. */
export const processJudges: readonly Judge[] = [
  { name: "no crash", find: ({ events }) => processesOf(events).map(crashes) },
  {
    name: "no error of vigie",
    find: ({ events }) => events.flatMap((event, index) => errors(event, index, events)),
  },
  { name: "stop", find: ({ events }) => events.flatMap((event, index) => stops(event, index, events)) },
  { name: "online after a start", find: ({ events }) => starts(events) },
  { name: "online", find: ({ events }) => events.flatMap((event) => isOnline(event, events)) },
  { name: "no orphan", find: (trace) => trace.events.flatMap((event) => orphans(event, trace)) },
];

/** What happened from each start on, until the next one. */
function processesOf(events: readonly TraceEvent[]): (readonly TraceEvent[])[] {
  const starts = events.flatMap(({ kind }, index) => (kind === "start" ? [index] : []));
  return starts.map((start, index) => events.slice(start, starts[index + 1]));
}

function crashes(process: readonly TraceEvent[]): Finding {
  const crash = process.find((event) => isKind(event, "crash"));
  return crash ? { at: crash.steady, sentence: crash.error } : "right";
}

/** Nothing that vigie itself does wrong. */
function errors(event: TraceEvent, index: number, events: readonly TraceEvent[]): Finding[] {
  if (!isKind(event, "log")) return [];
  if (event.sentence.startsWith("Configuration: ") && isReadingWrongEdit(events, index)) return ["right"];
  const isError = event.level === "error" || event.sentence.includes("error of vigie");
  return [isError ? { at: event.steady, sentence: event.sentence } : "right"];
}

function isReadingWrongEdit(events: readonly TraceEvent[], index: number): boolean {
  const before = events.slice(0, index).findLast((event) => !isKind(event, "log"));
  return before !== undefined && isKind(before, "wrong edit");
}

/** A stop takes less than 5 s, unless the disk hangs. */
function stops(event: TraceEvent, index: number, events: readonly TraceEvent[]): Finding[] {
  if (!isKind(event, "stop")) return [];
  const rest = events.slice(index);
  const end = rest.find((later) => isKind(later, "stopped", "kill", "crash", "suspend"));
  const took = (end ?? rest.at(-1)!).steady - event.steady;
  if (took >= 5_000)
    return [
      isWriting(events, index) ? "skipped" : { at: event.steady, sentence: `a stop takes ${took / 1000} s` },
    ];
  return [end?.kind === "stopped" ? "right" : "skipped"];
}

function isWriting(events: readonly TraceEvent[], index: number): boolean {
  const from = events[index]!.steady;
  const last = events.findLast((event) => isKind(event, "write") && event.steady < from + 5_000);
  return last !== undefined && isKind(last, "write") && last.outcome === "begun";
}

/**
 * Each start ends in `online`, within two minutes in which nothing else happens: a broker may take 3 s each way, and refuse MQTT 5 first.
 * With another state file than before vigie does not know that the topics are its own, and asks eight times whether somebody else runs.
 */
function starts(events: readonly TraceEvent[]): Finding[] {
  const found: Finding[] = [];
  let isUp = true;
  let availability: string | undefined;
  let isConnected = false;
  /** Since when nothing keeps a process from being online. */
  let since: number | null = null;
  let asksOthers = false;
  const end = (finding: Finding) => {
    if (since !== null) found.push(finding);
    since = null;
  };
  for (const event of events) {
    const longest = asksOthers ? ONLINE_AFTER_ASKING : ONLINE_WITHIN;
    if (since !== null && event.steady - since > longest) {
      const said = isConnected ? availability : "not published by this connection";
      const sentence = `availability is ${said} after a start`;
      end(said === "online" ? "right" : { at: event.steady, sentence });
    }
    if (isKind(event, "broker down")) isUp = false;
    if (isKind(event, "broker up")) isUp = true;
    if (isKind(event, "published", "message") && event.topic === `${BASE}/availability`)
      availability = event.payload;
    if (isKind(event, "state file")) asksOthers = true;
    if (isKind(event, "published") && event.topic === `${BASE}/availability`) asksOthers = false;
    if (isKind(event, ...DISTURBING)) {
      isConnected = false;
      end("skipped");
    }
    if (isKind(event, "connected")) isConnected = true;
    if (isKind(event, "started") && !isWaiting(event, events)) since = event.steady;
    if (!isUp || isKind(event, "login refused")) end("skipped");
  }
  end("skipped");
  return found;
}

function isOnline(event: TraceEvent, events: readonly TraceEvent[]): Finding[] {
  if (!isKind(event, "quiet")) return [];
  const availability = event.retained.get(`${BASE}/availability`);
  if (availability === "online") return ["right"];
  const sentence = `availability is ${availability} at a quiet point`;
  return [isWaiting(event, events) ? "skipped" : { at: event.steady, sentence }];
}

/** Topics of rules and outputs that are not in the configuration any more, and what others retain on topics on which vigie hears commands. */
function orphans(event: TraceEvent, trace: Trace): Finding[] {
  if (!isKind(event, "quiet")) return [];
  const house = houseAt(trace, event.steady);
  const rules = new Set(house?.rules.map(({ id }) => id));
  const outputs = new Set(house?.outputs.map(({ id }) => id));
  const isMqtt5 = hasMqtt5(trace);
  return [...event.retained.keys()].flatMap((topic): Finding[] => {
    const [base, kind, id = ""] = topic.split("/");
    const isForeign =
      topic.endsWith("/set") || topic === `${BASE}/x` || topic.startsWith(`${BASE}/rules/former/`);
    const isOfOwner = kind === "rules" || kind === "outputs";
    if (base !== BASE || !(isForeign || isOfOwner)) return [];
    if (isForeign && !isMqtt5) return ["skipped"];
    const isThere = !topic.endsWith("/set") && (kind === "rules" ? rules : outputs).has(id);
    return [isThere ? "right" : { at: event.steady, sentence: `${topic} is still there` }];
  });
}

/** On MQTT 3.1.1 a message that arrives live does not say that it is retained. */
function hasMqtt5({ events }: Trace): boolean {
  return events.some((event) => isKind(event, "connected") && event.version === 5);
}

const DISTURBING = [
  "start",
  "stop",
  "kill",
  "reload",
  "suspend",
  "disconnected",
  "broker down",
] as const satisfies readonly Kind[];
const ONLINE_WITHIN = 120_000;
const ONLINE_AFTER_ASKING = 180_000;
