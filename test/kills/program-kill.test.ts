import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/calendar/dates.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { parseState } from "../../src/state/state-format.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { LONG } from "../support/long.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { startPlainService } from "../support/plain-service.ts";
import { vigieConfig } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const DEATHS = LONG ? 100 : 10;
const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`kill -9 at any instant under load ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test(`what-if: The power fails · the state file reads back each time and the topics are right again (${DEATHS} deaths)`, {
    timeout: 10_000 + DEATHS * 6_000,
  }, async () => {
    const random = randomFrom("deaths");
    let today = "2026-01-01";
    // Each answer says something new, so each is worth a write.
    const service = await startPlainService((path) => ({ body: newsOf(path, today, random) }));
    cleanup.add(service.stop);
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const observer = await observe(broker.url, "vigie/#");
    cleanup.add(observer.disconnect);
    const folder = await cleanup.createFolder();
    const config = vigieConfig(service.url, broker.url);
    const right = () => {
      const said = (name: string) => observer.retained.get(`vigie/${name}`);
      return said("today/date") === today && said("today/color") === "rouge" && said("d3/color") === "bleu";
    };

    let written = 0;
    for (let death = 0; death < DEATHS; death += 1) {
      today = addDays(today, 1);
      const time = startFakeTime(`${today}T13:00:00Z`, 240);
      const vigie = await cleanup.startVigie({ folder, config, env: time.env() });
      const asking = setInterval(() => void observer.publish("vigie/refresh/set", "PRESS", false), 50);
      cleanup.add(async () => clearInterval(asking));
      // Every other one dies in the middle of its start, or soon after.
      if (death % 2 === 0) await observer.until(right, `the topics are right on ${today}`);
      await pause(random() * 800);
      clearInterval(asking);
      await vigie.end("SIGKILL");
      const text = await readFile(join(folder, "state", "state.json"), "utf8").catch(() => "");
      if (text !== "") written = Object.keys(parseState(text).books).length;
      expect(vigie.lines.some(({ msg }) => /damaged|unreadable/.test(msg))).toBe(false);
    }
    expect(written).toBe(1);
    today = addDays(today, 1);
    await cleanup.startVigie({ folder, config, env: startFakeTime(`${today}T13:00:00Z`, 240).env() });
    await observer.until(right, "the topics are right in the end");
    expect(observer.retained.get("vigie/availability")).toBe("online");
  });
});

function newsOf(path: string, today: string, random: () => number): unknown {
  const say = (ahead: number) => ({
    date: addDays(today, ahead),
    color: ahead === 0 ? "rouge" : "bleu",
    confidence: Math.round(random() * 100) / 100,
    explanation: "much ado ".repeat(20),
  });
  if (path === "/v1/public")
    return { today: say(0), tomorrow: say(1), forecast: [2, 3, 4, 5, 6, 7].map(say) };
  const date = path.slice("/v1/public/".length);
  if (/^\d/.test(date)) return { date, color: date === today ? "rouge" : "bleu", is_official: date <= today };
  return path.includes("history") ? [] : {};
}
