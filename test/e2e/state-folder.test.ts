import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { parseState } from "../../src/state/state.ts";
import { openStore } from "../../src/state/store.ts";
import { logTo } from "../support/logs.ts";

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vigie-e2e-"));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Program {
  child: ChildProcess;
  /** Sends a line, and gives the line that comes back. */
  tell(line: string): Promise<string>;
}

/** Starts one of the small programs beside the tests, and waits for its first line. */
async function start(program: string): Promise<Program> {
  const path = join(import.meta.dirname, program);
  const child = spawn(process.execPath, [path, folder], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  const hear = async () => String((await once(lines, "line"))[0]);
  await hear();
  const tell = (line: string) => {
    child.stdin.write(`${line}\n`);
    return hear();
  };
  return { child, tell };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

describe("a state folder whose writer is killed at any instant under load", () => {
  it("reads back each time, whole, as a state that was saved, and grows on", async () => {
    const lines: string[] = [];
    const log = logTo(lines);
    const problemLog = createProblemLog(log, { now: () => 0, steady: () => 0 });
    let last = 0;
    for (let death = 0; death < 10; death += 1) {
      const { child } = await start("state-writer.mjs");
      await pause(5 + Math.random() * 120);
      await kill(child);
      const written = parseState(readFileSync(join(folder, "state.json"), "utf8"));
      const number = Number(written.incarnation);
      expect(written.clients["padding"]?.["padding"]).toBe(`${number};`.repeat(number % 5000));
      expect(number).toBeGreaterThan(last);
      const store = await openStore(folder, { log, problemLog, random: Math.random });
      expect(store.state()).toEqual(written);
      expect(readdirSync(folder)).toEqual(["state.json", "state.previous.json"]);
      const previous = parseState(readFileSync(join(folder, "state.previous.json"), "utf8"));
      expect(Number(previous.incarnation)).toBeLessThanOrEqual(number);
      last = number;
    }
    expect(lines).toEqual([]);
  });
});

describe("two processes that want the lock of one state folder", () => {
  it("at the same time: exactly one gets it, and the other names it", async () => {
    const both = await Promise.all([start("lock-taker.mjs"), start("lock-taker.mjs")]);
    for (let round = 0; round < 20; round += 1) {
      const winner = await race(both);
      expect(await winner.tell("release")).toBe("released");
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("at the same time, after the one before was killed: its socket stands in nobody's way", async () => {
    let spare = await start("lock-taker.mjs");
    for (let round = 0; round < 5; round += 1) {
      const both = [spare, await start("lock-taker.mjs")];
      const winner = await race(both);
      expect(readdirSync(folder)).toHaveLength(1);
      await kill(winner.child);
      expect(readdirSync(folder)).toHaveLength(1);
      spare = both.find((one) => one !== winner) ?? winner;
    }
    expect(await spare.tell("take")).toBe("taken");
  });
});

async function race(both: Program[]): Promise<Program> {
  const lines = await Promise.all(both.map((one) => one.tell("take")));
  const winner = both[lines.indexOf("taken")];
  if (!winner) throw new Error(`Expected one to get the lock, got ${lines.join(" and ")}`);
  expect(lines.filter((line) => line !== "taken")).toEqual([
    JSON.stringify({ heldBy: `process ${winner.child.pid}` }),
  ]);
  return winner;
}
