import { expect, test } from "vitest";
import { runHousehold } from "../household.ts";
import { later, withOther } from "../lies/change-trace.ts";
import { liveIn } from "../live.ts";
import type { ScriptEvent } from "../scenario.ts";
import type { Trace } from "../trace.ts";
import { ask } from "./judge.ts";
import { processJudges } from "./process.ts";

/** A start at a broker that takes a second each way; `before`: what happened before it. */
const live = (before: readonly ScriptEvent[] = []) =>
  runHousehold({
    seed: 1,
    from: "2026-01-05T10:00:00Z",
    length: 600,
    trouble: 0,
    history: 3,
    oldBroker: true,
    configs: [
      {
        service: { base_url: "https://service.example" },
        mqtt: { url: "mqtt://192.0.2.1" },
        rules: [],
        outputs: { list: [] },
      },
    ],
    devices: [],
    events: [
      { at: 0, kind: "latency", milliseconds: 1_000, for: 600 },
      ...before,
      { at: 200, kind: "start" },
    ],
  });

/** The last `online` comes so many seconds later. */
function onlineLater(trace: Trace, seconds: number): Trace {
  const last = trace.events.findLast(
    (event) =>
      event.kind === "published" && event.topic === "vigie/availability" && event.payload === "online",
  )!;
  return withOther(trace, last, later(last, seconds * 1_000));
}

test("a start is online within two minutes", async () => {
  const trace = await live();
  const sentences = (given: Trace) => ask(processJudges, given).violations.map(({ sentence }) => sentence);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(onlineLater(trace, 60))).toEqual([]);
  expect(sentences(onlineLater(trace, 150))).toEqual(["availability is undefined after a start"]);
});

test("a start with another state file may ask for a minute longer whether somebody else runs", async () => {
  const trace = await live([
    { at: 1, kind: "start" },
    { at: 100, kind: "stop" },
    { at: 150, kind: "state file", from: "none" },
  ]);
  const sentences = (given: Trace) => ask(processJudges, given).violations.map(({ sentence }) => sentence);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(onlineLater(trace, 100))).toEqual([]);
  expect(sentences(onlineLater(trace, 190))).toEqual(["availability is offline after a start"]);
});

test("a retained command is no topic of a rule, though the rule is there", async () => {
  const { began, events } = await liveIn(
    {
      service: { base_url: "https://service.example" },
      mqtt: { url: "mqtt://192.0.2.1" },
      rules: [{ id: "peak", when: { period: "hp" } }],
      outputs: { list: [] },
    },
    [{ at: 300, kind: "quiet" }],
    { length: 310 },
  );
  const withRetained = (topic: string): Trace => ({
    began,
    events: events.map((event) =>
      event.kind === "quiet" ? { ...event, retained: new Map([...event.retained, [topic, "ON"]]) } : event,
    ),
  });
  const sentences = (topic: string) =>
    ask(processJudges, withRetained(topic)).violations.map(({ sentence }) => sentence);
  expect(sentences("vigie/rules/peak/state")).toEqual([]);
  expect(sentences("vigie/rules/peak/enabled/set")).toEqual(["vigie/rules/peak/enabled/set is still there"]);
  expect(sentences("vigie/rules/former/state")).toEqual(["vigie/rules/former/state is still there"]);
});
