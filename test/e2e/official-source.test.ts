import { afterAll, describe, expect, test, vi } from "vitest";
import { addDays, civilDate, tariffDate } from "../../src/core/calendar/dates.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { type PlainAnswer, startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { PARIS } from "../support/tariff.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

const WORDS = { bleu: "BLUE", blanc: "WHITE" } as const;

/** RTE, written by hand: each day of the season is bleu, and today and tomorrow are as given. */
function answerOfRte(path: string, ahead: keyof typeof WORDS): PlainAnswer {
  const today = civilDate(Date.now(), "Europe/Paris");
  const values: Record<string, string> = {};
  if (path === "/tempoLight") {
    for (const date of [today, addDays(today, 1)]) values[date] = WORDS[ahead];
  } else {
    const label = /^\/tempo\?season=(\d{4}-\d{4})$/.exec(path)?.[1] ?? "";
    for (let date = `${label.slice(0, 4)}-09-01`; date < today; date = addDays(date, 1))
      values[date] = "BLUE";
  }
  return { body: { values }, headers: { date: new Date().toUTCString() } };
}

describe.skipIf(withoutMosquitto)(`official colours from RTE ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const serveRte = async (ahead: keyof typeof WORDS) => {
    const rte = await startPlainService((path) => answerOfRte(path, ahead));
    cleanup.add(rte.stop);
    return rte;
  };
  // A tariff without laws allows the same colours on every day of the year: the test runs on any of them.
  const tariff = { laws: "off" };

  test.concurrent("are all that vigie needs: without a service, today and tomorrow are right", async () => {
    const rte = await serveRte("bleu");
    const running = await startVigieAndBroker(cleanup, {
      service: "none",
      config: { official: { source: rte.url } },
    });
    await running.until({ availability: "online", "service/status": "off", "official/status": "ok" });
    await running.until({ "today/color": "bleu", "tomorrow/color": "bleu", "tomorrow/official": "ON" });
    await running.until({ "d2/color": "None", "service/problem_code": "none", "prices/source": "owner" });
    await running.until({
      "season/used/rouge": "0",
      "season/left/rouge": "22",
      "season/total/rouge": "None",
    });
    expect(JSON.parse(running.payloadOf("season") ?? "")).toMatchObject({
      assumed: true,
      label: seasonOf(tariffDate(Date.now(), PARIS)).label,
      days_remaining: null,
    });
    const health = await runVigie({ folder: running.folder, config: running.config, args: ["health"] });
    expect(health.stdout).toMatch(/data fresh: the official source answered/);
    const { label } = seasonOf(civilDate(Date.now(), "Europe/Paris"));
    expect(rte.asked).toEqual(["/tempoLight", `/tempo?season=${label}`]);
  });

  test.concurrent("go on while the service is dead, and are no announcement that is late", async () => {
    const rte = await serveRte("bleu");
    const running = await startVigieAndBroker(cleanup, {
      service: `http://${NOBODY}`,
      config: { official: { source: rte.url }, tariff },
    });
    await running.until({
      "today/color": "bleu",
      "tomorrow/color": "bleu",
      "official/status": "ok",
      "service/problem_code": "service",
      "announcement/late": "OFF",
    });
  });

  test.concurrent("that contradict the service's are shown beside them", async () => {
    const rte = await serveRte("blanc");
    const service = await startPlainService((path) => {
      const date = /(\d{4}-\d\d-\d\d)$/.exec(path)?.[1];
      if (path.includes("history") || path.includes("season")) return { status: 400, body: {} };
      if (date) return { body: { date, color: "bleu", is_official: true } };
      const today = civilDate(Date.now(), "Europe/Paris");
      return { body: { today: { date: today, color: "bleu" }, tomorrow: null, forecast: [] } };
    });
    cleanup.add(service.stop);
    const running = await startVigieAndBroker(cleanup, {
      service: service.url,
      config: { official: { source: rte.url }, tariff },
    });
    await running.vigie.says(/RTE and the service contradict each other about /);
    await running.until({ "today/color": "blanc", "tomorrow/color": "blanc" });
    await vi.waitFor(() => {
      const today = JSON.parse(running.payloadOf("today") ?? "");
      expect(today.official_by).toEqual({ service: "bleu", rte: "blanc" });
    }, PATIENCE);
    const page = await runVigie({ folder: running.folder, config: running.config, args: ["show"] });
    expect(page.stdout).toContain(": RTE says blanc, the service says bleu");
  });

  test.concurrent("are asked of nobody with official.source: off", async () => {
    const rte = await serveRte("blanc");
    const running = await startVigieAndBroker(cleanup, {
      service: rte.url,
      config: { official: { source: "off" } },
    });
    await running.until({ availability: "online", "official/status": "off" });
    await running.vigie.says(/The answer to GET .*history/);
    expect(rte.asked.filter((path) => path.startsWith("/tempo"))).toEqual([]);
  });
});
