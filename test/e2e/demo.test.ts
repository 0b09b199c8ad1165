import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addDays, datesBetween } from "../../src/core/calendar/dates.ts";
import { describeDate } from "../../src/core/days/day-events.ts";
import { inventSeason } from "../../src/simulator/invented-season.ts";
import { createCleanup, runVigie, startVigie } from "../support/vigie.ts";

/** The rules look at official colours only, so that the season alone decides when they turn. */
const CONFIG = {
  service: { base_url: "https://forecast.example.org" },
  official: { source: "rte" },
  state: "./state",
  rules: [
    {
      id: "ahead",
      when: {
        any: [
          { day: "next", color: "rouge", official: true },
          { day: "now", color: "rouge" },
        ],
      },
    },
    {
      id: "peak",
      when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
      lead: "5m",
    },
  ],
  outputs: [
    {
      topic: "boiler/set",
      choose: [{ when: "peak", payload: "off" }],
      else: "on",
      confirm: { topic: "boiler/state" },
    },
  ],
};

describe("vigie demo", () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("tells each day, announcement, turn and payload once, in order and at its minute, and touches nothing of the house", async () => {
    const folder = await cleanup.createFolder();
    let connections = 0;
    const house = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await new Promise<number>((resolve) =>
      house.listen(0, "127.0.0.1", () => resolve((house.address() as { port: number }).port)),
    );
    cleanup.add(() => new Promise((resolve) => house.close(resolve)));
    const config = { ...CONFIG, mqtt: { url: `mqtt://127.0.0.1:${port}` } };
    // As fast as this machine can: it is told that there is no more.
    const args = [
      "demo",
      "--config",
      "vigie.yaml",
      "--from",
      "2026-01-19T20:00",
      "--days",
      "3",
      "--speed",
      "100000",
    ];
    const { code, stdout, stderr } = await runVigie({ folder, config, args });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = linesOf(stdout).filter(({ words }) => !/may become rouge|any more|comes next/.test(words));
    expect(lines.map(readEvent)).toEqual([
      "2026-01-19 20:00 begins blanc",
      ...expectedEvents("2026-01-20", "2026-01-22"),
    ]);
    expect(stdout).toMatch(/The demo has shown 3 days in /);
    expect(connections).toBe(0);
    expect(existsSync(join(folder, "state"))).toBe(false);
    expect(demoFolders(folder)).toEqual([]);
  });

  test.each([
    ["loses an hour", "2026-03-28T20:00", "23 h"],
    ["gains one", "2026-10-24T20:00", "1 day 1 h"],
  ])("keeps to the wall clock over a night that %s", async (_case, from, length) => {
    const folder = await cleanup.createFolder();
    const config = { rules: [{ id: "peak", when: { period: "hp" } }] };
    const args = ["demo", "--config", "vigie.yaml", "--from", from, "--days", "1", "--speed", "100000"];
    const { code, stdout } = await runVigie({ folder, config, args });
    expect(code).toBe(0);
    const first = from.slice(0, 10);
    const date = addDays(first, 1);
    expect(linesOf(stdout).map(readEvent)).toEqual([
      `${first} 20:00 begins bleu`,
      `${first} 20:00 next`,
      `${first} 20:00 peak is ON`,
      `${first} 22:00 peak is OFF`,
      `${date} 06:00 begins bleu`,
      `${date} 06:00 peak is ON`,
      `${date} 10:30 ${describeDate(addDays(date, 1))} announced as bleu`,
    ]);
    expect(stdout).toContain(`The demo has shown ${length} in `);
  });

  test("without a configuration shows the shipped rules and a boiler, says that the days are invented, and is all lines for people", async () => {
    const folder = await cleanup.createFolder();
    const { code, stdout } = await runVigie({ folder, args: ["demo", "--days", "1", "--speed", "100000"] });
    expect(code).toBe(0);
    for (const words of [
      "These days are INVENTED",
      "from Tuesday 20 January 2026 20:00",
      "Wednesday 21 January comes next: rouge, announced",
      "Monday 26 January may become rouge, forecast with 70 %",
      "Rule rouge_ahead is ON: ",
      'Would send "off" to Boiler (shellies/boiler/relay/0/command): rouge_peak is ON',
      "Wednesday 21 January begins: rouge (0.706 EUR/kWh in peak hours)",
    ]) {
      expect(stdout).toContain(words);
    }
    expect(stdout).not.toMatch(/[{}]|Problem/);
    expect(stdout).toMatch(/This machine ran it \d+ times as fast as life, not 100000/);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "ends at %s with 0, and leaves no folder behind",
    async (signal) => {
      const folder = await cleanup.createFolder();
      const vigie = await startVigie({ folder, args: ["demo"] });
      cleanup.add(() => vigie.end("SIGKILL"));
      await vigie.prints(/Rule rouge_ahead is ON/);
      expect(demoFolders(folder)).toHaveLength(1);
      expect(await vigie.end(signal)).toMatchObject({ code: 0, stderr: "" });
      expect(demoFolders(folder)).toEqual([]);
    },
  );
});

interface Line {
  at: string;
  words: string;
}

function linesOf(stdout: string): Line[] {
  return [...stdout.matchAll(/^\w{3} (\d{4}-\d\d-\d\d \d\d:\d\d) {2}(.*)$/gm)].map(
    ([, at = "", words = ""]) => ({
      at,
      words,
    }),
  );
}

/** A poll is made every five minutes from 10:30 on, at a second of this installation's own. */
const FIRST_POLL = /10:3[0-5]$/;

function readEvent({ at, words }: Line): string {
  const [, state] = / (?:is in force|begins): (\w+)/.exec(words) ?? [];
  if (state) return `${at} begins ${state}`;
  if (words.includes("comes next")) return `${at} next`;
  const [, date, color] = /^(\w+ \d+ \w+) is announced as (\w+)$/.exec(words) ?? [];
  if (date) return `${at.replace(FIRST_POLL, "10:30")} ${date} announced as ${color}`;
  const [, turn = ""] = /^Rule (\w+ is \w+): /.exec(words) ?? [];
  if (turn) return `${turn.startsWith("ahead is ON") ? at.replace(FIRST_POLL, "10:30") : at} ${turn}`;
  const [, payload] = /^Would send "(\w+)" to boiler\/set: /.exec(words) ?? [];
  return payload ? `${at} sends ${payload}` : `${at} ${words}`;
}

/** What the simulator's season means for CONFIG, from the first minute of a date to 20:00 of another. */
function expectedEvents(first: string, last: string): string[] {
  const season = inventSeason("2025-2026", 1);
  const isRouge = (date: string) => season.get(date) === "rouge";
  return datesBetween(first, last).flatMap((date) => {
    const [before, next] = [addDays(date, -1), addDays(date, 1)];
    return [
      ...(isRouge(date) ? [`${date} 05:55 peak is ON`, `${date} 05:55 sends off`] : []),
      `${date} 06:00 begins ${season.get(date)}`,
      ...(isRouge(before) && !isRouge(date) ? [`${date} 06:00 ahead is OFF`] : []),
      `${date} 10:30 ${describeDate(next)} announced as ${season.get(next)}`,
      ...(isRouge(next) && !isRouge(date) ? [`${date} 10:30 ahead is ON`] : []),
      ...(isRouge(date) && date < last ? [`${date} 22:00 peak is OFF`, `${date} 22:00 sends on`] : []),
    ];
  });
}

/** The temporary folder of these programs is below their own. */
function demoFolders(folder: string): string[] {
  return readdirSync(join(folder, "tmp")).filter((name) => name.startsWith("vigie-demo-"));
}
