import { findSecret } from "../leaks.ts";
import { isKind, type LeakPlace, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/**
 * Nothing of an address but scheme, host and port, no header and no secret is shown or saved (docs/outputs.md, "What is shown"). What
 * others publish is not looked at as it is heard.
 */
export const leakJudges: readonly Judge[] = [
  { name: "no secret on a topic", find: ({ events }) => events.flatMap(lookAtTopics) },
  { name: "no secret on the page", find: lookWhere("the page", pageOf) },
  { name: "no secret in the log", find: lookWhere("the log", lineOf) },
  // Before each write the disk looks at the text itself.
  { name: "no secret in the state file", find: lookWhere("the state file", writtenIn) },
];

function lookAtTopics(event: TraceEvent): Finding[] {
  if (isKind(event, "published", "refused")) return [lookAtTopic(event, event.topic, event.payload)];
  if (!isKind(event, "quiet")) return [];
  return [...event.retained].map(([topic, payload]) => lookAtTopic(event, topic, payload));
}

function lookAtTopic({ steady }: TraceEvent, topic: string, payload: string): Finding {
  return judgeSecret(steady, `topic ${topic}`, findSecret(`${topic} ${payload}`));
}

/** `textOf`: what the trace itself holds of it; null: nothing at this event. */
function lookWhere(place: LeakPlace, textOf: (event: TraceEvent) => string | null): Judge["find"] {
  return ({ events }) =>
    events.flatMap((event) => {
      if (isKind(event, "leak"))
        return event.where === place ? [judgeSecret(event.steady, place, event.text)] : [];
      const text = textOf(event);
      return text === null ? [] : [judgeSecret(event.steady, place, findSecret(text))];
    });
}

function judgeSecret(at: number, place: string, secret: string | undefined): Finding {
  return secret === undefined ? "right" : { at, sentence: `In ${place} stands: …${secret}…` };
}

function pageOf(event: TraceEvent): string | null {
  return isKind(event, "quiet") ? event.page : null;
}

function lineOf(event: TraceEvent): string | null {
  return isKind(event, "log") ? event.sentence : null;
}

function writtenIn(event: TraceEvent): string | null {
  return isKind(event, "write") && event.outcome === "begun" ? "" : null;
}
