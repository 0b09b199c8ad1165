import { expect, test } from "vitest";
import { readPollLines } from "../../../src/app/read-poll-lines.ts";
import { configSchema } from "../../../src/config/config-schema.ts";
import { startKnown } from "../../../src/core/loop/start.ts";
import { take } from "../../../src/core/loop/take.ts";
import { readKept } from "../../../src/state/kept.ts";
import { emptyState } from "../../../src/state/state.ts";
import { PARIS } from "../../support/tariff.ts";

const HOUR = 3_600_000;
const NOON = Date.parse("2026-01-05T11:00:00Z");
const SOURCES = { service: "https://service.example", official: null };

test("after the clock was set back, the state file has values as old as they are, so a restart does not make them young", () => {
  const options = configSchema.parse({ service: { base_url: SOURCES.service }, mqtt: { url: "mqtt://x" } });
  const config = {
    tariff: PARIS,
    rules: [],
    outputs: options.outputs,
    sources: [],
    isInvented: false,
    pollLines: readPollLines(options.service.poll, { ...options.tariff, offset: 0 }),
    grace: options.mqtt.grace,
    late_after: options.service.late_after,
    check_clock: options.service.check_clock,
    isDemo: false,
  };
  const protect = (_part: string, run: () => void) => {
    run();
    return true;
  };
  const at = { now: NOON, steady: 0 };
  const kept = { car: { hash: "x", at: NOON - HOUR }, lamp: { hash: "y", at: NOON - 9 * HOUR } };
  const start = startKnown(
    { ...readKept(emptyState("test"), SOURCES), values: { lamp: kept.lamp } },
    { at, config, broker: "mqtt://x", before: null },
  );
  const heard = new Map([["car", { payload: "39", at: NOON - HOUR }]]);
  const known = take(start, { kind: "values", heard, kept, isSettled: true }, at, { config, protect });
  const back = { now: NOON - 2 * HOUR, steady: 0 };
  const { values } = take(known, { kind: "jump", by: -2 * HOUR }, back, { config, protect }).kept;
  expect(values["car"]).toEqual({ hash: "x", at: NOON - 3 * HOUR });
  // Only an earlier process has heard it, with the clock as it was then.
  expect(values["lamp"]).toEqual(kept.lamp);
});
