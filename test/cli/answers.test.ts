import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Command } from "../../src/cli/command-line.ts";
import { day } from "../../src/cli/day.ts";
import { history } from "../../src/cli/history.ts";
import { season } from "../../src/cli/season.ts";
import { addDays, civilDate, datesBetween } from "../../src/core/calendar/dates.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { sendJson, sendStatus, serve } from "../service/rude-server.ts";
import { runCommand } from "../support/run-command.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vigie-answers-"));
  await writeFile(join(folder, "vigie.yaml"), "service: { base_url: simulator }\nmqtt: { url: embedded }\n");
});
afterAll(() => rm(folder, { recursive: true }));

interface Settings {
  color?: boolean;
  service?: string;
  env?: NodeJS.ProcessEnv;
}

function run(command: Command, args: string[], settings: Settings = {}) {
  const { color = false, service = "simulator", env = {} } = settings;
  const given = { env: { VIGIE_SERVICE_BASE_URL: service, ...env }, cwd: folder, color };
  return runCommand((io) => command([...args, "--config", "vigie.yaml"], io), given);
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
    const { code, out } = await run(history, ["--from", "2026-01-05", "--to", "2026-01-07"], {
      color: true,
    });
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^date +colour +hp +hc +predicted +confidence$/);
    expect(lines[1]?.replaceAll("\u001b", "ESC")).toMatch(
      /^2026-01-05 {2}ESC\[[\d;]+m(bleu|blanc|rouge)ESC\[0m +0\.\d+ +0\.\d+ /,
    );
  });

  test("vigie history marks wrong predictions, and closes with how many were right", async () => {
    const day = (date: string, color: string, predicted_color: string | null) => ({
      date: `2026-01-0${date}`,
      color,
      predicted_color,
    });
    const entries = [day("5", "rouge", "rouge"), day("6", "rouge", "bleu"), day("7", "bleu", null)];
    const { url } = await serve((_request, response) => sendJson(response, entries));
    const args = ["--from", "2026-01-05", "--to", "2026-01-07"];
    const { out } = await run(history, args, { service: url });
    const lines = out.split("\n");
    expect(lines.map((line) => line.endsWith("wrong"))).toEqual([
      false,
      false,
      true,
      ...Array(4).fill(false),
    ]);
    expect(lines.slice(4)).toEqual(["", "1 of 2 predictions were right", ""]);
  });

  test("vigie history takes the last thirty days by itself", async () => {
    const today = () => civilDate(systemClock.now(), "Europe/Paris");
    const before = today();
    const { code, out } = await run(history, ["--json"]);
    expect(code).toBe(0);
    const entries: { date: string }[] = JSON.parse(out);
    // Midnight may come meanwhile.
    const thirty = [before, today()].map((day) => datesBetween(addDays(day, -29), day));
    expect(thirty).toContainEqual(entries.map(({ date }) => date));
  });

  test("vigie history says so where it would take more requests than vigie allows itself", {
    timeout: 20_000,
  }, async () => {
    const { code, out, err } = await run(history, ["--from", "2005-01-01", "--to", "2025-12-31"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(
      "vigie history: vigie sends the forecast service at most 10 requests a minute, and this takes more of them: ask for less at once\n",
    );
  });

  test("vigie day shows one date, and as JSON too", async () => {
    const { code, out } = await run(day, ["2026-01-05"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^date +2026-01-05\ncolour +(bleu|blanc|rouge)\nofficial +yes\nconfidence +\d+ %\nhp +0\.\d+\nhc +0\.\d+\nthe simulator says +\1\n$/,
    );
    const json = await run(day, ["2026-01-05", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ date: "2026-01-05", is_official: true });
  });

  test.each([
    ["demain", 1],
    ["Tomorrow", 1],
    ["aujourd'hui", 0],
    ["aujourd’hui", 0],
  ])("vigie day takes %s for a date, too", async (word, after) => {
    const { code, out } = await run(day, [word, "--json"]);
    const date = addDays(civilDate(systemClock.now(), "Europe/Paris"), after);
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ date })]);
  });

  test("vigie day says until when days are known for a date after that, also where the answer has no colour", async () => {
    const today = civilDate(systemClock.now(), "Europe/Paris");
    const [last, asked] = [addDays(today, 1), addDays(today, 40)];
    const known = { today: { date: today, color: "bleu" }, tomorrow: { date: last, color: "rouge" } };
    for (const status of [404, 422, 200]) {
      const { url } = await serve((request, response) => {
        if (request.url === "/v1/public") sendJson(response, known);
        else if (status === 200) sendJson(response, { date: asked, color: null });
        else sendStatus(response, status);
      });
      const { code, out, err } = await run(day, [asked], { service: url });
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain(
        `vigie day: The service does not know ${asked} yet: its days are known until ${last}\n`,
      );
    }
  });

  test("vigie day gives the service's own reason for another refusal", async () => {
    const { url } = await serve((_request, response) => sendStatus(response, 422, "Too early"));
    for (const date of ["1999-01-01", "2027-01-09"]) {
      const { code, err } = await run(day, [date], { service: url });
      expect([code, err]).toEqual([1, expect.stringContaining("status 422: Too early")]);
    }
  });

  test.each([
    ["season", season, []],
    ["history", history, []],
    ["day", day, ["today"]],
  ])("vigie %s gives up after ten seconds where nobody answers", async (name, command, args) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let hasAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      hasAsked = resolve;
    });
    const { url } = await serve(() => hasAsked());
    const running = run(command, args, { service: url });
    await asked;
    vi.advanceTimersByTime(10_000);
    expect(await running).toEqual({
      code: 1,
      out: "",
      err: `vigie ${name}: The forecast service at ${url} could not be reached for this command: no answer within 10 s\n`,
    });
  });

  test("print no warnings about the configuration: vigie check does", async () => {
    const { url } = await serve((_request, response) => sendStatus(response, 422));
    const { err } = await run(day, ["today"], { service: url, env: { VIGIE_MQTT_USERNAME: "me" } });
    expect(err).toMatch(/^vigie day: .*\n$/);
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
    [
      "day",
      day,
      ["2026-02-30"],
      "Expected DATE to be a date like 2026-01-05, today or tomorrow, got 2026-02-30",
    ],
    ["day", day, ["tomorow"], "today or tomorrow, got tomorow (did you mean tomorrow?)"],
  ])("vigie %s refuses what cannot be meant (%#)", async (name, command, args, words) => {
    const { code, out, err } = await run(command, args);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(`vigie ${name}: `);
    expect(err).toContain(words);
  });
});
