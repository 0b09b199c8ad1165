import { afterAll, describe, expect, test } from "vitest";
import { DAILY_BUDGET } from "../../src/service/request-limits.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { openHouse } from "../support/house.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { startPlainService } from "../support/plain-service.ts";
import { openYard } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`an impatient finger on the refresh button ${reason}`, () => {
  const yard = openYard();
  afterAll(yard.clear);

  test("costs the service no more than the day's budget, and the house no hourly poll", async () => {
    const service = await startPlainService(() => ({ body: SAID }));
    yard.later(service.stop);
    const time = startFakeTime("2026-01-05T13:00:00Z", 240);
    const house = await openHouse(yard, { service: service.url, time });
    await house.until({ availability: "online" });
    const asking = setInterval(() => void house.observer.publish("vigie/refresh/set", "PRESS", false), 50);
    yard.later(async () => clearInterval(asking));

    await house.vigie.says(/has sent all requests that it may send today/);
    const spent = service.asked.length;
    expect(spent).toBeLessThanOrEqual(DAILY_BUDGET);
    await house.observer.until(() => service.asked.length > spent, "the hourly poll went on", 40_000);
    // A poll asks a handful of questions.
    expect(service.asked.length).toBeLessThan(DAILY_BUDGET + 8);
    const said = house.vigie.lines.filter(({ msg }) => msg.includes("has sent all requests"));
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
