import { describe, expect, test } from "vitest";
import { LONG } from "../support/long.ts";
import { runHousehold } from "./household.ts";
import type { ScriptEvent } from "./scenario.ts";
import type { TraceEvent } from "./trace.ts";

/** Until after the announcement of the second day, which is made at 10:30 of Paris: 09:30 UTC. */
const TWO_MORNINGS = 34.1 * 3_600;
const ONE_DAY = 24.5 * 3_600;
const EIGHT_HOURS = 8 * 3_600;

/** A house in virtual time. */
async function live(seed: number, length: number, events: ScriptEvent[] = []) {
  const trace = await runHousehold({
    seed,
    from: "2026-01-11T23:30:00Z",
    length,
    trouble: 0,
    history: 15,
    oldBroker: false,
    devices: [],
    configs: [
      {
        service: { base_url: "https://service.example" },
        official: { source: "rte" },
        mqtt: { url: "mqtt://192.0.2.1" },
        rules: [],
        outputs: { list: [] },
      },
    ],
    events: [{ at: 1, kind: "start" }, ...events],
  });
  const time = ({ steady }: TraceEvent) => new Date(trace.began + steady).toISOString();
  const requests = trace.events.flatMap((event) =>
    event.kind === "request" && event.source === "service" ? [{ path: event.path, at: time(event) }] : [],
  );
  return {
    requests,
    last: (topic: string) =>
      trace.events.findLast((event) => event.kind === "published" && event.topic === `vigie/${topic}`),
    warnings: trace.events.flatMap((event) => (event.kind === "log" ? [event.sentence] : [])),
    of: (part: string, from: string, to: string) =>
      requests.filter(({ path, at }) => path.includes(part) && at >= from && at < to),
  };
}

describe("the requests to the forecast service", () => {
  // Each installation has its own minute, by its seed.
  test.each(LONG ? [1, 2, 3, 4, 5, 6] : [1])(
    "stay below 150 on a quiet day, and nothing is warned of (%i)",
    async (seed) => {
      const { requests, warnings } = await live(seed, ONE_DAY);
      const ofDay = requests.filter(({ at }) => at.startsWith("2026-01-12"));
      expect(ofDay.length).toBeGreaterThan(100);
      expect(ofDay.length).toBeLessThan(150);
      expect(warnings).toEqual([]);
    },
  );

  test("that ask for a pause are warned of once, though polls fall into it", async () => {
    const pause = { kind: "status", status: 429, retryAfter: 3_000 } as const;
    const { warnings } = await live(1, EIGHT_HOURS, [
      { at: 6.5 * 3_600, kind: "source", source: "service", fault: pause, for: 1_200 },
    ]);
    expect(warnings).toEqual([
      'The forecast service answers "too many requests" (429): vigie sends it nothing for 3000 s',
      "The forecast service asks for a pause (429, too many requests): GET /v1/public is not sent before its end",
    ]);
  });

  const failures = [
    ["season", 404],
    ["history", 503],
    ["season", 503],
    ["history", 404],
  ] as const;
  test.each(LONG ? failures : failures.slice(0, 2))(
    "for %s that answers %i for days take nothing from the announcement",
    async (part, status) => {
      const { requests, warnings, of, last } = await live(1, TWO_MORNINGS, [
        { at: 60, kind: "source", source: "service", fault: { kind: "path", part, status }, for: 2 * 86_400 },
      ]);
      const failing = of(`/v1/public/${part}`, "2026-01-12T00:30", "2026-01-12T23:00");
      expect(failing.length).toBeLessThanOrEqual(10);
      const times = failing.map(({ at }) => Date.parse(at));
      for (const [index, at] of times.slice(1).entries())
        expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(3_600_000);
      expect(requests.filter(({ at }) => at.startsWith("2026-01-12")).length).toBeLessThan(160);
      // Tomorrow is asked for each five minutes from 06:30 to 10:30 of Paris, on the second day, too.
      for (const day of ["2026-01-12", "2026-01-13"])
        expect(of("/v1/public/2026-", `${day}T05:30`, `${day}T09:31`).length).toBeGreaterThanOrEqual(47);
      // The polls between, which do not ask for it, are no sign that it is answered again. A history names its day.
      expect(warnings.length).toBeLessThanOrEqual(part === "season" ? 1 : 2);
      expect(last("service/status")).toMatchObject({ payload: "degraded" });
    },
  );

  test("say once that the season of RTE fails, though its other answers come", async () => {
    const { warnings } = await live(1, EIGHT_HOURS, [
      {
        at: 60,
        kind: "source",
        source: "rte",
        fault: { kind: "path", part: "tempo?", status: 404 },
        for: 2 * 86_400,
      },
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/^The official source has nothing at .*season=2025-2026/),
    ]);
  });
});
