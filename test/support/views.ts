import type { Loop } from "../../src/app/loop.ts";
import { NO_POLLS } from "../../src/core/facts/poll-record.ts";
import type { View } from "../../src/http/view.ts";
import { PARIS } from "./tariff.ts";

/** What this loop found last, as the daemon shows it. */
export function viewOf(loop: Loop, more: Partial<View> = {}): View {
  return {
    id: "test-1",
    version: "0.1.0",
    instance: "vigie",
    tariff: PARIS,
    rules: [],
    values: new Map(),
    ...loop.snapshot(),
    outputs: [],
    broker: { connected: true, url: "mqtt://127.0.0.1" },
    homeAssistant: null,
    lastSuccess: loop.lastSuccess(),
    pollCounts: NO_POLLS,
    ...more,
  };
}
