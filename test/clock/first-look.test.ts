import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { createCleanup, runVigie, type Vigie } from "../support/vigie.ts";

const SHIPPED = join(import.meta.dirname, "..", "..", "config", "vigie.yaml");

describe.skipIf(withoutFakeTime)(`the first look ${withoutFakeTime}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const screenOf = async (vigie: Vigie) => {
    await vigie.prints(/see also the README\./);
    return vigie.output();
  };
  const SUMMER = "No rouge day can come within a week: the tariff has them from November to March only.";

  test.each([
    // Confirmed within seconds: what its rule says, or what the season says.
    [
      "a night in November",
      "2026-11-23T02:00:00Z",
      /tomorrow {2}2026-11-24 {2}rouge {4}forecast, \d\d %/,
      "20",
    ],
    ["an afternoon in November", "2026-11-23T13:00:00Z", /tomorrow {2}2026-11-24 {2}rouge {4}final/, "21"],
    ["Christmas", "2026-12-25T13:00:00Z", /later {5}2026-12-28 {2}rouge {4}forecast, \d\d %/, "20"],
    [
      "a Saturday before Easter",
      "2027-03-27T11:00:00Z",
      /later {5}2027-03-30 {2}rouge {4}forecast, \d\d %/,
      "20",
    ],
    ["July", "2026-07-10T13:00:00Z", new RegExp(`tomorrow  2026-07-11  blanc    final\n\n  ${SUMMER}`), "20"],
  ])(
    "on %s shows a day that differs, and a device that obeys; a restart keeps both",
    async (_, from, day, setpoint) => {
      const time = startFakeTime(from, 1);
      const folder = await cleanup.createFolder();
      const start = () => cleanup.startVigie({ folder, env: { VIGIE_CONFIG: SHIPPED, ...time.env() } });
      const vigie = await start();
      const screen = await screenOf(vigie);
      expect(screen).toMatch(day);
      expect(screen.includes(SUMMER)).toBe(from.includes("-07-"));
      expect(screen.includes("rule rouge_this_week is ON")).toBe(!from.includes("-07-"));
      await vigie.says(/^Heating setpoint \(simulated\) .* has confirmed /);
      const shown = await runVigie({
        folder,
        env: { VIGIE_CONFIG: SHIPPED, ...time.env() },
        args: ["show", "--json"],
      });
      const { "outputs/heating/payload": payload, "outputs/heating/state": state } = JSON.parse(shown.stdout);
      expect([payload, state]).toEqual([setpoint, "confirmed"]);
      const said = await runVigie({
        folder,
        env: { VIGIE_CONFIG: SHIPPED, ...time.env() },
        args: ["day", "tomorrow"],
      });
      const [, color = ""] = /tomorrow +\S+ +(\w+)/.exec(screen) ?? [];
      expect(said.stdout).toMatch(new RegExp(`colour +${color}\n`));
      await vigie.end();
      const again = await start();
      expect(await screenOf(again)).toMatch(day);
      expect(again.lines.map(({ msg }) => msg).join("\n")).not.toMatch(/corrected|is announced as/);
      await again.end();
    },
  );
});
