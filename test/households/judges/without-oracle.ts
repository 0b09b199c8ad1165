import { type EventOf, isKind, type Judge, type TraceEvent, type Violation } from "../trace.ts";
import { BASE, houseAt } from "./topics.ts";

/** What must be so in each household, whatever its rules say. */
export const judgeProcess: Judge = (trace) => [
  ...errors(trace.events),
  ...stops(trace.events),
  ...starts(trace.events),
  ...quietPoints(trace),
];

/** Nothing that vigie itself does wrong. */
function errors(events: readonly TraceEvent[]): Violation[] {
  return events.flatMap((event): Violation[] => {
    if (isKind(event, "crash")) return [{ judge: "no crash", at: event.steady, sentence: event.error }];
    if (isKind(event, "yield"))
      return [{ judge: "no other owner", at: event.steady, sentence: "vigie yields to nobody" }];
    const isError =
      isKind(event, "log") && (event.level === "error" || event.sentence.includes("error of vigie"));
    return isError ? [{ judge: "no error of vigie", at: event.steady, sentence: event.sentence }] : [];
  });
}

/** A stop takes less than 5 s, unless the disk hangs. */
function stops(events: readonly TraceEvent[]): Violation[] {
  return events.flatMap((event, index): Violation[] => {
    if (!isKind(event, "stop")) return [];
    const rest = events.slice(index);
    const end = rest.find((later) => isKind(later, "stopped", "kill", "crash", "suspend"));
    const took = (end?.steady ?? rest.at(-1)?.steady ?? 0) - event.steady;
    if (took < 5_000 || isWriting(events, index)) return [];
    return [{ judge: "stop", at: event.steady, sentence: `It takes ${took / 1000} s` }];
  });
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
function starts(events: readonly TraceEvent[]): Violation[] {
  const found: Violation[] = [];
  let isUp = true;
  let availability: string | undefined;
  /** Since when nothing keeps a process from being online. */
  let since: number | null = null;
  let asksOthers = false;
  for (const event of events) {
    const longest = asksOthers ? ONLINE_AFTER_ASKING : ONLINE_WITHIN;
    if (since !== null && event.steady - since > longest) {
      if (availability !== "online")
        found.push({
          judge: "online",
          at: event.steady,
          sentence: `availability is ${availability} after a start`,
        });
      since = null;
    }
    if (isKind(event, "broker down")) isUp = false;
    if (isKind(event, "broker up")) isUp = true;
    if (isKind(event, "published", "message") && event.topic === `${BASE}/availability`)
      availability = event.payload;
    if (isKind(event, "state file")) asksOthers = true;
    if (isKind(event, "published") && event.topic === `${BASE}/availability`) asksOthers = false;
    if (isKind(event, ...DISTURBING)) since = null;
    if (isKind(event, "started") && isUp) since = event.steady;
  }
  return found;
}

function quietPoints(trace: Parameters<Judge>[0]): Violation[] {
  // On MQTT 3.1.1 a message that arrives live does not say that it is retained.
  const isMqtt5 = trace.events.some((event) => isKind(event, "connected") && event.version === 5);
  return trace.events.flatMap((event): Violation[] => {
    if (!isKind(event, "quiet")) return [];
    const house = houseAt(trace, event.steady);
    const rules = new Set(house?.rules.map(({ id }) => id));
    const outputs = new Set(house?.outputs.map(({ id }) => id));
    const isOrphan = (topic: string) => {
      const [base, kind, id = ""] = topic.split("/");
      if (base !== BASE) return false;
      if (kind === "rules") return !rules.has(id) && (isMqtt5 || id !== "former");
      if (kind === "outputs") return !outputs.has(id);
      return (isMqtt5 && topic.endsWith("/set")) || (isMqtt5 && topic === `${BASE}/x`);
    };
    const orphans = [...event.retained.keys()].filter(isOrphan);
    const availability = event.retained.get(`${BASE}/availability`);
    return [
      ...orphans.map((topic) => ({
        judge: "no orphan",
        at: event.steady,
        sentence: `${topic} is still there`,
      })),
      ...(availability === "online"
        ? []
        : [
            {
              judge: "online",
              at: event.steady,
              sentence: `availability is ${availability} at a quiet point`,
            },
          ]),
    ];
  });
}

const DISTURBING: EventOf<
  "stop" | "kill" | "reload" | "suspend" | "disconnected" | "broker down" | "start"
>["kind"][] = ["start", "stop", "kill", "reload", "suspend", "disconnected", "broker down"];
const ONLINE_WITHIN = 120_000;
const ONLINE_AFTER_ASKING = 180_000;
