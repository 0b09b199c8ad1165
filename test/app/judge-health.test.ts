import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { healthPath, readHealth, writeHealth } from "../../src/app/health-file.ts";
import { describeHealth, type FoundHealth, type Health, judgeHealth } from "../../src/app/judge-health.ts";

const NOW = 1_767_600_000_000;
const HOUR = 3_600_000;

const found = ({
  age = 10_000,
  running = true,
  connected = true,
  last = NOW - 25 * 60_000,
  official = null,
  service = "real",
}: {
  age?: number;
  running?: boolean;
  connected?: boolean;
  last?: number | null;
  official?: number | null;
  service?: Health["data"]["service"];
} = {}): FoundHealth => ({
  running,
  health: {
    at: NOW - age,
    pid: 42,
    broker: { connected, url: "mqtt://broker", port: null },
    data: { last_success: last, official_success: official, newest: "2026-01-12", service },
  },
});

const failing = ({ health, running }: FoundHealth): FoundHealth => ({
  running,
  health: { ...health, data: { ...health.data, official_fails: true } },
});

const withClock = (wrong_clock: NonNullable<Health["wrong_clock"]>, last: number): FoundHealth => {
  const { health, running } = found({ age: 0, last });
  return { running, health: { ...health, wrong_clock } };
};

describe("health", () => {
  it.each([
    [
      "all is well",
      found(),
      true,
      "vigie runs; broker reached at mqtt://broker; data fresh: the service answered 25 min ago, days known until 2026-01-12",
    ],
    [
      "the days are invented",
      {
        ...found(),
        health: {
          ...found().health,
          data: { last_success: NOW, newest: null, official_success: null, service: "invented" as const },
        },
      },
      true,
      /data invented: the service answered/,
    ],
    [
      "an error of vigie itself",
      { ...found(), health: { ...found().health, failed: true } },
      false,
      /^vigie runs, but an error of vigie itself keeps a part of it from working: see its log; broker reached .*; data fresh/,
    ],
    [
      "the service silent, but not the official source",
      found({ last: NOW - 4 * HOUR, official: NOW - 12 * HOUR }),
      true,
      /data fresh: the official source answered 12 h ago, days known/,
    ],
    [
      "both silent for hours, while the official source is asked and fails",
      failing(found({ last: NOW - 5 * HOUR, official: NOW - 4 * HOUR })),
      true,
      /data old: the official source last answered 4 h ago/,
    ],
    [
      "an official source that fails for less than three hours",
      failing(found({ last: NOW - 5 * HOUR, official: NOW - 2 * HOUR })),
      true,
      /data fresh: the official source answered 2 h ago/,
    ],
    [
      "both silent",
      found({ last: NOW - 15 * HOUR, official: NOW - 14 * HOUR }),
      true,
      /data old: the official source last answered 14 h ago/,
    ],
    [
      "no service, and no answer of the official source",
      found({ last: null, service: "none" }),
      true,
      /data missing: the official source has not answered yet/,
    ],
    ["no vigie", null, false, /^vigie does not run here.*broker unknown; data unknown$/],
    [
      "the process gone",
      found({ running: false }),
      false,
      /^vigie does not run: its process 42 has ended; broker unknown/,
    ],
    ["the loop stuck", found({ age: 91_000 }), false, /^vigie hangs: its last report is 1 min old/],
    ["the loop late, but not too late", found({ age: 90_000 }), true, /^vigie runs/],
    [
      "a clock that was set back far",
      found({ age: -2 * HOUR }),
      false,
      /^vigie hangs: its last report is 2 h in the future/,
    ],
    [
      "the broker away",
      found({ connected: false }),
      false,
      /^vigie runs; broker not reached at mqtt:\/\/broker; data fresh/,
    ],
    [
      "the service down for long",
      found({ last: NOW - 4 * HOUR }),
      true,
      /data old: the service last answered 4 h ago, days known/,
    ],
    [
      "a service that has not answered since the start",
      { ...found(), health: { ...found().health, data: { ...found().health.data, saved: ["service"] } } },
      true,
      /data fresh: the service answered 25 min ago or later, but not since the start, days known/,
    ],
    ["the service never there", found({ last: null }), true, /data missing/],
    [
      "the clock a day behind that of the sources",
      withClock({ true_time: NOW + 24 * HOUR, at_least: false }, NOW + 24 * HOUR - 8 * 60_000),
      false,
      "vigie runs; broker reached at mqtt://broker; data fresh: the service answered 8 min ago, days known until 2026-01-12; clock wrong: this machine shows 2026-01-05 08:00 UTC, and by the sources it is 2026-01-06 08:00 UTC. Set it (timedatectl says whether NTP does that)",
    ],
    [
      "the clock three hours ahead",
      withClock({ true_time: NOW - 3 * HOUR, at_least: false }, NOW - 3 * HOUR),
      false,
      /data fresh: the service answered 0 s ago, .* shows 2026-01-05 08:00 UTC, and by the sources it is 2026-01-05 05:00 UTC/,
    ],
    [
      "the clock behind the state file",
      withClock({ true_time: NOW + HOUR, at_least: true }, NOW + HOUR),
      false,
      /shows 2026-01-05 08:00 UTC, and it is 2026-01-05 09:00 UTC or later\./,
    ],
    [
      "a full disk",
      { ...found(), health: { ...found().health, unsaved: "/data: the disk is full" } },
      true,
      /; state not saved in \/data: the disk is full\. A restart would lose what is new$/,
    ],
  ])("what-if: vigie hangs · with %s is described part by part", (_, found, healthy, words) => {
    const verdict = judgeHealth(found, NOW);
    expect(verdict.healthy).toBe(healthy);
    expect(describeHealth(verdict)).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
  });
});

