import { expect, test } from "vitest";
import { liveFound } from "../live.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import { judgeStates } from "./output-states.ts";

function withEvents({ began, events }: Trace, change: (event: TraceEvent) => TraceEvent): Trace {
  return { began, events: events.map(change) };
}

test("a payload is only sent if the broker holds a report that says the same, and not if it holds none", async () => {
  const trace = await liveFound("the broker holds a live report of a device that has no power");
  expect(judgeStates(trace)).toEqual([]);
  const withoutHeld = withEvents(trace, (event) =>
    event.kind === "heard" && event.topic === "device1/state" ? { ...event, retain: false } : event,
  );
  expect(judgeStates(withoutHeld)).toMatchObject([
    { sentence: "device1_set is sent, though p1 is in force and was not confirmed" },
  ]);
});

test("a device that never obeyed is contrary only after it was away", async () => {
  const trace = await liveFound("a device of which the broker held an old report was away");
  expect(judgeStates(trace)).toEqual([]);
  const alwaysThere = withEvents(trace, (event) =>
    event.kind === "heard" && event.topic === "device1/online" ? { ...event, payload: "online" } : event,
  );
  expect(judgeStates(alwaysThere)).toContainEqual(
    expect.objectContaining({ sentence: "device1_set is contrary (p1), but its device has never done it" }),
  );
});

test("a report that the broker marks as live confirms soon, also at a slow broker", async () => {
  const trace = await liveFound("while reports go on arriving at a slow broker");
  expect(judgeStates(trace)).toEqual([]);
  const allLive = withEvents(trace, (event) =>
    event.kind === "heard" && event.topic === "device1/state" ? { ...event, retain: false } : event,
  );
  expect(judgeStates(allLive)).toContainEqual(
    expect.objectContaining({ sentence: expect.stringContaining("device1 is still sent (p2)") }),
  );
});
