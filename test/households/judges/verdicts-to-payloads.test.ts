import { expect, test } from "vitest";
import { later, withMore, without } from "../lies/change-trace.ts";
import { liveIn } from "../live.ts";
import type { HouseConfig } from "../scenario.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import { ask } from "./judge.ts";
import { payloadJudges } from "./verdicts-to-payloads.ts";

function deviceAt(topic: string): HouseConfig {
  return {
    service: { base_url: "https://service.example" },
    mqtt: { url: "mqtt://192.0.2.1" },
    rules: [{ id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } } }],
    outputs: { list: [{ id: "device", topic, choose: [{ when: "guests", payload: "p1" }], else: "p2" }] },
  };
}

function valueAt(at: number, payload: string) {
  return { at, kind: "report", topic: "house/value1", payload, retain: true } as const;
}

function sentTo({ events }: Trace, topic: string): (TraceEvent & { kind: "published" })[] {
  return events.filter((event) => event.kind === "published").filter((event) => event.topic === topic);
}

function wrongIn(trace: Trace): string[] {
  return ask(payloadJudges, trace).violations.map(({ judge, sentence }) => `${judge}: ${sentence}`);
}

test("a payload that was taken and saved is not sent again after a kill", async () => {
  const trace = await liveIn(deviceAt("device/set"), [
    valueAt(60, "guests"),
    { at: 600, kind: "kill", steps: 0 },
    { at: 660, kind: "start" },
  ]);
  const sent = sentTo(trace, "device/set");
  expect(sent.map(({ payload }) => payload)).toEqual(["p1"]);
  expect(wrongIn(trace)).toEqual([]);
  const twice = withMore(trace, [later({ ...sent[0]!, id: 10_000 }, 620_000)]);
  expect(wrongIn(twice)).toEqual(["sent twice: device/set: p1 was sent again after 620 s, for no reason"]);
  const unsaved = without(twice, ({ kind, steady }) => kind === "write" && steady <= 600_000);
  expect(wrongIn(unsaved)).toEqual([]);
});

test("an output that gets another topic is sent what is in force, also if that is else", async () => {
  const trace = await liveIn(
    [deviceAt("device/set"), deviceAt("other/set")],
    [
      valueAt(60, "guests"),
      valueAt(600, "away"),
      { at: 1_200, kind: "edit", config: 1 },
      { at: 1_800, kind: "quiet" },
    ],
  );
  const [other] = sentTo(trace, "other/set");
  expect(other).toMatchObject({ payload: "p2" });
  expect(wrongIn(trace)).toEqual([]);
  const events = trace.events.filter((event) => event !== other);
  expect(wrongIn({ ...trace, events })).toEqual([
    "last payload: other/set: p2 is chosen (else), and nothing was sent last",
  ]);
});
