import { isKind, type TraceEvent } from "../trace.ts";
import { isDiscovery } from "./describe-topics.ts";
import { secondOfDay } from "./paris-time.ts";
import type { Part } from "./part.ts";
import { takeWordsOut } from "./words-apart.ts";

/** What has happened since the look before, line by line: what vigie sends and logs, and what others do. */
export function describeMeantime(events: readonly TraceEvent[]): Part[] {
  const part: Part = { title: "since then", data: [], words: [] };
  const asked = new Map<number, string>();
  for (const event of events) {
    if (isKind(event, "web request")) asked.set(event.id, event.output);
    const seen = describeEvent(event, asked);
    if (!seen) continue;
    const at = secondOfDay(event.at);
    part.data.push(`${at} ${seen.data}`);
    for (const said of seen.words) part.words.push(`${at} ${said}`);
  }
  return [part, describeRequests(events)];
}

interface Described {
  data: string;
  words: readonly string[];
}

/** null: it is shown elsewhere, or not at all. `asked`: which request is of which output. */
function describeEvent(event: TraceEvent, asked: ReadonlyMap<number, string>): Described | null {
  switch (event.kind) {
    case "start":
    case "started":
    case "reload":
    case "stop":
    case "stopped":
    case "kill":
    case "yield":
    case "suspend":
    case "resume":
    case "broker down":
    case "broker up":
    case "connected":
    case "disconnected":
      return plain(event.kind);
    case "crash":
      return { data: "crash", words: [event.error] };
    case "leak":
      return plain(`a secret is in ${event.where}`);
    case "jump":
      return plain(`the clock jumps by ${event.by / 1000} s`);
    case "log":
      return { data: `log: ${event.level} …`, words: [`${event.level}: ${event.sentence}`] };
    case "note":
      return { data: "log: info …", words: [`info: ${event.sentence}`] };
    case "published":
      return describePublished(event);
    case "refused":
      return plain(`refused: ${event.topic}`);
    case "message":
      return described(`(${event.by}) ${event.topic} = `, event.payload, event.retain ? " retained" : "");
    case "web request":
      if (event.what === "question") return plain(`asks ${event.output} ${event.url}`);
      return described(`sends ${event.output} ${event.url} `, event.payload);
    case "web answer":
      return plain(
        `${asked.get(event.id) ?? "somebody"} answers ${event.status} ${event.body ?? ""}`.trimEnd(),
      );
    case "web failure":
      return plain(
        `${asked.get(event.id) ?? "somebody"} ${event.isAborted ? "is not waited for any more" : "does not answer"}`,
      );
    default:
      return null;
  }
}

/**
 * vigie's own retained topics are shown at the look itself. Below `owner` vigie asks again and again who owns the base topic, by random
 * names.
 */
function describePublished(event: Extract<TraceEvent, { kind: "published" }>): Described | null {
  const { topic, payload, retain, qos, expiry } = event;
  const ending = ` (qos ${qos}${retain ? ", retained" : ""}${expiry === undefined ? "" : `, ${expiry} s`})`;
  if (isDiscovery(topic)) return plain(`${topic} ${payload === "" ? "emptied" : "announced"}${ending}`);
  if (topic.startsWith(BASE) && (retain || topic.startsWith(`${BASE}owner/`))) return null;
  return described(`${topic} = `, payload, ending);
}

function plain(data: string): Described {
  return { data, words: [] };
}

function described(before: string, payload: string, after = ""): Described {
  const { data, words } = takeWordsOut(payload);
  return {
    data: `${before}${data}${after}`,
    words: words.map(([place, said]) => `${before}${place && `${place}: `}${said}`),
  };
}

/** When which path of a source was asked for. */
function describeRequests(events: readonly TraceEvent[]): Part {
  const times = new Map<string, string[]>();
  for (const event of events) {
    if (!isKind(event, "request")) continue;
    const key = `${event.source} ${event.path}`;
    times.set(key, [...(times.get(key) ?? []), secondOfDay(event.at)]);
  }
  const data = [...times].map(([key, at]) => `${key}: ${at.join(" ")}`).toSorted();
  return { title: "requests", data, words: [] };
}

/** All scenes have this base topic. */
const BASE = "vigie/";
