import { expect, test } from "vitest";
import { runHousehold } from "../household.ts";
import type { Trace } from "../trace.ts";
import { judgeProcess } from "./without-oracle.ts";

/** A start at a broker that takes a second each way. */
const live = () =>
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
      { at: 1, kind: "start" },
    ],
  });

/** `online` comes so many seconds later. */
function onlineLater({ began, events }: Trace, seconds: number): Trace {
  const by = seconds * 1_000;
  const moved = events.map((event) =>
    event.kind === "published" && event.topic === "vigie/availability"
      ? { ...event, at: event.at + by, steady: event.steady + by }
      : event,
  );
  return { began, events: moved.sort((one, other) => one.steady - other.steady) };
}

test("a start is online within two minutes", async () => {
  const trace = await live();
  const sentences = (given: Trace) => judgeProcess(given).map(({ sentence }) => sentence);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(onlineLater(trace, 60))).toEqual([]);
  expect(sentences(onlineLater(trace, 150))).toEqual(["availability is undefined after a start"]);
});
