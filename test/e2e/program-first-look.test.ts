import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import { createCleanup, runHere, type Vigie } from "../support/vigie.ts";

const SHIPPED = join(import.meta.dirname, "..", "..", "config", "vigie.yaml");

describe("the shipped configuration in an empty folder", () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const portOf = async (vigie: Vigie) => /port (\d+) only/.exec(await vigie.prints(/port (\d+) only/))?.[1];

  test("shows on one screen invented days, today, tomorrow, the broker's port and the next command; is found by show and health at once, also when 1883 is taken, and health knows a death", async () => {
    cleanup.add(await holdPort(1883));
    const folder = await cleanup.createFolder();
    const options = { folder, env: { VIGIE_CONFIG: SHIPPED, RUNTIME_DIRECTORY: folder } };
    const today = () => civilDate(Date.now(), "Europe/Paris");
    const before = today();
    const vigie = await cleanup.startVigie(options);
    const port = await portOf(vigie);
    await vigie.prints(/the README\./);
    const screen = vigie.output();
    expect(screen).toMatch(/INVENTED/);
    const shown = /today +(\S+) +(?:bleu|blanc|rouge) /.exec(screen)?.[1] ?? "";
    // Midnight may have come meanwhile.
    expect([before, today()]).toContain(shown);
    expect(screen).toMatch(new RegExp(`tomorrow +${addDays(shown, 1)} +(bleu|blanc|rouge) `));
    expect(screen).toContain("npx vigie show --watch");
    expect(screen).toContain("npx vigie simulate rouge");
    expect(screen).toContain("npx vigie demo");
    expect(screen).toContain("Two simulated devices are connected to it");
    expect(screen).toContain(`mosquitto_sub -h 127.0.0.1 -p ${port} -v -t 'vigie/#'`);

    expect(port).not.toBe("1883");

    // A start that takes longer than three seconds shows its screen before its topics are out.
    await expect
      .poll(async () => JSON.parse((await runHere({ ...options, args: ["show", "--json"] })).stdout))
      .toMatchObject({
        "service/status": "simulated",
        "now/color": expect.stringMatching(/^(bleu|blanc|rouge)$/),
      });
    const page = await runHere({ ...options, args: ["show"] });
    expect(page.stdout).toContain(`vigie on mqtt://127.0.0.1:${port}, vigie: online`);
    expect(page.stdout).toContain("INVENTED");

    const pretended = await runHere({ ...options, args: ["simulate", "blanc:next", "--for", "10m"] });
    expect(pretended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^blanc is pretended for /) });

    const well = await runHere({ ...options, args: ["health"] });
    expect(well).toMatchObject({ code: 0, stderr: "" });
    expect(well.stdout).toMatch(/^vigie runs; broker reached at .*; data invented: /);
    await vigie.end("SIGKILL");
    const dead = await runHere({ ...options, args: ["health"] });
    expect(dead.code).toBe(1);
    expect(dead.stderr).toMatch(/vigie does not run: its process \d+ has ended/);
  });
});

/** Whoever else holds it does as well; it is held here as soon as they leave it. */
async function holdPort(port: number): Promise<() => Promise<unknown>> {
  const holder = createServer((socket) => socket.destroy());
  const hold = () => holder.listen(port, "127.0.0.1");
  let again: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    holder.once("listening", resolve).on("error", () => {
      again = setTimeout(hold, 5);
      resolve();
    });
    hold();
  });
  return () => {
    clearTimeout(again);
    return new Promise((resolve) => holder.close(resolve));
  };
}
