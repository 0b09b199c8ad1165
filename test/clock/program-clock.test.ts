import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addDays, civilDate, dayStart, tariffDate } from "../../src/core/calendar/dates.ts";
import { settableTime, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe, type ReceivedMessage } from "../support/observer.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { copyState, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { PARIS } from "../support/tariff.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`a machine whose clock is wrong ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  /** A vigie whose wall clock is set by hand; time goes on as it does. */
  const withClock = async (offset: string, service: string, state?: string) => {
    const folder = await cleanup.createFolder();
    if (state !== undefined) await copyState(state, folder);
    const clock = join(folder, "clock");
    const set = (to: string) => writeFile(clock, `${to}\n`);
    await set(offset);
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const observer = await observe(broker.url, "vigie/#");
    cleanup.add(observer.disconnect);
    const config = vigieConfig(service, broker.url);
    const vigie = await cleanup.startVigie({ folder, config, env: settableTime(clock) });
    const until = (wanted: Record<string, string>) =>
      observer.until(
        ({ retained }) =>
          Object.entries(wanted).every(([name, value]) => retained.get(`vigie/${name}`) === value),
        `${JSON.stringify(wanted)}; vigie said ${vigie.output()}`,
      );
    return { set, until, vigie, observer };
  };
  const NOTHING_OF_NOW = {
    "now/date": "None",
    "now/color": "None",
    "today/date": "None",
    rouge_now: "None",
    offpeak: "None",
    "service/problem": "ON",
    "service/problem_code": "clock",
  };
  const today = () => civilDate(Date.now(), "Europe/Paris");
  const tariffDay = () => tariffDate(Date.now(), PARIS);

  test.concurrent("what-if: The clock is wrong · behind its own state file publishes nothing of the moment, until the clock is corrected", async () => {
    const real = startFakeTime(new Date().toISOString(), 1);
    const simulator = await startFaultyService({ port: 0, seed: 1, clock: real.clock, sendDate: false });
    cleanup.add(simulator.stop);
    const first = await startVigieAndBroker(cleanup, { service: simulator.url });
    await first.until({
      availability: "online",
      "service/status": "ok",
      "season/left/rouge": /\d/,
      "now/color": /^(bleu|blanc|rouge)$/,
    });
    await first.vigie.end();
    simulator.faults.set(["down"]);

    const running = await withClock("-1d", simulator.url, first.folder);
    await running.until({ availability: "online", ...NOTHING_OF_NOW });
    await running.vigie.says(/The clock of this machine is wrong/);
    const color = first.observer.retained.get("vigie/now/color") ?? "";
    expect(
      running.observer.received.some(
        ({ topic, payload }) => topic === "vigie/now/color" && payload !== "None",
      ),
    ).toBe(false);
    await running.set("+0");
    await running.until({ "now/color": color, "today/date": today() });
    await running.vigie.says(/The clock went forward by 2\d h|The clock went forward by 1 d|clock was set/);
    await running.vigie.says(/The clock of this machine is right again/);
  });

  test.concurrent.each(["-2h", "-3d", "+3d"])(
    "and %s from the service's Date says nothing of the moment, until the clock is set right",
    async (offset) => {
      const service = await startPlainService((path) => ({
        ...answerDays(path, Date.now(), { colors: {} }),
        headers: { date: new Date().toUTCString() },
      }));
      cleanup.add(service.stop);
      const running = await withClock(offset, service.url);
      await running.until({ availability: "online", ...NOTHING_OF_NOW });
      // Dates are true whenever they are read.
      await running.observer.until(
        ({ retained }) => retained.get("vigie/forecast")?.includes(`"${today()}"`) === true,
        "the forecast has today",
      );
      await running.set("+0");
      await running.until({
        "today/date": today(),
        "today/color": "bleu",
        "now/date": tariffDay(),
        "now/color": "bleu",
        rouge_now: "OFF",
      });
    },
  );

  test.concurrent("and corrected by minutes, topics with an expiry are sent again: the broker counts by its own clock", async () => {
    const service = await startPlainService((path) => ({
      ...answerDays(path, Date.now(), { colors: {} }),
      headers: { date: new Date().toUTCString() },
    }));
    cleanup.add(service.stop);
    const running = await withClock("+20m", service.url);
    await running.until({ availability: "online", "now/color": "bleu", "service/status": "ok" });
    const told = () => running.observer.received.filter(({ topic }) => topic === "vigie/now/color");
    const before = told();
    expect(secondsWrong(before.at(-1), 20 * MINUTE)).toBeLessThan(120);
    await running.set("+0");
    await running.vigie.says(/The clock was set back by 20 min/);
    await running.observer.until(() => told().length > before.length, "now/color was told once more");
    expect(told().at(-1)?.payload).toBe("bleu");
    expect(secondsWrong(told().at(-1), 0)).toBeLessThan(120);
  });

  test.concurrent("is used when check_clock is off, and when no evidence contradicts it", async () => {
    const running = await withClock("-1d", `http://${NOBODY}`);
    // 24 hours: after a day of 23 hours another date than the day before.
    const dayBefore = civilDate(Date.now() - 86_400_000, "Europe/Paris");
    await running.until({ availability: "online", "today/date": dayBefore, "now/color": "None" });
  });
});

/**
 * How far the expiry of a message about the tariff day in force is from the end of that day and ten minutes more
 * (`mqtt.grace`), by a clock that is ahead. A message needs some time from vigie to the observer, on a busy machine too.
 */
function secondsWrong(message: ReceivedMessage | undefined, ahead: number): number {
  const { at, expiry } = message ?? { at: 0, expiry: undefined };
  const now = at + ahead;
  const end = dayStart(addDays(tariffDate(now, PARIS), 1), PARIS) + 10 * MINUTE;
  return Math.abs((expiry ?? Number.NaN) - (end - now) / 1_000);
}

const MINUTE = 60_000;
