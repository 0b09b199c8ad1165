import { expect, test } from "vitest";
import { liveFound } from "../live.ts";
import type { Trace } from "../trace.ts";
import { AWAY_JUDGES } from "./away.ts";
import { ask, type Violation } from "./judge.ts";

/** What is wrong with how devices that are away are shown. */
function awayIn(trace: Trace): Violation[] {
  return ask(AWAY_JUDGES, trace).violations;
}

/** As if the device had not said that it is away before this second. */
function withoutAbsence({ began, events }: Trace, before: number): Trace {
  const isAbsence = (event: Trace["events"][number]) =>
    event.kind === "heard" && event.topic === "device1/online" && event.payload === "offline";
  return { began, events: events.filter((event) => !isAbsence(event) || event.steady > before * 1_000) };
}

function withGoodDisk({ began, events }: Trace): Trace {
  const isWrite = (event: Trace["events"][number]) => event.kind === "write" && event.outcome === "failed";
  return {
    began,
    events: events.map((event) => (isWrite(event) ? { ...event, kind: "write", outcome: "done" } : event)),
  };
}

test("what a device says of being away counts late only if it was away a short time before", async () => {
  const trace = await liveFound("a device is away again within five minutes, on another connection");
  expect(awayIn(trace)).toEqual([]);
  expect(awayIn(withoutAbsence(trace, 240))).toMatchObject([
    { sentence: "device1_set is confirmed, though its device says that it is away" },
  ]);
});

test("since when a device is away may be lost by a disk that failed, and by nothing else", async () => {
  const trace = await liveFound("a disk that fails loses that a device is away");
  expect(awayIn(trace)).toEqual([]);
  expect(awayIn(withGoodDisk(trace))).toContainEqual(
    expect.objectContaining({
      sentence: expect.stringMatching(/^device1_set was away since .* nothing else$/),
    }),
  );
});
