import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bleuDaysWith } from "../support/bleu-days.ts";
import { type FakeTime, MINUTE, SPEED, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { LONG } from "../support/long.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { type PlainAnswer, startPlainService } from "../support/plain-service.ts";
import { startVigieAndBroker, startVigieBefore } from "../support/running-vigie.ts";
import type { FaultName } from "../support/service-faults.ts";
import { createCleanup } from "../support/vigie.ts";

const NO_DAYS = new Map<string, "rouge" | "bleu">();
const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`the built program at ${SPEED} times real speed ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const simulator = async (time: FakeTime, days = NO_DAYS, faults: FaultName[] = []) => {
    const clock = { clock: time.clock, sendDate: false };
    const running = await startFaultyService({ port: 0, seed: 3, ...clock, days, faults });
    cleanup.add(running.stop);
    return running;
  };
  const simulate = async (...asked: Parameters<typeof simulator>) => (await simulator(...asked)).url;

  test.concurrent.each([
    { night: "clocks go forward", at: "2026-03-29T04:00:00Z", before: "2026-03-28", after: "2026-03-29" },
    { night: "clocks go back", at: "2026-10-25T05:00:00Z", before: "2026-10-24", after: "2026-10-25" },
  ])("in the night in which $night the tariff day turns at 06:00 on the wall", async (row) => {
    const { until, expectPunctual } = await startVigieBefore(cleanup, { at: row.at, service: simulate });
    await until({ "now/date": row.before, "now/period": "hc", "now/period_until": row.at });
    await until({ "now/date": row.after, "now/period": "hp" });
    expectPunctual();
  });

  test.concurrent.each([
    { date: "1 April", at: "2026-03-31T22:00:00Z", until: "2026-04-01T00:00:00Z" },
    { date: "1 November", at: "2026-10-31T23:00:00Z", until: "2026-11-01T01:00:00Z" },
  ])("other off-peak hours begin at 00:00 of $date, in the middle of the night", async (row) => {
    const summer = ["apr", "may", "jun", "jul", "aug", "sep", "oct"];
    const [early, late] = [["22:00-06:00"], ["02:00-07:00", "22:00-24:00"]];
    const windows =
      row.date === "1 April" ? { summer: late, winter: early } : { summer: early, winter: late };
    const off_peak = [{ months: summer, windows: windows.summer }, { windows: windows.winter }];
    const { until, expectPunctual } = await startVigieBefore(cleanup, {
      at: row.at,
      service: simulate,
      config: { tariff: { off_peak }, rules: [{ id: "night", when: { period: "hc" } }] },
    });
    await until({
      "now/period": "hc",
      offpeak: "ON",
      "rules/night/state": "ON",
      "now/period_until": row.at,
      "next_change/period": row.at,
    });
    await until({
      "now/period": "hp",
      offpeak: "OFF",
      "rules/night/state": "OFF",
      "now/period_until": row.until,
      "next_change/period": row.until,
    });
    expectPunctual();
  });

  test.concurrent("a service that is not the simulator is understood, odd spellings and gaps included", async () => {
    const service = await startPlainService(
      (path) => ODD_ANSWERS[path] ?? { status: 422, body: { detail: [] } },
    );
    cleanup.add(service.stop);
    const { vigie, until, expectPunctual } = await startVigieBefore(cleanup, {
      at: "2026-01-05T05:00:00Z",
      service: async () => service.url,
      lead: 12,
    });
    await until({
      "today/color": "rouge",
      "tomorrow/color": "blanc",
      "tomorrow/confidence": "87",
      "tomorrow/official": "OFF",
      "d2/color": "None",
      "d3/color": "bleu",
      "today/official": "ON",
    });
    await until({ "service/last_error": /refused GET .v1.public.2026-01-04: status 422|season.*500/ });
    await until({ "now/color": "rouge", rouge_hp_now: "ON", "next/color": "blanc" });
    expectPunctual();
    expect(vigie.lines.filter(({ msg }) => msg.includes("VIOLET"))).toHaveLength(1);
  });

  test.concurrent("the simulator as a program of its own, on the same clock: its Date header is accepted", async () => {
    const folder = await cleanup.createFolder();
    await writeFile(join(folder, "days.csv"), "date,color\n2026-01-05,rouge\n2026-01-06,blanc\n");
    const args = ["simulator", "--port", "0", "--days", "days.csv"];
    const { payloadsOf, until, expectPunctual } = await startVigieBefore(cleanup, {
      at: "2026-01-05T05:00:00Z",
      service: async (time) => {
        const program = await cleanup.startVigie({ folder, args, env: time.env() });
        return program.prints(/http:[/][/]127[.]0[.]0[.]1:\d+/);
      },
      // A first answer that is too slow for this clock is a problem of the service, until the next poll.
      before: { "today/color": "rouge", "today/official": "ON", "service/problem_code": "none" },
      lead: 12,
    });
    expect(payloadsOf("now/date", "rouge_now")).toEqual({ "now/date": "2026-01-04", rouge_now: "OFF" });
    await until({ "now/color": "rouge", rouge_hp_now: "ON", "now/official": "ON" });
    expectPunctual();
  });

  test.concurrent("what-if: A colour is corrected · an official bleu that becomes rouge at 11:00 is on the broker within one poll, as a revision", async () => {
    const days = bleuDaysWith("2025-09-01", "2026-02-01", { "2026-01-06": "rouge" } as const);
    const service = (time: FakeTime) => simulate(time, days, ["revised"]);
    const first = await startVigieBefore(cleanup, { at: "2026-01-05T05:35:00Z", service });
    await first.until({
      "tomorrow/color": "bleu",
      "tomorrow/stage": "announced",
      "announcement/stage": "announced",
    });
    // It is looked for every five minutes.
    first.expectPunctual(5 * MINUTE);
    await first.vigie.end();

    const running = await startVigieBefore(cleanup, {
      at: "2026-01-05T10:00:00Z",
      service,
      state: first.folder,
      before: { "tomorrow/color": "bleu", rouge_next: "OFF" },
      lead: 12,
    });
    await running.until({ "tomorrow/color": "rouge", rouge_next: "ON", "tomorrow/stage": "announced" });
    // What is official is asked for again every half hour, until it is final.
    running.expectPunctual(30 * MINUTE);
    await running.until({ "service/problem_code": "revised" });
    const warning = await running.vigie.says(/6 January was corrected: it is rouge, no longer bleu/);
    expect(warning.level).toBe("warn");
    await running.observer.until(
      ({ received }) =>
        received.some(({ topic, payload }) => topic === "vigie/event" && /revised/.test(payload)),
      "the event of the revision came",
    );
    const events = running.observer.received.filter(({ topic }) => topic === "vigie/event");
    expect(events.map(({ payload, retain }) => ({ retain, ...JSON.parse(payload) }))).toContainEqual({
      retain: false,
      event_type: "revised",
      date: "2026-01-06",
      color: "rouge",
      from: "bleu",
    });
  });

  test.runIf(LONG)(
    "one process lives through a whole rouge day, the service away since the evening before",
    { timeout: 600_000 },
    async () => {
      const time = startFakeTime("2026-01-04T19:00:00Z", SPEED);
      const days = bleuDaysWith("2025-09-01", "2026-02-01", { "2026-01-05": "rouge" } as const);
      const service = await simulator(time, days);
      const running = await startVigieAndBroker(cleanup, { service: service.url, time });
      await running.until({ "service/status": "ok", "next/color": "rouge" });
      service.faults.set(["down"]);
      const turns: [string, Record<string, string>][] = [
        ["2026-01-04T23:00:00Z", { "today/color": "rouge", rouge_today: "ON" }],
        ["2026-01-05T05:00:00Z", { "now/color": "rouge", rouge_hp_now: "ON", "service/status": "down" }],
        ["2026-01-05T21:00:00Z", { "now/slot": "rouge_hc", rouge_hp_now: "OFF", rouge_now: "ON" }],
        ["2026-01-06T05:00:00Z", { "now/date": "2026-01-06", "now/official": "OFF" }],
      ];
      for (const [at, wanted] of turns) {
        await running.until(wanted, 300_000);
        expect(time.clock.now()).toBeGreaterThanOrEqual(Date.parse(at));
        expect(time.clock.now()).toBeLessThan(Date.parse(at) + 10 * MINUTE);
      }
      expect(running.observer.received.some(({ payload }) => payload === "offline")).toBe(false);
    },
  );
});

const ODD_ANSWERS: Record<string, PlainAnswer> = {
  "/v1/public": {
    body: `{"today": {"date": "2026-01-05", "color": "  Tempo_Rouge ", "extra": [1, 2]},
      "tomorrow": {"date": "2026-01-06", "color": "White", "confidence": 87, "rates": {"hp": null}},
      "forecast": [{"date": "2026-01-07", "color": "VIOLET"}, {"date": "2026-01-08", "color": 1},
        {"date": "soon", "color": "rouge"}, null, {"color": "rouge"}]}`,
  },
  "/v1/public/2026-01-05": { body: '{"date": "2026-01-05", "color": "ROUGE", "is_official": true}' },
  "/v1/public/2026-01-06": {
    body: '{"date": "2026-01-06", "color": "white", "is_official": false, "confidence": 87}',
  },
  "/v1/public/season": { status: 500, body: "oops", headers: { "content-type": "text/plain" } },
};
