import { afterAll, describe, expect, test } from "vitest";
import { withoutFakeTime } from "../support/fake-time.ts";
import { openStory, type Story } from "../support/lives.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import type { PlainDays } from "../support/plain-days.ts";
import { openYard } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const MINUTE = 60_000;
/** A second of ours is twenty of theirs. */
const SPEED = 20;
const RED = { all: [{ day: "now", color: "rouge" }, { period: "hp" }] };
const ROW = { bleu: { hp: 0.1, hc: 0.1 }, blanc: { hp: 0.1, hc: 0.1 }, rouge: { hp: 0.1, hc: 0.1 } };

describe.skipIf(reason)(`rules turn at their own instant ${reason}`, () => {
  const yard = openYard();
  afterAll(yard.clear);

  /** When each rule was seen to turn, in seconds after the instant at which it was to. */
  const watch = async (
    story: Story,
    from: string,
    rules: Record<string, { turn: string; to: "ON" | "OFF" }>,
  ) => {
    // The polls of an hour are over before.
    const life = await story.begin(Date.parse(from) - 2 * MINUTE, SPEED);
    await story.until({ availability: "online", "service/status": "ok" });
    const early = Object.entries(rules).map(([id, { to }]) => [
      `rules/${id}/state`,
      to === "ON" ? "OFF" : "ON",
    ]);
    await story.until(Object.fromEntries(early));
    story.away = true;
    const late = Object.entries(rules).map(async ([id, { turn, to }]) => {
      await story.until({ [`rules/${id}/state`]: to });
      const at = life.time.clock.now();
      await story.until({ [`rules/${id}/since`]: turn });
      return [id, (at - Date.parse(turn)) / 1000];
    });
    const seconds: Record<string, number> = Object.fromEntries(await Promise.all(late));
    return seconds;
  };
  const expectPunctual = (seconds: Record<string, number>) => {
    for (const late of Object.values(seconds)) expect(late).toBeGreaterThan(-0.5);
    // A tenth of a second of ours is two of theirs; a machine that is busy takes longer.
    for (const late of Object.values(seconds)) expect(late).toBeLessThan(SPEED / 2);
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
    const story = await openStory(yard, { days: { colors: { "2026-01-13": "rouge" } }, config });
    const seconds = await watch(story, "2026-01-13T04:54:00Z", {
      lead: { turn: "2026-01-13T04:55:00Z", to: "ON" },
      window: { turn: "2026-01-13T04:54:00Z", to: "ON" },
      lag: { turn: "2026-01-13T04:55:00Z", to: "OFF" },
    });
    expectPunctual(seconds);
    await story.observer.until(() => story.told("boiler/set").join() === "off", "the boiler was told");
  });

  test.concurrent("a new price row and a tariff day at 06:00:00", async () => {
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
    const story = await openStory(yard, { days: { colors: {} }, config });
    const turn = { turn: "2026-02-01T05:00:00Z", to: "ON" } as const;
    const seconds = await watch(story, "2026-02-01T05:00:00Z", { dear: turn, sunday: turn });
    expectPunctual(seconds);
  });

  test.concurrent("a hold over deaths: it ends at its own instant, and what the forecast says by then counts", async () => {
    const days: PlainDays = { colors: {} };
    const when = { day: "next_7_days", color: "rouge" };
    const config = {
      rules: [
        { id: "held", when, hold: "3m" },
        { id: "free", when },
      ],
    };
    const story = await openStory(yard, { days, config });
    const first = await story.begin(Date.parse("2026-01-13T12:00:00Z"), 60);
    await story.until({ "service/status": "ok", "rules/held/state": "OFF" });
    await first.kill();
    days.colors = { "2026-01-15": "rouge" };
    const second = await story.begin(Date.parse("2026-01-13T13:00:00Z"), 60);
    await story.until({ "rules/held/state": "ON", "rules/free/state": "ON" });
    const began = Date.parse(story.holds("rules/held/since") ?? "");
    await second.kill();
    days.colors = {};
    const third = await story.begin(second.time.clock.now(), 60);
    await story.until({ "rules/free/state": "OFF" });
    expect(story.holds("rules/held/state")).toBe("ON");
    await story.until({ "rules/held/state": "OFF", "rules/held/since": isoAt(began + 3 * MINUTE) });
    expect(third.time.clock.now()).toBeGreaterThanOrEqual(began + 3 * MINUTE);
  });
});

function isoAt(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
