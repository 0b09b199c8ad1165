import { HOUR, MINUTE, wallClock } from "../calendar.ts";
import { type EventOf, isKind, type Kind, type SourceName, type Trace, type TraceEvent } from "../trace.ts";
import type { Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { judgeSnapshots, type Snapshot } from "./snapshots.ts";
import { houseAt } from "./topics.ts";
import { readMade } from "./truth/known-days.ts";

/**
 * How soon `service/status` and `official/status` say that a source does not answer, and that it does again: "once a poll has failed,
 * which takes up to four minutes, `degraded`", and "after three hours of failures without an answer `down`. The state file keeps since
 * when it fails, so a restart changes nothing" (docs/what-if.md).
 */
export const sourceStatusJudge: Judge = {
  name: "status of sources",
  find: function* (trace) {
    const judges = SOURCES.map((source) =>
      judgeSnapshots(source, (snapshot) => [judgeStatus(source, snapshot, trace)]),
    );
    for (const { find } of judges) yield* find(trace);
  },
};

const SOURCES = ["service", "rte"] as const satisfies readonly SourceName[];

function judgeStatus(source: SourceName, { read, steady, house, life }: Snapshot, trace: Trace): string {
  const topic = source === "service" ? "service/status" : "official/status";
  const status = read(topic);
  if (status === null) return "skipped";
  const isThere = source === "service" ? house.hasService : house.hasRte;
  if (!isThere || status === "off")
    return isThere === (status !== "off")
      ? "right"
      : `${topic} is ${status}, and the house has ${isThere ? "" : "not "}this source`;
  // By which clock a time is counted while the clock is wrong, nobody says.
  if (life.skew.changes(0, steady).length > 0 || steady >= firstOtherTime(trace)) return "skipped";
  const wanted = allowedAt(historyOf(trace)[source], steady);
  if (wanted === null) return "skipped";
  return wanted.includes(status) ? "right" : `${topic} is ${status}, and ${wanted.join(" or ")} is right`;
}

/** When a source says another time for the first time: vigie may count by it from then on. */
const firstOtherTime = onceForEach((trace: Trace): number => {
  const other = trace.events.find(
    (event) => isKind(event, "answer") && readMade(event.headers, trace.began + event.steady).isHoursOff,
  );
  return other?.steady ?? Number.POSITIVE_INFINITY;
});

/** What a source has said of today, one request after the other. */
type Word = { steady: number; is: "answer" | "failure" | "unclear" | "start" | "interruption" };

/** null: that is not certain. */
function allowedAt(words: readonly Word[], steady: number): readonly string[] | null {
  const before = words.filter((word) => word.steady <= steady);
  const answered = before.findLastIndex(({ is }) => is === "answer");
  const since = before.slice(answered + 1);
  if (since.some(({ is }) => is === "unclear")) return null;
  // A start that has lost what was saved last may know of an older answer only, and of a failure before it.
  const down = since.some(({ is }) => is === "start") ? ["down"] : [];
  const failure = since.find(({ is }) => is === "failure");
  if (!failure) return answered < 0 ? null : [...OK, "degraded", ...down];
  // It may count from such a start on only.
  const started = since.findLastIndex(({ is }) => is === "start" || is === "interruption");
  const counted = since.slice(started + 1).find(({ is }) => is === "failure");
  const isSurelyFailed = counted !== undefined && steady - counted.steady > FAILED;
  const isSurelyDown = counted !== undefined && steady - counted.steady > DOWN + FAILED;
  const last = before[answered]?.steady ?? Number.NEGATIVE_INFINITY;
  const mayBeDown = steady - last >= DOWN - MINUTE;
  if (isSurelyDown) return ["down"];
  return [...(isSurelyFailed ? [] : OK), "degraded", ...(mayBeDown ? ["down"] : down)];
}

const historyOf = onceForEach((trace: Trace) => ({
  service: readWords(trace, "service"),
  rte: readWords(trace, "rte"),
}));

function readWords(trace: Trace, source: SourceName): Word[] {
  const lossy = lossyStarts(trace);
  return trace.events.flatMap((event): Word[] => {
    const { steady } = event;
    if (isKind(event, "start")) return lossy.has(event) ? [{ steady, is: "start" }] : [];
    if (isKind(event, ...INTERRUPTIONS)) return [{ steady, is: "interruption" }];
    if (!isKind(event, "answer", "no answer") || event.source !== source) return [];
    const [path = ""] = event.path.split("?");
    if (!(path.endsWith("/v1/public") || path.endsWith("/tempoLight"))) return [];
    const zone = houseAt(trace, steady)?.timeZone;
    return [{ steady, is: isKind(event, "answer") ? wordOf(event, zone) : "failure" }];
  });
}

/** The starts that may not know all that the process before knew: its poll was under way, or a write was not done. */
const lossyStarts = onceForEach((trace: Trace): ReadonlySet<TraceEvent> => {
  const lossy = new Set<TraceEvent>();
  let unsaved = 0;
  let isLost = false;
  let requested = Number.NEGATIVE_INFINITY;
  for (const event of trace.events) {
    if (isKind(event, "request", "no answer")) requested = event.steady;
    if (isKind(event, "state file")) isLost = true;
    if (isKind(event, "write")) {
      unsaved += event.outcome === "begun" ? 1 : -1;
      isLost ||= event.outcome === "failed";
    }
    if (!isKind(event, "start")) continue;
    if (isLost || unsaved > 0 || event.steady - requested < FAILED) lossy.add(event);
    [unsaved, isLost] = [0, false];
  }
  return lossy;
});

/** Without any doubt. `zone`: that of the tariff, by which vigie counts its days. */
function wordOf(answer: EventOf<"answer"> & TraceEvent, zone: string | undefined): Word["is"] {
  if (answer.status !== 200 && answer.status !== 304) return "failure";
  if (/violet|null/.test(answer.body)) return "unclear";
  const type = answer.headers["content-type"] ?? "json";
  try {
    const { today, values } = JSON.parse(answer.body);
    const word = values?.[wallClock(answer.at, zone).date];
    const isRead = /json/.test(type) && (today?.color !== undefined || /^(blue|white|red)$/i.test(word));
    return isRead ? "answer" : "unclear";
  } catch {
    return "failure";
  }
}

const INTERRUPTIONS = [
  "reload",
  "suspend",
  "resume",
  "state file",
  "jump",
] as const satisfies readonly Kind[];
/** As long as the service is the simulator it is `simulated`. */
const OK = ["ok", "simulated"];
/** A poll goes on for four minutes. */
const FAILED = 7 * MINUTE;
const DOWN = 3 * HOUR;
