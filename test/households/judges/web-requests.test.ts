import { expect, test } from "vitest";
import type { TraceEvent } from "../trace.ts";
import { ask } from "./judge.ts";
import { webRequestJudges } from "./web-requests.ts";

/** A request that is over after twenty seconds, while vigie has no connection to a broker, and what else happens. */
function afterTwentySeconds(others: readonly TraceEvent[]) {
  const request = {
    id: 1,
    output: "boiler",
    what: "question",
    host: "http://192.0.2.7",
    url: "http://192.0.2.7/boiler/state",
    payload: "",
    sendingId: undefined,
  } as const;
  const events: TraceEvent[] = [
    { at: 0, steady: 0, kind: "start", yaml: "" },
    { at: 1_000, steady: 1_000, kind: "web request", ...request },
    { at: 21_000, steady: 21_000, kind: "web answer", id: 1, status: 200, body: null, retryAfter: null },
    { at: 30_000, steady: 30_000, kind: "stop" },
    ...others,
  ];
  return ask(webRequestJudges, { began: 0, events: events.sort((one, other) => one.steady - other.steady) });
}

test("a request takes ten seconds at most, also while the broker is away", () => {
  expect(afterTwentySeconds([]).violations).toEqual([
    { judge: "requests that take too long", at: 1_000, sentence: "A request to boiler takes 20 s" },
  ]);
});

test("a request may take longer while the machine sleeps", () => {
  const { violations, counts } = afterTwentySeconds([
    { at: 2_000, steady: 2_000, kind: "suspend" },
    { at: 15_000, steady: 15_000, kind: "resume" },
  ]);
  expect(violations).toEqual([]);
  expect(counts.get("requests that take too long")).toEqual({ judged: 0, skipped: 1 });
});
