import { expect, test } from "vitest";
import { liveFound } from "../live.ts";
import type { Seen, Trace, TraceEvent } from "../trace.ts";
import { ask, type Violation } from "./judge.ts";
import { stateJudges } from "./output-states.ts";

/** What all of them say is wrong. */
function wrongIn(trace: Trace): Violation[] {
  return ask(stateJudges, trace).violations;
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
  expect(wrongIn(withoutHeld)).toContainEqual(
    expect.objectContaining({
      sentence: "device1_set is sent, though p1 is in force and was not confirmed",
    }),
  );
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

const BOILER = `
rules: [{ id: rouge, when: { day: now, color: rouge } }]
outputs:
  list:
    - id: boiler
      topic: boiler/set
      choose: [{ when: rouge, payload: "off" }]
      confirm: { topic: boiler/state, online: { topic: boiler/online, equals: online } }
`;

function published(topic: string, payload: string): Seen {
  return { kind: "published", id: 1, topic, payload, retain: true, qos: 1, expiry: undefined };
}

function ruleIs(state: "ON" | "OFF" | "None"): Seen {
  return published("vigie/rules/rouge/state", state);
}

function heard(payload: string): Seen {
  return { kind: "heard", topic: "boiler/state", payload, retain: false };
}

function presence(payload: string): Seen {
  return { kind: "heard", topic: "boiler/online", payload, retain: false };
}

/** A boiler that is told "off" and confirms it, and what happens after the first minute, by seconds. */
function confirmedBoiler(...later: [number, Seen][]): Trace {
  const seen: [number, Seen][] = [
    [0, { kind: "start", yaml: BOILER }],
    [1, { kind: "connected", version: 5 }],
    [2, ruleIs("ON")],
    [3, published("boiler/set", "off")],
    [3, published("vigie/outputs/boiler/payload", "off")],
    [3, published("vigie/outputs/boiler/since", "1970-01-01T00:00:03Z")],
    [4, heard("off")],
    [5, published("vigie/outputs/boiler/state", "confirmed")],
    ...later,
    [2_000, { kind: "stop" }],
  ];
  const events = seen.map(([second, one]) => ({ at: second * 1_000, steady: second * 1_000, ...one }));
  return { began: 0, events };
}

test("what a device says counts also while nobody knows what is to be sent, but not after its choice has ended", () => {
  expect(wrongIn(confirmedBoiler([100, heard("on")]))).toMatchObject([
    { judge: "confirmed in spite of a report" },
  ]);
  expect(wrongIn(confirmedBoiler([60, ruleIs("None")], [100, heard("on")]))).toMatchObject([
    { judge: "confirmed in spite of a report" },
  ]);
  expect(wrongIn(confirmedBoiler([60, ruleIs("OFF")], [70, ruleIs("None")], [100, heard("on")]))).toEqual([]);
});

test("what was sent last is not confirmed any more when no choice is in force", () => {
  expect(wrongIn(confirmedBoiler())).toEqual([]);
  expect(wrongIn(confirmedBoiler([60, ruleIs("OFF")]))).toMatchObject([
    { sentence: "boiler is confirmed (off), though no choice is in force" },
  ]);
  const soonOver = confirmedBoiler([1_960, ruleIs("OFF")]);
  expect(wrongIn(soonOver)).toEqual([]);
});

test("a device that goes away after its report is not confirmed when it is back", () => {
  const awayAndBack = (away: Seen): [number, Seen][] => [
    [60, published("vigie/outputs/boiler/state", "waiting")],
    [100, heard("off")],
    [101, published("vigie/outputs/boiler/state", "confirmed")],
    [104, away],
    [104, published("vigie/outputs/boiler/state", "sent")],
    [106, presence("online")],
  ];
  expect(wrongIn(confirmedBoiler(...awayAndBack(presence("offline"))))).toEqual([]);
  expect(wrongIn(confirmedBoiler(...awayAndBack(presence("online"))))).toMatchObject([
    { judge: "not confirmed by a report" },
  ]);
});

/** A boiler with a secret, which has failed two minutes after it was sent something. */
function failedWithSecret(...more: [number, Seen][]): Trace {
  const trace = confirmedBoiler(
    ...more,
    [700, ruleIs("ON")],
    [1_000, published("boiler/set", "off")],
    [1_000, published("vigie/outputs/boiler/since", "1970-01-01T00:16:40Z")],
    [1_120, published("vigie/outputs/boiler/state", "failed")],
    [1_120, published("vigie/outputs/boiler", '{"payload":"off","since":"1970-01-01T00:16:40Z"}')],
  );
  return withEvents(trace, (event) =>
    event.kind === "start"
      ? { ...event, yaml: BOILER.replace("choose:", "secret_file: plain\n      choose:") }
      : event,
  );
}

test("an output with a secret has failed at once only if its file was gone in the ten minutes before", () => {
  const tooSoon = [{ judge: "failed too soon" }];
  const file = (isThere: boolean): Seen => ({ kind: "secret file", name: "plain", isThere });
  expect(wrongIn(failedWithSecret())).toMatchObject(tooSoon);
  expect(wrongIn(failedWithSecret([200, file(false)], [800, file(true)]))).toEqual([]);
  expect(wrongIn(failedWithSecret([200, file(false)], [400, file(true)]))).toMatchObject(tooSoon);
  expect(
    wrongIn(failedWithSecret([600, { kind: "disconnected" }], [601, { kind: "connected", version: 5 }])),
  ).toMatchObject(tooSoon);
});
