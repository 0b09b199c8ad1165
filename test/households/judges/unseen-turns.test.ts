import { expect, test } from "vitest";
import { liveFound } from "../live.ts";
import type { Trace } from "../trace.ts";
import { ask, type Violation } from "./judge.ts";
import { tellingJudges } from "./tellings.ts";
import { payloadJudges } from "./verdicts-to-payloads.ts";

/** What is wrong with how often its devices are told. */
function tellingsIn(trace: Trace): Violation[] {
  return ask(tellingJudges, trace).violations;
}

/** What vigie would publish if it had sent the same order again: the instant of the first one. */
function asOneOrder({ began, events }: Trace): Trace {
  const first = events.flatMap((event) => {
    if (event.kind !== "published" || event.topic !== "vigie/outputs/device1_set") return [];
    return JSON.parse(event.payload).since ?? [];
  })[0];
  const said = events.map((event) =>
    event.kind === "published" && /^vigie\/outputs\/device1(_set)?$/.test(event.topic)
      ? { ...event, payload: event.payload.replace(/"since":"[^"]*"/, `"since":"${first}"`) }
      : event,
  );
  return { began, events: said };
}

test("a payload that is sent again after the broker was away is right only as a new order", async () => {
  const trace = await liveFound("a choice ends and begins again while the broker is away (device1/set)");
  expect(ask(payloadJudges, trace).violations).toEqual([]);
  expect(ask(payloadJudges, asOneOrder(trace)).violations).toMatchObject([{ judge: "sent twice" }]);
});

test("a payload that is sent again to a slow broker is right only as a new order", async () => {
  const trace = await liveFound("a choice begins again sooner than a broker with a latency of 400 ms");
  expect(tellingsIn(trace)).toEqual([]);
  expect(tellingsIn(asOneOrder(trace))).toContainEqual(
    expect.objectContaining({
      sentence: "device1_set was told p1 again after 1.6 s, at the earliest after 30",
    }),
  );
});
