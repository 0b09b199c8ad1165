import { expect, test } from "vitest";
import { later, withMore, without } from "../lies/change-trace.ts";
import { liveIn } from "../live.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import { foretoldJudges } from "./foretold.ts";
import { ask } from "./judge.ts";

/** A rule that is OFF from 22:00 in Paris on, with a broker that takes so many milliseconds each way. */
const live = (milliseconds: number) =>
  liveIn(
    {
      service: { base_url: "https://service.example" },
      official: { source: "off" },
      mqtt: { url: "mqtt://192.0.2.1" },
      rules: [{ id: "peak", when: { period: "hp" } }],
      outputs: { list: [] },
    },
    [{ at: 300, kind: "latency", milliseconds, for: 600 }],
    { from: "2026-01-05T20:50:00Z", length: 900 },
  );

/** OFF comes so many seconds later. */
function offLater(trace: Trace, seconds: number): Trace {
  const isOff = (event: TraceEvent) =>
    event.kind === "published" && event.topic === "vigie/rules/peak/state" && event.payload === "OFF";
  const delayed = trace.events.filter(isOff).map((event) => later(event, seconds * 1_000));
  return withMore(without(trace, isOff), delayed);
}

test("a slow broker may get a turn of a rule later than foretold, but not much later", async () => {
  const [quick, slow] = [await live(1), await live(3_000)];
  const judges = (trace: Trace) => ask(foretoldJudges, trace).violations.map(({ judge }) => judge);
  expect(judges(quick)).toEqual([]);
  expect(judges(offLater(quick, 6))).toContain("foretold");
  expect(judges(slow)).toEqual([]);
  expect(judges(offLater(slow, 6))).toEqual([]);
  expect(judges(offLater(slow, 12))).toContain("foretold");
});
