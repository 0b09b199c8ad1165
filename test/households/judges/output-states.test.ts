import { expect, test } from "vitest";
import { liveFound } from "../live.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import { ask, type Violation } from "./judge.ts";
import { STATE_JUDGES } from "./output-states.ts";

/** What all of them say is wrong. */
function wrongIn(trace: Trace): Violation[] {
  return ask(STATE_JUDGES, trace).violations;
}

function withEvents({ began, events }: Trace, change: (event: TraceEvent) => TraceEvent): Trace {
  return { began, events: events.map(change) };
}

test("a payload is only sent if the broker holds a report that says the same, and not if it holds none", async () => {
  const trace = await liveFound("the broker holds a live report of a device that has no power");
  expect(wrongIn(trace)).toEqual([]);
  const withoutHeld = withEvents(trace, (event) =>
    event.kind === "heard" && event.topic === "device1/state" ? { ...event, retain: false } : event,
  );
  expect(wrongIn(withoutHeld)).toMatchObject([
    { sentence: "device1_set is sent, though p1 is in force and was not confirmed" },
  ]);
});

test("a device that never obeyed is contrary only after it was away", async () => {
  const trace = await liveFound("a device of which the broker held an old report was away");
  expect(wrongIn(trace)).toEqual([]);
  const alwaysThere = withEvents(trace, (event) =>
    event.kind === "heard" && event.topic === "device1/online" ? { ...event, payload: "online" } : event,
  );
  expect(wrongIn(alwaysThere)).toContainEqual(
    expect.objectContaining({ sentence: "device1_set is contrary (p1), but its device has never done it" }),
  );
});

test("a report that the broker marks as live confirms soon, also at a slow broker", async () => {
  const trace = await liveFound("while reports go on arriving at a slow broker");
  expect(wrongIn(trace)).toEqual([]);
  const allLive = withEvents(trace, (event) =>
    event.kind === "heard" && event.topic === "device1/state" ? { ...event, retain: false } : event,
  );
  expect(wrongIn(allLive)).toContainEqual(
    expect.objectContaining({ sentence: expect.stringContaining("device1 is still sent (p2)") }),
  );
});
