import { afterAll, describe, expect, test } from "vitest";
import { MINUTE, withoutFakeTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import type { PlainDays } from "../support/plain-days.ts";
import { createCleanup } from "../support/vigie.ts";
import { prepareRuns, type RepeatedRunsOptions } from "./repeated-runs.ts";

const reason = withoutMosquitto || withoutFakeTime;
/** A second of ours is twenty of theirs. */
const SPEED = 20;
const RED = { all: [{ day: "now", color: "rouge" }, { period: "hp" }] };
const ROW = { bleu: { hp: 0.1, hc: 0.1 }, blanc: { hp: 0.1, hc: 0.1 }, rouge: { hp: 0.1, hc: 0.1 } };

describe.skipIf(reason)(`rules change at their own instant ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  /** Starts a run whose topics are right before this instant, even on a slow machine. */
  const beginBefore = async (from: string, options: RepeatedRunsOptions, lead = 2 * MINUTE) => {
    const runs = await prepareRuns(cleanup, options);
    const run = await runs.startRun(Date.parse(from) - lead, SPEED);
    await runs.until({ availability: "online", "service/status": "ok" });
    if (run.time.clock.now() < Date.parse(from) - MINUTE / 4) return { runs, run };
    await run.kill();
    return beginBefore(from, options, 3 * lead);
  };
  /** When each rule was seen to turn, in seconds after the instant at which it was to. */
  const watch = async (
    from: string,
    options: RepeatedRunsOptions,
    rules: Record<string, { turn: string; to: "ON" | "OFF" }>,
  ) => {
    const { runs, run } = await beginBefore(from, options);
    const early = Object.entries(rules).map(([id, { to }]) => [
      `rules/${id}/state`,
      to === "ON" ? "OFF" : "ON",
    ]);
    await runs.until(Object.fromEntries(early));
    runs.serviceDown = true;
    const late = Object.entries(rules).map(async ([id, { turn, to }]) => {
      await runs.until({ [`rules/${id}/state`]: to });
      const at = run.time.clock.now();
      await runs.until({ [`rules/${id}/since`]: turn });
      return [id, (at - Date.parse(turn)) / 1000];
    });
    const seconds: Record<string, number> = Object.fromEntries(await Promise.all(late));
    return { seconds, runs };
  };
  const expectPunctual = (seconds: Record<string, number>) => {
    for (const late of Object.values(seconds)) expect(late).toBeGreaterThan(-0.5);
    // A tenth of a second of ours is two of theirs; a machine that is busy takes longer. The next look at the clock
    // for a poll is a minute later.
    for (const late of Object.values(seconds)) expect(late).toBeLessThan(30);
  };

  test.concurrent("a lead at 05:55:00, a window at 05:54 and a lag that ends, with the service away", async () => {
    const config = {
      rules: [
        { id: "lead", when: RED, lead: "5m" },
        { id: "window", when: { between: ["05:54", "05:56"] } },
        { id: "lag", when: { between: ["04:00", "05:45"] }, lag: "10m" },
      ],
      outputs: [{ topic: "boiler/set", choose: [{ when: "lead", payload: "off" }] }],
    };
    const days = { colors: { "2026-01-13": "rouge" } };
    const { seconds, runs } = await watch(
      "2026-01-13T04:54:00Z",
      { days, config },
      {
        lead: { turn: "2026-01-13T04:55:00Z", to: "ON" },
        window: { turn: "2026-01-13T04:54:00Z", to: "ON" },
        lag: { turn: "2026-01-13T04:55:00Z", to: "OFF" },
      },
    );
    expectPunctual(seconds);
    await runs.observer.until(
      () => runs.payloadsSentTo("boiler/set").join() === "off",
      "the boiler was told",
    );
  });

  test.concurrent("what-if: Prices change · a new price row and a tariff day at 06:00:00", async () => {
    const rates = [
      { from: "2020-01-01", ...ROW },
      { from: "2026-02-01", ...ROW, bleu: { hp: 0.4, hc: 0.4 } },
    ];
    const config = {
      rules: [
        { id: "dear", when: { rate: { above: 0.3 } } },
        { id: "sunday", when: { weekday: ["sun"] } },
      ],
      tariff: { rates_first: "owner", rates },
    };
    const turn = { turn: "2026-02-01T05:00:00Z", to: "ON" } as const;
    const running = { days: { colors: {} }, config };
    const { seconds } = await watch("2026-02-01T05:00:00Z", running, { dear: turn, sunday: turn });
    expectPunctual(seconds);
  });

  test.concurrent("a hold over kills ends at its own instant, and the forecast of that instant counts", async () => {
    const days: PlainDays = { colors: {} };
    const when = { day: "next_7_days", color: "rouge" };
    const config = {
      rules: [
        { id: "held", when, hold: "20m" },
        { id: "free", when },
      ],
    };
    const runs = await prepareRuns(cleanup, { days, config });
    const first = await runs.startRun(Date.parse("2026-01-13T12:00:00Z"), 1);
    await runs.until({ "rules/held/state": "OFF", "now/official": "ON", "next/official": "ON" });
    // An official colour that is new in a later run would end the hold, so all of them are saved.
    await first.vigie.end("SIGTERM");
    days.colors = { "2026-01-15": "rouge" };
    const second = await runs.startRun(Date.parse("2026-01-13T13:00:00Z"), 1);
    await runs.until({ "rules/held/state": "ON", "rules/free/state": "ON", "rules/held/since": /T13:00/ });
    const began = Date.parse(runs.payloadOf("rules/held/since") ?? "");
    await runs.untilSaved("held", true);
    await second.kill();
    days.colors = {};
    const third = await runs.startRun(second.time.clock.now(), 1);
    await runs.until({ "rules/free/state": "OFF" });
    expect(runs.payloadOf("rules/held/state")).toBe("ON");
    await third.kill();
    const end = began + 20 * MINUTE;
    const fourth = await runs.startRun(end - 10_000, 5);
    await runs.until({ "rules/held/state": "OFF", "rules/held/since": /T13:2\d:/ });
    expect(fourth.time.clock.now()).toBeGreaterThanOrEqual(end);
  });
});
