import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/command-line.ts";
import { day } from "../../src/cli/day.ts";
import { history } from "../../src/cli/history.ts";
import { season } from "../../src/cli/season.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vigie-answers-"));
  await writeFile(join(folder, "vigie.yaml"), "service: { base_url: simulator }\nmqtt: { url: embedded }\n");
});
afterAll(() => rm(folder, { recursive: true }));

async function run(command: Command, args: string[], color = false) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await command([...args, "--config", "vigie.yaml"], {
    env: {},
    cwd: folder,
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    signal: new AbortController().signal,
    color,
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("the endpoints for people", () => {
  test("vigie season shows the counts of a season as a table", async () => {
    const { code, out, err } = await run(season, ["2024-2025"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Season 2024-2025, 2024-09-01 to 2025-08-31: \d+ days over, 0 days left\n/);
    expect(out).toMatch(/\ncolour {2}left +of\nrouge +\d+ +\d+\nblanc +\d+ +\d+\nbleu +\d+ +\d+\n$/);
    expect(err).toContain("the simulator invents these days");
  });

  test("vigie history shows a range, in colour where colours may be used", async () => {
    const { code, out } = await run(history, ["--from", "2026-01-05", "--to", "2026-01-07"], true);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^date +colour +hp +hc +predicted +confidence$/);
    expect(lines[1]?.replaceAll("\u001b", "ESC")).toMatch(
      /^2026-01-05 {2}ESC\[[\d;]+m(bleu|blanc|rouge)ESC\[0m +0\.\d+ +0\.\d+ /,
    );
  });

  test("vigie history takes the last thirty days by itself", async () => {
    const { code, out } = await run(history, ["--json"]);
    expect(code).toBe(0);
    const entries: { date: string }[] = JSON.parse(out);
    expect(entries.length).toBeGreaterThanOrEqual(29);
    expect(entries.length).toBeLessThanOrEqual(30);
  });

  test("vigie history says so where it would take more requests than vigie allows itself", {
    timeout: 20_000,
  }, async () => {
    const { code, out, err } = await run(history, ["--from", "2005-01-01", "--to", "2025-12-31"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(
      "vigie history: vigie sends the service at most 10 requests a minute, and this takes more of them: ask for less at once\n",
    );
  });

  test("vigie day shows one date, and as JSON too", async () => {
    const { code, out } = await run(day, ["2026-01-05"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^date +2026-01-05\ncolour +(bleu|blanc|rouge)\nofficial +yes\nconfidence +\d+ %\nhp +0\.\d+\nhc +0\.\d+\n$/,
    );
    const json = await run(day, ["2026-01-05", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ date: "2026-01-05", is_official: true });
  });

  test.each([
    ["season", season, ["2025"], "Expected a season like 2026-2027, got 2025"],
    ["season", season, ["2025-2027"], "Expected a season like 2026-2027, got 2025-2027"],
    ["season", season, ["2025-2026", "2026-2027"], "Expected one season"],
    [
      "history",
      history,
      ["--from", "yesterday"],
      "Expected --from to be a date like 2026-01-05, got yesterday",
    ],
    [
      "history",
      history,
      ["--from", "2026-02-01", "--to", "2026-01-01"],
      "Expected --from to be no later than 2026-01-01",
    ],
    ["history", history, ["--form", "2026-02-01"], "--form"],
    ["day", day, [], "Expected one date, got none"],
    ["day", day, ["2026-02-30"], "Expected DATE to be a date like 2026-01-05, got 2026-02-30"],
  ])("vigie %s refuses what cannot be meant (%#)", async (name, command, args, words) => {
    const { code, out, err } = await run(command, args);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(`vigie ${name}: `);
    expect(err).toContain(words);
  });
});
