import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { checkLive } from "../../src/cli/check-live.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { folderWith, load } from "../config/folder.ts";
import { type RunningFaultyService, startFaultyService } from "../support/faulty-server.ts";
import { runCommand } from "../support/run-command.ts";
import type { OfficialFaultName } from "../support/service-faults.ts";

let simulator: RunningFaultyService;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-05T12:00:00+01:00") });
  simulator = await startFaultyService({ port: 0, seed: 3, clock: systemClock, sendDate: true });
});
afterAll(async () => {
  vi.useRealTimers();
  await simulator.stop();
});

async function run(env: NodeJS.ProcessEnv, ...officialFaults: OfficialFaultName[]) {
  simulator.officialFaults.set(officialFaults);
  simulator.officialRequests.length = 0;
  const { config } = await load({ cwd: await folderWith(), env: { VIGIE_MQTT_URL: "embedded", ...env } });
  const { code, out, err } = await runCommand(async (io) =>
    (await checkLive(config, io)).length === 0 ? 0 : 1,
  );
  const lines = out.split("\n").filter((line) => !line.startsWith("        assumed"));
  return { code, err, lines: lines.slice(0, -1), asked: [...simulator.officialRequests] };
}

const both = () => ({ VIGIE_SERVICE_BASE_URL: simulator.url, VIGIE_OFFICIAL_SOURCE: simulator.url });

test("asks each endpoint of both sources, and compares the official colours of both", async () => {
  const { code, lines, asked } = await run(both());
  expect(lines).toEqual([
    expect.stringMatching(/^ok {6}broker, embedded/),
    expect.stringMatching(/^ok {6}service, forecasts: 8 days$/),
    expect.stringMatching(/^ok {6}service, date: /),
    expect.stringMatching(/^ok {6}service, season: season \d{4}-\d{4}$/),
    expect.stringMatching(/^ok {6}service, history: \d+ days$/),
    expect.stringMatching(
      /^ok {6}official, light: 2026-01-05 (bleu|blanc|rouge), 2026-01-06 (bleu|blanc|rouge)$/,
    ),
    "ok      official, season: season 2025-2026: 126 days",
    "ok      both sources: the same colours for 127 days",
  ]);
  expect(code).toBe(0);
  expect(asked).toEqual(["/tempoLight", "/tempo?season=2025-2026"]);
});

test("with official.source: off asks the official source nothing", async () => {
  const { code, lines, asked } = await run({ VIGIE_SERVICE_BASE_URL: simulator.url });
  expect([code, asked]).toEqual([0, []]);
  expect(lines.join("\n")).not.toContain("official, ");
});

test("with service.base_url: none asks the official source only", async () => {
  const before = simulator.requests();
  const env = { VIGIE_SERVICE_BASE_URL: "none", VIGIE_OFFICIAL_SOURCE: simulator.url };
  const { code, lines } = await run(env);
  expect([code, simulator.requests() - before]).toEqual([0, 0]);
  expect(lines[1]).toBe("ok      service: none (service.base_url: none), so there are no forecasts");
  expect(lines.slice(2)).toEqual([
    expect.stringMatching(/^ok {6}official, light: /),
    expect.stringMatching(/^ok {6}official, season: /),
  ]);
});

test("fails where the official source fails, and says why", async () => {
  const { code, lines } = await run(both(), "html");
  expect(code).toBe(1);
  expect(lines.filter((line) => line.startsWith("FAILED"))).toEqual([
    expect.stringContaining("official, light: The answer to GET /tempoLight cannot be read: Expected JSON"),
    expect.stringContaining("official, season: The answer to GET /tempo?season="),
  ]);
});

test("fails where the official source has no colour for today, and says which words cannot be used", async () => {
  const { code, lines, err } = await run(both(), "unknown-colors");
  expect(code).toBe(1);
  expect(lines.filter((line) => line.startsWith("FAILED"))).toEqual([
    "FAILED  official, light: The answer to GET /tempoLight cannot be read: Expected a colour for today, 2026-01-05, got dates from 2026-01-05 to 2026-01-06",
  ]);
  expect(err).toMatch(
    /The official source sent .* for 2026-01-05, which is none of BLUE, WHITE, RED: it is not used/,
  );
});

test("fails where the two name different official colours, and names the newest of them, tomorrow first", async () => {
  const { code, lines } = await run(both(), "other-colors");
  const failed = lines.findIndex((line) => line.startsWith("FAILED"));
  expect(code).toBe(1);
  expect(lines[failed]).toMatch(/^FAILED {2}both sources: other colours for \d+ of 127 days$/);
  expect(lines[failed + 1]).toMatch(/^ {8}2026-01-06: /);
  expect(lines.slice(failed + 1, failed + 11)).toEqual(
    Array.from({ length: 10 }, () =>
      expect.stringMatching(
        /^ {8}\d{4}-\d\d-\d\d: service (bleu|blanc|rouge), RTE (bleu|blanc|rouge); vigie uses (bleu|blanc|rouge)$/,
      ),
    ),
  );
  expect(lines.at(-1)).toMatch(/^ {8}and \d+ more$/);
});

test("says that the prices of the owner have grown old, unless the service names some", async () => {
  vi.setSystemTime(new Date("2027-05-03T12:00:00+02:00"));
  onTestFinished(() => void vi.setSystemTime(new Date("2026-01-05T12:00:00+01:00")));
  const alone = await run({ VIGIE_SERVICE_BASE_URL: "none", VIGIE_OFFICIAL_SOURCE: simulator.url });
  expect(alone.err).toContain("warning: The newest prices of tariff.rates began on 2026-08-01, more than");
  expect((await run({ VIGIE_SERVICE_BASE_URL: simulator.url })).err).toBe("");
});
