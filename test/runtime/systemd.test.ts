import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { Log } from "../../src/runtime/log.ts";
import { createSystemdNotifier } from "../../src/runtime/systemd.ts";

const MINUTE = 60_000;
let folder: string;
let lines: string[];
let steady: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vigie-systemd-"));
  lines = [];
  steady = 1;
  otherPrograms = countPrograms();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Stands where systemd's own program would: what it does is a line of shell. */
const install = (does: string) => {
  const path = join(folder, "systemd-notify");
  writeFileSync(path, `#!/bin/sh\n${does}\n`);
  chmodSync(path, 0o755);
};
const KEEP = `printf '%s|' "$@" >> "$(dirname "$0")/heard"; echo >> "$(dirname "$0")/heard"`;
const heard = () => {
  const path = join(folder, "heard");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

const open = (env: NodeJS.ProcessEnv, options: { timeout?: number } = {}) => {
  const say = (level: string) => (sentence: string) => void lines.push(`${level}: ${sentence}`);
  const log: Log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  const clock = { now: () => 0, steady: () => steady };
  const PATH = [folder, process.env["PATH"]].join(delimiter);
  return createSystemdNotifier({
    env: { PATH, ...env },
    clock,
    problemLog: createProblemLog(log, clock),
    ...options,
  });
};
const ASKED = { NOTIFY_SOCKET: "/run/systemd/notify", WATCHDOG_USEC: String(3 * MINUTE * 1000) };

/** Reports once a second for so long; each message is sent before the next second begins, however slow the machine is. */
const reportFor = async (
  notifier: ReturnType<typeof open>,
  milliseconds: number,
  status = "alive",
  isNew = false,
) => {
  for (const end = steady + milliseconds; steady < end; steady += 1000) {
    notifier.report(() => status, isNew);
    await sent();
  }
};

let otherPrograms: number;
/** A process and its pipes. */
const countPrograms = () =>
  process.getActiveResourcesInfo().filter((name) => /^(Process|Pipe)Wrap$/.test(name)).length;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Ends when systemd-notify has ended and the notifier knows of it. */
const sent = async () => {
  if (countPrograms() === otherPrograms) return;
  while (countPrograms() > otherPrograms) await pause(2);
  await pause(0);
};

describe("systemd", () => {
  it("gets the first report, and then three in the time after which it would restart vigie", async () => {
    install(KEEP);
    await reportFor(open(ASKED), 6 * MINUTE);
    expect(heard()).toEqual(Array(6).fill("READY=1|WATCHDOG=1|STATUS=alive|"));
  });

  it.each([
    ["a short watchdog", "3000000", 10_000, 10, 1],
    ["a long one", String(3_600_000_000), MINUTE, 1, 60],
    ["none", undefined, MINUTE, 1, 60],
  ])(
    "with %s gets reports often enough, and at least one a minute",
    async (_, usec, length, times, seconds) => {
      install(KEEP);
      const notifier = open({ NOTIFY_SOCKET: "x", ...(usec && { WATCHDOG_USEC: usec }) });
      await reportFor(notifier, length);
      expect(heard()).toHaveLength(times);
      expect(notifier.interval).toBe(seconds * 1000);
    },
  );

  it("gets a new status at once", async () => {
    install(KEEP);
    const notifier = open(ASKED);
    await reportFor(notifier, 3000);
    await reportFor(notifier, 1000, "the broker is lost", true);
    await reportFor(notifier, 3000);
    expect(heard()).toEqual([
      "READY=1|WATCHDOG=1|STATUS=alive|",
      "READY=1|WATCHDOG=1|STATUS=the broker is lost|",
    ]);
  });

  it("gets the stop last", async () => {
    install(KEEP);
    const notifier = open(ASKED);
    await reportFor(notifier, 1000);
    await notifier.stopping();
    await reportFor(notifier, 5 * MINUTE, "still there", true);
    expect(heard().at(-1)).toBe("STOPPING=1|STATUS=stopping|");
    expect(heard()).toHaveLength(2);
  });

  it("gets nothing where it did not ask", async () => {
    install(KEEP);
    const notifier = open({});
    await reportFor(notifier, 5 * MINUTE);
    await notifier.stopping();
    expect(heard()).toEqual([]);
  });

  it("'s program gets none of vigie's variables", async () => {
    install(`env > "$(dirname "$0")/heard"`);
    const notifier = open({ ...ASKED, VIGIE_MQTT_PASSWORD: "hunter2" });
    await reportFor(notifier, 1000);
    expect(heard().join("\n")).toContain("NOTIFY_SOCKET=");
    expect(heard().join("\n")).not.toContain("hunter2");
  });

  it.each([
    ["is missing", undefined, /systemd-notify cannot be started: it does not exist/],
    ["fails", "echo No socket >&2; exit 1", /systemd-notify failed \(No socket\)/],
    ["fails without a word", "exit 3", /systemd-notify failed \(code 3\)/],
  ])("whose program %s is a problem that is logged once, and tried again soon", async (_, does, words) => {
    if (does) install(does);
    const notifier = open(does ? ASKED : { ...ASKED, PATH: folder });
    await reportFor(notifier, MINUTE);
    expect(lines).toEqual([expect.stringMatching(words)]);
    install(KEEP.replaceAll("dirname", "/usr/bin/dirname"));
    await reportFor(notifier, 20_000);
    expect(heard().length).toBeGreaterThan(0);
    expect(lines[1]).toMatch(/^info: The status reaches systemd again/);
  });
});

describe("a systemd-notify that hangs", () => {
  it("is killed, and delays no report", async () => {
    install(`echo $$ >> "$(dirname "$0")/heard"; exec sleep 60`);
    const notifier = open(ASKED, { timeout: 1_500 });
    for (const end = steady + 10_000; steady < end; steady += 1000) notifier.report(() => "alive", true);
    expect(lines, "no report has waited until it was killed").toEqual([]);
    await expect.poll(() => lines).toEqual([expect.stringMatching(/did not end in time/)]);
    expect(heard()).toHaveLength(1);
    expect(() => process.kill(Number(heard()[0]), 0)).toThrow();
  });
});
