import type { EventOf, Seen, Trace, TraceEvent } from "../trace.ts";

/** The trace with these events as well, each after those of the same instant. */
export function withMore({ began, events }: Trace, more: readonly TraceEvent[]): Trace {
  return { began, events: inOrder([...events, ...more]) };
}

export function without({ began, events }: Trace, isLeftOut: (event: TraceEvent) => boolean): Trace {
  return { began, events: events.filter((event) => !isLeftOut(event)) };
}

/** The same events, one in place of another. */
export function withOther({ began, events }: Trace, one: TraceEvent, other: TraceEvent): Trace {
  return { began, events: inOrder(events.map((event) => (event === one ? other : event))) };
}

/** This event, so many milliseconds later. */
export function later<E extends TraceEvent>(event: E, by: number): E {
  return { ...event, at: event.at + by, steady: event.steady + by };
}

/** Something that happens at this instant; the clock of the machine is wrong by as much as it was just before. */
export function eventAt({ began, events }: Trace, steady: number, seen: Seen): TraceEvent {
  const before = events.findLast((event) => event.steady <= steady);
  const at = before ? before.at + steady - before.steady : began + steady;
  return { ...seen, at, steady };
}

/** vigie publishes this payload in place of the one that it published, and the broker holds it until the next one. */
export function withPayload(trace: Trace, published: EventOf<"published">, payload: string): Trace {
  const { topic, steady } = published;
  const next = trace.events.find(
    (event) => event.kind === "published" && event.topic === topic && event.steady > steady,
  );
  const until = next?.steady ?? Number.POSITIVE_INFINITY;
  const events = trace.events.map((event) => {
    if (event === published) return { ...published, payload };
    if (event.kind !== "quiet" || event.steady < steady || event.steady >= until) return event;
    return { ...event, retained: new Map(event.retained).set(topic, payload) };
  });
  return { ...trace, events };
}

function inOrder(events: readonly TraceEvent[]): TraceEvent[] {
  return events.toSorted((one, other) => one.steady - other.steady);
}
