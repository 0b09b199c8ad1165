import type { Loop } from "../../src/app/run-loop.ts";
import type { Instant } from "../../src/core/calendar/tariff.ts";
import { SOURCE_IDS, type SourceId } from "../../src/core/facts/source-record.ts";
import type { View } from "../../src/core/loop/view.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { PARIS } from "./tariff.ts";

/** What this loop found last, as the daemon shows it. */
export function viewOf(loop: Pick<Loop, "view">, more: Partial<PageView> = {}): PageView {
  return {
    ...loop.view(),
    version: "0.1.0",
    instance: "vigie",
    tariff: PARIS,
    rules: [],
    values: new Map(),
    broker: { connected: true, url: "mqtt://127.0.0.1" },
    homeAssistant: null,
    ...more,
  };
}

/** When each source last answered, as a view has it, and for which ones only the state file says so. */
export function lastAnswersOf({ factsInput, sinceStart }: Pick<View, "factsInput" | "sinceStart">) {
  return {
    service: factsInput.service?.answered_at ?? null,
    official: factsInput.official?.answered_at ?? null,
    saved: sinceStart.unpolled,
  };
}

/** This view, if these sources of it had last answered at these instants. */
export function withLastAnswers<Shown extends Pick<View, "factsInput">>(
  view: Shown,
  answers: Partial<Record<SourceId, Instant | null>>,
): Shown {
  const factsInput = { ...view.factsInput };
  for (const id of SOURCE_IDS) {
    const [record, answered_at] = [factsInput[id], answers[id]];
    if (record && answered_at !== undefined) factsInput[id] = { ...record, answered_at };
  }
  return { ...view, factsInput };
}
