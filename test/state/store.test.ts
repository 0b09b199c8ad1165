import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import { emptyState, type State } from "../../src/state/state.ts";
import { NewerState, parseState, serialiseState } from "../../src/state/state-format.ts";
import { createStore, openStore } from "../../src/state/store.ts";
import { DAMAGES } from "../support/damaged-state.ts";
import { knownDaysOf, official } from "../support/known-days.ts";
import { logTo } from "../support/logs.ts";

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vigie-store-"));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (where = folder, random = () => 0.5) => {
  const log = logTo(lines);
  const problemLog = createProblemLog(log, { now: () => 0, steady: () => 0 });
  return openStore(where, { log, problemLog, random });
};
const numbered = (state: State, number: number): State => ({ ...state, incarnation: `${number}` });
const file = () => join(folder, "state.json");
const previousFile = () => join(folder, "state.previous.json");
const read = () => parseState(readFileSync(file(), "utf8"));
const readPrevious = () => parseState(readFileSync(previousFile(), "utf8"));

describe("a store", () => {
  it("starts empty with a random installation, and writes nothing until something is saved", async () => {
    const store = await open();
    expect(store.state()).toEqual(emptyState("ssssssssssss"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("creates its folder, and reads back what it saved", async () => {
    const inner = join(folder, "a", "b");
    const store = await open(inner);
    await store.save(numbered(store.state(), 1));
    expect((await open(inner, () => 0.1)).state()).toEqual(store.state());
    expect(lines).toEqual([]);
  });

  it("lets only its user read the file", async () => {
    const store = await open();
    await store.save(numbered(store.state(), 1));
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("writes only when the content differs from what the disk holds", async () => {
    const store = await open();
    const inode = () => statSync(file()).ino;
    await store.save(numbered(store.state(), 1));
    const first = inode();
    await store.save({ ...store.state() });
    expect(inode()).toBe(first);
    const again = await open();
    await again.save({ ...again.state() });
    expect(inode()).toBe(first);
    await again.save(numbered(again.state(), 2));
    expect(inode()).not.toBe(first);
  });

  it("writes one at a time, and of many saves the latest state", async () => {
    const store = await open();
    const saves = Array.from({ length: 50 }, (_, number) => store.save(numbered(store.state(), number)));
    await saves[0];
    await Promise.all(saves);
    expect(read().incarnation).toBe("49");
    expect(readdirSync(folder)).toEqual(["state.json", "state.previous.json"]);
  });

  it("keeps the file that a write replaces, without writing it again", async () => {
    const store = await open();
    await store.save(numbered(store.state(), 1));
    expect(readdirSync(folder)).toEqual(["state.json"]);
    const { ino } = statSync(file());
    await store.save(numbered(store.state(), 2));
    expect(statSync(previousFile()).ino).toBe(ino);
    await store.save(numbered(store.state(), 3));
    expect(readPrevious().incarnation).toBe("2");
    expect(readdirSync(folder)).toEqual(["state.json", "state.previous.json"]);
  });

  it("that was killed before the file had its name as the previous one goes on as before", async () => {
    const store = await open();
    for (const number of [1, 2]) await store.save(numbered(store.state(), number));
    linkSync(file(), join(folder, "state.json.0123456789ab.tmp"));
    const again = await open();
    await again.save(numbered(again.state(), 3));
    expect([read().incarnation, readPrevious().incarnation]).toEqual(["3", "2"]);
    expect(readdirSync(folder)).toEqual(["state.json", "state.previous.json"]);
  });

  it("has written the state when its save ends, however saves overlap", async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { maxLength: 12 }), async (pauses) => {
        for (const [number, pause] of pauses.entries()) {
          const saved = store.save(numbered(store.state(), number));
          if (pause === 0) await saved;
          for (let turn = 0; turn < pause; turn += 1) await Promise.resolve();
        }
        await store.flush();
        if (pauses.length > 0) expect(read()).toEqual(store.state());
      }),
      { numRuns: 30 },
    );
  });

  it("ends a save as soon as its state is written, though others are saved faster than the disk writes", async () => {
    const endWrite: ((isWritten: boolean) => void)[] = [];
    const write = () => new Promise<boolean>((resolve) => endWrite.push(resolve));
    const state = emptyState("ssssssssssss");
    const store = createStore({ state, textOnDisk: "", write, problem: () => null });
    const ended: number[] = [];
    const save = (number: number) => store.save(numbered(state, number)).then(() => ended.push(number));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const saves = [save(1), save(2)];
    endWrite.shift()?.(true);
    await turn();
    expect(ended).toEqual([1]);
    saves.push(save(3));
    endWrite.shift()?.(true);
    await turn();
    expect(ended).toEqual([1, 2]);
    endWrite.shift()?.(false);
    await Promise.all(saves);
    expect(ended).toEqual([1, 2, 3]);
  });

  it("removes the temporary file of a process that was killed while it wrote", async () => {
    writeFileSync(join(folder, "state.json.0123456789ab.tmp"), "half");
    writeFileSync(join(folder, "notes.tmp"), "the owner's");
    await open();
    expect(readdirSync(folder)).toEqual(["notes.tmp"]);
  });
});

describe("a file that cannot be read", () => {
  const whole = Buffer.from(serialiseState({ ...emptyState("abc"), books: { simulator: NO_KNOWN_DAYS } }));

  it("what-if: The state file is damaged or lost · is set aside whatever is wrong with it, and the run goes on with an empty state", async () => {
    const zeros = fc
      .nat({ max: whole.length - 2 })
      .map((from) => Buffer.concat([whole.subarray(0, from), Buffer.alloc(whole.length - from)]));
    const cut = fc.nat({ max: whole.length - 2 }).map((length) => whole.subarray(0, length));
    const junk = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.oneof(zeros, cut, junk), async (bytes) => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        lines = [];
        writeFileSync(file(), bytes);
        const store = await open();
        expect(store.state()).toEqual(emptyState("ssssssssssss"));
        expect(readFileSync(join(folder, "state.damaged-1.json"))).toEqual(bytes);
        expect(lines).toEqual([expect.stringMatching(/was damaged and is now .*damaged-1\.json/)]);
      }),
      { numRuns: 60 },
    );
  });

  it("never overwrites one that was set aside earlier", async () => {
    for (const text of ["first", "second", "third"]) {
      writeFileSync(file(), text);
      await open();
    }
    const aside = readdirSync(folder).map((name) => `${name}: ${readFileSync(join(folder, name), "utf8")}`);
    expect(aside.sort()).toEqual([
      "state.damaged-1.json: first",
      "state.damaged-2.json: second",
      "state.damaged-3.json: third",
    ]);
  });

  it("holds bytes that are no UTF-8: damaged", async () => {
    writeFileSync(file(), Buffer.from(whole.toString("latin1").replace("abc", "ab\xff"), "latin1"));
    await open();
    expect(readdirSync(folder)).toEqual(["state.damaged-1.json"]);
  });

  it("is a folder: set aside as unreadable", async () => {
    mkdirSync(file());
    const store = await open();
    await store.save(numbered(store.state(), 1));
    expect(read()).toEqual(store.state());
    expect(readdirSync(folder).sort()).toEqual(["state.json", "state.unreadable-1.json"]);
  });

  it.each([
    ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
    ["a device without an end", (path: string) => symlinkSync("/dev/zero", path)],
    ["a file of several gigabytes", (path: string) => execFileSync("truncate", ["-s", "3G", path])],
  ])("is %s: set aside as damaged, whichever of the two it is", async (_, make) => {
    for (const path of [file(), previousFile()]) make(path);
    const store = await open();
    await store.save(numbered(store.state(), 1));
    expect(read()).toEqual(store.state());
    expect(readdirSync(folder).sort()).toEqual([
      "state.damaged-1.json",
      "state.damaged-2.json",
      "state.json",
    ]);
    expect(lines[0]).toMatch(/^The state file was damaged and is now /);
  });

  it.each(DAMAGES)(
    "is %s: set aside, and the run goes on with the state saved before it, which stays until two later ones are saved",
    async (_, damage) => {
      const store = await open();
      const books = { simulator: knownDaysOf({ "2026-01-05": official("rouge") }) };
      for (const number of [1, 2]) await store.save(numbered({ ...store.state(), books }, number));
      await damage(file());
      const again = await open();
      expect(again.state()).toEqual({ ...store.state(), messages: {}, incarnation: "1", outputs: {} });
      const aside = join(folder, "state.damaged-1.json");
      expect(lines).toEqual([
        `The state file was damaged and is now ${aside}; vigie starts with the state saved before it, ${previousFile()}`,
      ]);
      await again.flush();
      expect([read().incarnation, readPrevious().incarnation]).toEqual(["1", "1"]);
      expect(readPrevious()).not.toHaveProperty("outputs");
      await again.save(numbered(again.state(), 3));
      await again.save(numbered(again.state(), 4));
      expect([read().incarnation, readPrevious().incarnation]).toEqual(["4", "3"]);
      expect(lines).toHaveLength(1);
    },
  );

  it("is missing: the run goes on with the state saved before it, and that is logged", async () => {
    const store = await open();
    for (const number of [1, 2]) await store.save(numbered(store.state(), number));
    rmSync(file());
    expect((await open()).state().incarnation).toBe("1");
    expect(lines).toEqual([
      `The state file ${file()} is missing; vigie starts with the state saved before it, ${previousFile()}`,
    ]);
  });

  it("is set aside together with a previous one that cannot be read either", async () => {
    writeFileSync(file(), "first");
    writeFileSync(previousFile(), "second");
    expect((await open()).state()).toEqual(emptyState("ssssssssssss"));
    const [first, second] = [1, 2].map((number) => join(folder, `state.damaged-${number}.json`));
    expect(lines).toEqual([
      `The state file was damaged and is now ${first}; vigie starts with an empty state`,
      `The previous state file was damaged and is now ${second}; vigie starts with an empty state`,
    ]);
    expect(readdirSync(folder)).toEqual(["state.damaged-1.json", "state.damaged-2.json"]);
  });

  it("beside a previous one of a newer vigie: both are left as they are", async () => {
    writeFileSync(file(), "junk");
    writeFileSync(previousFile(), '{"version":7}');
    await expect(open()).rejects.toThrow(NewerState);
    expect(readFileSync(file(), "utf8")).toBe("junk");
    expect(readdirSync(folder)).toEqual(["state.json", "state.previous.json"]);
  });

  it("what-if: An older vigie finds the state of a newer one · of a newer vigie is refused and left as it is", async () => {
    writeFileSync(file(), '{"version":7}');
    await expect(open()).rejects.toThrow(NewerState);
    expect(readFileSync(file(), "utf8")).toBe('{"version":7}');
    expect(readdirSync(folder)).toEqual(["state.json"]);
  });
});

