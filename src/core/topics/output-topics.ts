import { instant, payloadOf, text, type Value } from "../facts/format-value.ts";
import type { OutputStatus } from "../outputs/output-status.ts";
import type { Topic } from "./topic.ts";
import { type NamedTopics, renderAll, type TopicGroup } from "./topic-group.ts";

/** What was sent to each device, and whether it has confirmed it; by topic below the base. They do not expire. */
export function outputTopics(statuses: readonly OutputStatus[]): NamedTopics {
  return renderAll(outputGroups(statuses));
}

export function outputGroups(statuses: readonly OutputStatus[]): TopicGroup[] {
  return statuses.map((status) => ({
    name: `topics of output ${status.output.id}`,
    render: () => topicsOfOutput(status),
  }));
}

function topicsOfOutput(status: OutputStatus): [string, Topic][] {
  const { output, state, sent, next_try, would_send } = status;
  const { id, to } = output;
  const name = `outputs/${id}`;
  const parts: Record<string, Value> = {
    state,
    payload: text(sent?.payload ?? null),
    since: instant(sent?.at ?? null),
  };
  const json: Record<string, Value> = {
    ...parts,
    topic: to.kind === "mqtt" ? to.topic : null,
    address: to.kind === "http" ? to.place : null,
    choice: sent?.choice ?? null,
    because: text(sent?.because ?? null),
    tries: sent?.tries ?? 0,
    last_answer: text(sent?.last_answer ?? null),
    answered_at: instant(sent?.answered_at ?? null),
    away_since: instant(sent?.away_since ?? null),
    next_try: instant(next_try),
    would_send: text(would_send),
  };
  return [
    ...Object.entries(parts).map(([part, value]): [string, Topic] => [
      `${name}/${part}`,
      { payload: payloadOf(value) },
    ]),
    [name, { payload: JSON.stringify(json) }],
  ];
}
