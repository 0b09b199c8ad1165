import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import { createCleanup, runVigie, type Vigie, type VigieOptions } from "../support/vigie.ts";

const SHIPPED = join(import.meta.dirname, "..", "..", "config", "vigie.yaml");

describe("the shipped configuration in an empty folder", () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const empty = async (): Promise<VigieOptions> => ({
    folder: await cleanup.createFolder(),
    env: { VIGIE_CONFIG: SHIPPED },
  });
  const portOf = async (vigie: Vigie) => /port (\d+) only/.exec(await vigie.prints(/port (\d+) only/))?.[1];

  test("shows on one screen invented days, today, tomorrow, the broker's port and the next command", async () => {
    const today = () => civilDate(Date.now(), "Europe/Paris");
    const before = today();
    const vigie = await cleanup.startVigie(await empty());
    const port = await portOf(vigie);
    await vigie.prints(/the README\./);
    const screen = vigie.output();
    expect(screen).toMatch(/INVENTED/);
    const shown = /today +(\S+) +(?:bleu|blanc|rouge) /.exec(screen)?.[1] ?? "";
    // Midnight may have come meanwhile.
    expect([before, today()]).toContain(shown);
    expect(screen).toMatch(new RegExp(`tomorrow +${addDays(shown, 1)} +(bleu|blanc|rouge) `));
    expect(screen).toContain("npx vigie show --watch");
    expect(screen).toContain("npx vigie demo");
    expect(screen).toContain("Two simulated devices are connected to it");
    expect(screen).toContain(`mosquitto_sub -h 127.0.0.1 -p ${port} -v -t 'vigie/#'`);
    expect((await vigie.end()).code).toBe(0);
    expect(vigie.lines.at(-1)?.msg).toBe("vigie has stopped");
  });

  test("is found by show and health at once, also when 1883 is taken, and health knows a death", async () => {
    const portHolder = createServer((socket) => socket.destroy()).on("error", () => undefined);
    await new Promise<void>((resolve) => {
      // Whoever else holds the port does as well.
      portHolder.once("listening", resolve).once("error", () => resolve());
      portHolder.listen(1883, "127.0.0.1");
    });
    cleanup.add(() => new Promise((resolve) => portHolder.close(resolve)));
    const options = await empty();
    const vigie = await cleanup.startVigie(options);
    const port = await portOf(vigie);
    expect(port).not.toBe("1883");

    const shown = await runVigie({ ...options, args: ["show", "--json"] });
    expect(shown.code).toBe(0);
    const topics = JSON.parse(shown.stdout);
    expect(topics["service/status"]).toBe("simulated");
    expect(topics["now/color"]).toMatch(/^(bleu|blanc|rouge)$/);
    const page = await runVigie({ ...options, args: ["show"] });
    expect(page.stdout).toContain(`vigie on mqtt://127.0.0.1:${port}, vigie: online`);
    expect(page.stdout).toContain("INVENTED");

    const well = await runVigie({ ...options, args: ["health"] });
    expect(well).toMatchObject({ code: 0, stderr: "" });
    expect(well.stdout).toMatch(/^loop alive; broker reached at .*; data invented: /);
    await vigie.end("SIGKILL");
    const dead = await runVigie({ ...options, args: ["health"] });
    expect(dead.code).toBe(1);
    expect(dead.stderr).toMatch(/loop dead: its process \d+ has ended/);
  });
});
