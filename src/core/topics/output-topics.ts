import { instant, payloadOf, text, type Value } from "../facts/format-value.ts";
import type { OutputStatus } from "../outputs/output-status.ts";
import type { Topic } from "./topic.ts";

/** What was sent to each device, and whether it has confirmed it; by topic below the base. They do not expire. */
export function outputTopics(statuses: readonly OutputStatus[]): [string, Topic][] {
  return statuses.flatMap(({ output, state, sent, would_send }) => {
    const name = `outputs/${output.id}`;
    const parts: Record<string, Value> = {
      state,
      payload: text(sent?.payload ?? null),
      since: instant(sent?.at ?? null),
    };
    const json: Record<string, Value> = {
      ...parts,
      topic: output.topic,
      choice: sent?.choice ?? null,
      because: text(sent?.because ?? null),
      tries: sent?.tries ?? 0,
      last_answer: text(sent?.last_answer ?? null),
      would_send: text(would_send),
    };
    return [
      ...Object.entries(parts).map(([part, value]): [string, Topic] => [
        `${name}/${part}`,
        { payload: payloadOf(value) },
      ]),
      [name, { payload: JSON.stringify(json) }],
    ];
  });
}
