import { afterAll, describe, expect, test, vi } from "vitest";
import { civilDate } from "../../src/core/calendar/dates.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { serveRte } from "../support/rte.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`official colours from RTE ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  // A tariff without laws allows the same colours on every day of the year: the test runs on any of them.
  const tariff = { laws: "off" };

  test.concurrent("go on while the service is dead, and are no announcement that is late", async () => {
    const rte = await serveRte(cleanup, "bleu");
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
    const rte = await serveRte(cleanup, "blanc");
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
    const rte = await serveRte(cleanup, "blanc");
    const running = await startVigieAndBroker(cleanup, {
      service: rte.url,
      config: { official: { source: "off" } },
    });
    await running.until({ availability: "online", "official/status": "off" });
    await running.vigie.says(/The answer to GET .*public cannot be read/);
    expect(rte.asked.filter((path) => path.startsWith("/tempo"))).toEqual([]);
  });
});
