import { afterAll, describe, expect, test } from "vitest";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { startPlainService } from "../support/plain-service.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`an impatient finger on the refresh button ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("what-if: The refresh button is hammered · causes no more requests than the day's budget, and the hourly polls go on", async () => {
    const service = await startPlainService(() => ({ body: SAID }));
    cleanup.add(service.stop);
    const time = startFakeTime("2026-01-05T13:00:00Z", 240);
    const running = await startVigieAndBroker(cleanup, { service: service.url, time });
    await running.until({ availability: "online" });
    const asking = setInterval(() => void running.observer.publish("vigie/refresh/set", "PRESS", false), 50);
    cleanup.add(async () => clearInterval(asking));

    await running.vigie.says(/has sent all requests that it may send today/);
    const spent = service.asked.length;
    expect(spent).toBeLessThanOrEqual(FORECAST_SERVICE.budget);
    await running.observer.until(() => service.asked.length > spent, "the hourly poll went on");
    // A poll asks a handful of questions.
    expect(service.asked.length).toBeLessThan(FORECAST_SERVICE.budget + 8);
    const said = running.vigie.lines.filter(({ msg }) => msg.includes("has sent all requests"));
    expect(said.length).toBeLessThan(4);
  });
});

const SAID = {
  date: "2026-01-05",
  color: "bleu",
  is_official: true,
  today: { date: "2026-01-05", color: "bleu" },
  tomorrow: { date: "2026-01-06", color: "bleu" },
};
