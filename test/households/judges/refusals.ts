import { isKind, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/** What vigie does with a configuration, or a state file, that it refuses. */
export const refusalJudges: readonly Judge[] = [
  {
    name: "refused edit",
    find: ({ events }) => events.flatMap((event, index) => edits(event, index, events)),
  },
  {
    name: "refused start",
    find: ({ events }) => events.flatMap((event, index) => starts(event, index, events)),
  },
];

/**
 * "The previous configuration stays in force. The log names the place of each mistake" (docs/what-if.md). What else is so, the judges say
 * that read the previous one.
 */
function edits(event: TraceEvent, index: number, events: readonly TraceEvent[]): Finding[] {
  if (!isKind(event, "wrong edit")) return [];
  const rest = events.slice(index + 1);
  const lines = rest.slice(
    0,
    Math.max(
      0,
      rest.findIndex((later) => !isKind(later, "log", "note")),
    ),
  );
  const next = rest[lines.length];
  if (next && isKind(next, "reload") && next.steady === event.steady)
    return [
      event.isRefused ? { at: event.steady, sentence: "a wrong configuration is put in force" } : "right",
    ];
  // Half of a file may be what is in force already.
  if (!event.isRefused) return ["skipped"];
  const said = lines.flatMap((line) => (isKind(line, "log") ? [line.sentence] : []));
  const isNamed = said.some((sentence) => sentence.startsWith("Configuration: "));
  const stays = said.some((sentence) =>
    /the one before it stays in force|^The configuration before it stays/.test(sentence),
  );
  if (isNamed && stays) return ["right"];
  return [
    { at: event.steady, sentence: `vigie says of a wrong configuration: ${said.join(" · ") || "nothing"}` },
  ];
}

/**
 * "At its start, vigie refuses a wrong configuration and ends", and with the state of a newer vigie it "does not change the file, and ends"
 * (docs/what-if.md): nothing is seen of it.
 */
function starts(event: TraceEvent, index: number, events: readonly TraceEvent[]): Finding[] {
  if (!isKind(event, "no start")) return [];
  const rest = events.slice(index + 1);
  const next = rest.findIndex((later) => isKind(later, "start"));
  const busy = rest.slice(0, next < 0 ? undefined : next).find((later) => isKind(later, ...DONE));
  return [busy ? { at: busy.steady, sentence: `${busy.kind} of a vigie that did not start` } : "right"];
}

/** What only a vigie that runs does. The broker may still take what an earlier one has sent. */
const DONE = ["started", "write", "request", "web request", "connected", "reload"] as const;
