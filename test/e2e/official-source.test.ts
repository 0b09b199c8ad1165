import { afterAll, describe, expect, test } from "vitest";
import { daysBetween, tariffDate } from "../../src/core/calendar/dates.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { serveRte } from "../support/rte.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { PARIS } from "../support/tariff.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`official colours from RTE ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  test.concurrent("readme: No account · are all that vigie needs: without a service, today and tomorrow are right", async () => {
    const rte = await serveRte(cleanup, "bleu");
    const today = tariffDate(Date.now(), PARIS);
    const season = seasonOf(today);
    const running = await startVigieAndBroker(cleanup, {
      service: "none",
      config: { official: { source: rte.url } },
    });
    await running.until({ availability: "online", "service/status": "off", "official/status": "ok" });
    await running.until({ "today/color": "bleu", "tomorrow/color": "bleu", "tomorrow/official": "ON" });
    await running.until({ "d2/color": "None", "service/problem_code": "none", "prices/source": "owner" });
    await running.until({
      "season/used/rouge": "0",
      // A season has 300 or 301 bleu days: when more of them are over, vigie does not say how many days are left.
      "season/left/rouge": daysBetween(season.start, today) < 300 ? "22" : "None",
      "season/total/rouge": "None",
      season: /"assumed":true/,
    });
    expect(JSON.parse(running.payloadOf("season") ?? "")).toMatchObject({
      assumed: true,
      label: season.label,
      days_remaining: null,
    });
    // Its file may be a second old.
    await expect
      .poll(async () => (await runVigie({ folder: running.folder, args: ["health"] })).stdout)
      .toMatch(/data fresh: the official source answered/);
    expect(rte.asked).toEqual(["/tempoLight", `/tempo?season=${season.label}`]);
  });
});