describe("the health file", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "vigie-health-"));
    path = join(folder, "health.json");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    [{ RUNTIME_DIRECTORY: "/run/vigie" }, "/run/vigie/health.json"],
    [{ RUNTIME_DIRECTORY: "/run/vigie:/run/other" }, "/run/vigie/health.json"],
    [{ RUNTIME_DIRECTORY: "" }, expect.stringMatching(/\/vigie-[\da-f]{16}-health\.json$/)],
    [{}, expect.stringMatching(/\/vigie-[\da-f]{16}-health\.json$/)],
  ])("with %j lies at %s", async (env, expected) => {
    expect(await healthPath("/var/lib/house_2", env)).toEqual(expected);
  });

  it("is another one for each state folder, and the same one for a link to it", async () => {
    mkdirSync(join(folder, "state"));
    symlinkSync(join(folder, "state"), join(folder, "link"));
    const pathOf = (name: string) => healthPath(join(folder, name), {});
    expect(dirname(await pathOf("state"))).toBe(tmpdir());
    expect(await pathOf("other")).not.toBe(await pathOf("state"));
    expect(await pathOf("link")).toBe(await pathOf("state"));
  });

  const health: Health = { ...found().health, pid: process.pid };

  it("reads back, and tells whether its writer is there", async () => {
    await writeHealth(path, health);
    expect(await readHealth(path)).toEqual({ health, running: true });
    await writeHealth(path, { ...health, pid: 2 ** 22 + 1 });
    expect(await readHealth(path)).toMatchObject({ running: false });
  });

  it("can be read by others than its writer, however private that one keeps the rest", async () => {
    const mask = process.umask(0o077);
    await writeHealth(path, health).finally(() => process.umask(mask));
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it("holds no password", async () => {
    await writeHealth(path, { ...health, broker: { ...health.broker, url: "mqtt://me:secret@broker" } });
    expect(readFileSync(path, "utf8")).not.toContain("secret");
  });

  it("that is none, or not one of ours, is none", async () => {
    expect(await readHealth(path)).toBeNull();
    for (const text of ["", "junk", "{}", '{"at":1}']) {
      writeFileSync(path, text);
      expect(await readHealth(path)).toBeNull();
    }
  });

  it("that cannot be read is an error that says why", async () => {
    await expect(readHealth(folder)).rejects.toThrow(
      `The health file ${folder} cannot be read: it is a folder`,
    );
  });
});
