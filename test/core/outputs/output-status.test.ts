import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { nameFailedOutputs } from "../../../src/core/outputs/output-status.ts";
import type { Sent } from "../../../src/core/outputs/outputs-state.ts";
import { outputTopics } from "../../../src/core/topics/output-topics.ts";
import { BOILER, confirmBy, statusOf } from "../../support/outputs.ts";

const CONFIRMED: Output = { ...BOILER, confirm: confirmBy("boiler") };
const SENT: Sent = {
  payload: "off",
  expect: "off",
  at: Date.UTC(2026, 0, 5, 5),
  acknowledged: true,
  stands: true,
  answer: "awaited",
  choice: "peak",
  because: "peak is ON",
  tries: 2,
  last_answer: "on",
  answered_at: Date.UTC(2026, 0, 5, 6),
  told: [],
  away_since: null,
  id: null,
  came_back: false,
  stuck: null,
};
const NO_CHANGE = { sent: SENT };

describe("the state of an output", () => {
  test.each<[string, Output, Parameters<typeof statusOf>[1], string]>([
    ["nothing, before the first sending", CONFIRMED, { sent: undefined }, "nothing"],
    ["waiting, until the device confirms", CONFIRMED, {}, "waiting"],
    ["waiting, until the broker acknowledges", BOILER, { sent: { ...SENT, acknowledged: false } }, "waiting"],
    ["confirmed", CONFIRMED, { sent: { ...SENT, answer: "heard" } }, "confirmed"],
    [
      "sent, also when it was confirmed, when it is not wanted any more",
      CONFIRMED,
      { sent: { ...SENT, answer: "heard", stands: false } },
      "sent",
    ],
    [
      "sent, where a retained report from before says the same",
      CONFIRMED,
      { sent: { ...SENT, answer: "retained" } },
      "sent",
    ],
    ["sent, where the output has no confirm", BOILER, { sent: { ...SENT, answer: "none" } }, "sent"],
    ["sent, where the output had a confirm before", BOILER, { sent: { ...SENT, answer: "missed" } }, "sent"],
    ["sent, when it is not wanted any more", CONFIRMED, { sent: { ...SENT, stands: false } }, "sent"],
    [
      "sent, not failed, when it is not wanted any more",
      CONFIRMED,
      { sent: { ...SENT, answer: "missed", stands: false } },
      "sent",
    ],
    [
      "failed, where the device did not confirm",
      CONFIRMED,
      { sent: { ...SENT, answer: "missed" } },
      "failed",
    ],
    [
      "sent, if the device says that it is away, whatever it has reported",
      CONFIRMED,
      { sent: { ...SENT, answer: "heard", away_since: SENT.at } },
      "sent",
    ],
    ["failed, where the broker refuses the payload", BOILER, { isRefused: true }, "failed"],
    ["dry, where something is held back", CONFIRMED, { would_send: "on" }, "dry"],
    [
      "failed, also where something is held back",
      CONFIRMED,
      { sent: { ...SENT, answer: "missed" }, would_send: "on" },
      "failed",
    ],
  ])("is %s", (_title, output, change, state) => {
    expect(statusOf(output, { ...NO_CHANGE, ...change }).state).toBe(state);
  });

  test("names those that have failed by their name and topic", () => {
    const named = { ...CONFIRMED, name: { fr: "Chauffe-eau", en: "Boiler" } };
    const missed = { ...NO_CHANGE, sent: { ...SENT, answer: "missed" as const } };
    const statuses = [CONFIRMED, named].map((output) => statusOf(output, missed));
    expect(nameFailedOutputs([...statuses, statusOf(named, NO_CHANGE)])).toEqual([
      "boiler/set",
      "Boiler (boiler/set)",
    ]);
  });
});

describe("the topics of an output", () => {
  const topicsOf = (change: object) =>
    Object.fromEntries(outputTopics([statusOf(CONFIRMED, { ...NO_CHANGE, ...change })]));

  test("say what was sent, why, and what came of it; none expires", () => {
    const topics = topicsOf({});
    expect(topics).toEqual({
      "outputs/boiler/state": { payload: "waiting" },
      "outputs/boiler/payload": { payload: "off" },
      "outputs/boiler/since": { payload: "2026-01-05T05:00:00Z" },
      "outputs/boiler": { payload: expect.any(String) },
    });
    expect(JSON.parse(topics["outputs/boiler"]?.payload ?? "")).toEqual({
      state: "waiting",
      address: null,
      payload: "off",
      since: "2026-01-05T05:00:00Z",
      topic: "boiler/set",
      choice: "peak",
      because: "peak is ON",
      tries: 2,
      last_answer: "on",
      answered_at: "2026-01-05T06:00:00Z",
      away_since: null,
      next_try: null,
      would_send: null,
    });
  });

  test("say None where nothing was sent, and in JSON null", () => {
    const topics = topicsOf({ sent: undefined });
    expect(topics["outputs/boiler/payload"]).toEqual({ payload: "None" });
    expect(topics["outputs/boiler/since"]).toEqual({ payload: "None" });
    expect(JSON.parse(topics["outputs/boiler"]?.payload ?? "")).toMatchObject({
      state: "nothing",
      payload: null,
      since: null,
      choice: null,
      tries: 0,
      last_answer: null,
    });
  });

  test("cut long texts, and stay below 16 KiB", () => {
    const long = "€".repeat(60_000);
    const topics = topicsOf({
      sent: { ...SENT, payload: long, last_answer: long, because: long },
      would_send: long,
    });
    expect(topics["outputs/boiler/payload"]?.payload).toHaveLength(255);
    expect(Buffer.byteLength(topics["outputs/boiler"]?.payload ?? "")).toBeLessThan(16_384);
  });
});
