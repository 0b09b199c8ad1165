import { expect, test } from "vitest";
import { liveFound } from "../live.ts";
import type { Seen, Trace } from "../trace.ts";
import { awayJudges } from "./away.ts";
import { ask, type Violation } from "./judge.ts";

/** What is wrong with how devices that are away are shown. */
function awayIn(trace: Trace): Violation[] {
  return ask(awayJudges, trace).violations;
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

const BOILER = `
rules: [{ id: rouge, when: { day: now, color: rouge } }]
outputs:
  list:
    - id: boiler
      topic: boiler/set
      choose: [{ when: rouge, payload: "off" }]
      confirm: { topic: boiler/state, online: { topic: boiler/online, equals: online } }
`;

/** It says that it is away after a minute; this happens after that; and it is confirmed after four minutes. */
function confirmedAfter(...meanwhile: Seen[]): Trace {
  const publishes = (payload: string): Seen => {
    const topic = "vigie/outputs/boiler/state";
    return { kind: "published", id: 1, topic, payload, retain: true, qos: 1, expiry: undefined };
  };
  const isAway = { kind: "heard", topic: "boiler/online", payload: "offline", retain: false } as const;
  const seen: [number, Seen][] = [
    [0, { kind: "start", yaml: BOILER }],
    [1, { kind: "connected", version: 5 }],
    [60, isAway],
    [61, publishes("sent")],
    ...meanwhile.map((one, index): [number, Seen] => [120 + index, one]),
    [240, publishes("confirmed")],
    [300, { kind: "stop" }],
  ];
  const events = seen.map(([second, one]) => ({ at: second * 1_000, steady: second * 1_000, ...one }));
  return { began: 0, events };
}

test("a device that is away is not confirmed after a reload or a new connection, but may be after a kill", () => {
  const isConfirmed = [
    { judge: "confirmed while away", at: 240_000, sentence: expect.stringContaining("boiler is confirmed") },
  ];
  const connected = { kind: "connected", version: 5 } as const;
  expect(awayIn(confirmedAfter())).toEqual(isConfirmed);
  expect(awayIn(confirmedAfter({ kind: "reload", yaml: BOILER }, connected))).toEqual(isConfirmed);
  expect(awayIn(confirmedAfter({ kind: "disconnected" }, connected))).toEqual(isConfirmed);
  expect(awayIn(confirmedAfter({ kind: "kill" }, { kind: "start", yaml: BOILER }, connected))).toEqual([]);
});