/** root may write anywhere, so a file system that refuses is needed. */
const mounts = (() => {
  const probe = mkdtempSync(join(tmpdir(), "vigie-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "vigie-test", probe]).status === 0;
  if (mounted) spawnSync("umount", [probe]);
  rmSync(probe, { recursive: true, force: true });
  return mounted;
})();
const mount = (options: string) => spawnSync("mount", ["-t", "tmpfs", "-o", options, "vigie-test", folder]);

describe("a disk that refuses", () => {
  it("a path through a file: logged once, the state is kept in memory", async () => {
    writeFileSync(join(folder, "file"), "");
    const store = await open(join(folder, "file", "state"));
    await store.save(numbered(store.state(), 1));
    await store.save(numbered(store.state(), 2));
    await store.flush();
    expect(store.state().incarnation).toBe("2");
    expect(lines).toEqual([expect.stringContaining("a part of its path is a file")]);
    expect(lines[0]).toMatch(/\. To fix it: remove the file that has the path of .*, or set another folder$/);
  });

  it.runIf(process.platform === "linux")(
    "a place where no folder can be created, as /proc: logged once",
    async () => {
      const store = await open("/proc/vigie/state");
      await store.save(numbered(store.state(), 1));
      expect(lines).toEqual([expect.stringContaining("it does not exist")]);
    },
  );

  it("what-if: The disk is full · and later accepts: the next save, or the flush, writes, and that is logged", async () => {
    const inner = join(folder, "state");
    writeFileSync(inner, "in the way");
    const store = await open(inner);
    await store.save(numbered(store.state(), 1));
    rmSync(inner);
    mkdirSync(inner);
    await store.flush();
    expect(parseState(readFileSync(join(inner, "state.json"), "utf8")).incarnation).toBe("1");
    expect(lines.at(-1)).toBe("The state is saved again, after 0 s");
  });

  it("a folder that is removed while it runs is created again", async () => {
    const store = await open();
    await store.save(numbered(store.state(), 1));
    rmSync(folder, { recursive: true });
    await store.save(numbered(store.state(), 2));
    expect(read().incarnation).toBe("2");
  });

  it.skipIf(process.getuid?.() === 0)(
    "a folder without permission for this user: logged (skipped as root)",
    async () => {
      chmodSync(folder, 0o500);
      const store = await open();
      await store.save(numbered(store.state(), 1));
      chmodSync(folder, 0o700);
      expect(lines.join()).toMatch(/this user has no permission\..* To fix it: chown -R \d+:\d+ \//);
    },
  );

  describe.skipIf(!mounts)("in its own mount (skipped where this user may not mount)", () => {
    afterEach(() => void spawnSync("umount", [folder]));

    it("full: logged once, nothing is damaged, and written when there is space", async () => {
      mount("size=16k");
      const store = await open();
      await store.save(numbered(store.state(), 1));
      const before = store.state();
      const client = { much: "x".repeat(20_000) };
      await store.save({ ...before, clients: { a: client } });
      await store.save({ ...before, clients: { b: client } });
      expect(lines).toEqual([expect.stringMatching(/the disk is full.* To fix it: free space .*df -h \//)]);
      expect(read()).toEqual(before);
      expect(readdirSync(folder)).toEqual(["state.json"]);
      await store.save(numbered(before, 2));
      expect(readPrevious()).toEqual(before);
      expect(read().incarnation).toBe("2");
      expect(lines.at(-1)).toMatch(/saved again/);
    });

    it("read-only: the state is read, changes are kept in memory, and it is logged once", async () => {
      mount("size=64k");
      await (await open()).save(numbered(emptyState("abc"), 1));
      spawnSync("mount", ["-o", "remount,ro", folder]);
      const store = await open();
      expect(store.state().installation).toBe("abc");
      await store.save(numbered(store.state(), 2));
      await store.save(numbered(store.state(), 3));
      expect(store.state().incarnation).toBe("3");
      expect(lines).toEqual([
        expect.stringMatching(/it is read-only.* To fix it: use a folder that can be written/),
      ]);
    });

    it("read-only with a damaged file: logged, and the run goes on", async () => {
      mount("size=64k");
      writeFileSync(file(), "junk");
      spawnSync("mount", ["-o", "remount,ro", folder]);
      const store = await open();
      await store.save(numbered(store.state(), 1));
      expect(lines[0]).toMatch(/is damaged .* and cannot be renamed: it is read-only/);
    });
  });
});
