import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { parseState } from "../../src/state/state-format.ts";
import { openStore } from "../../src/state/store.ts";
import { bundled } from "../support/bundled.ts";
import { type LineProgram, startLineProgram } from "../support/line-program.ts";
import { logTo } from "../support/logs.ts";
import { LONG } from "../support/long.ts";
import { createCleanup } from "../support/vigie.ts";

const WRITER = await bundled("test/e2e/state-writer.ts");
const TAKER = await bundled("test/e2e/lock-taker.ts");

const cleanup = createCleanup();
let folder: string;

beforeEach(async () => {
  folder = await cleanup.createFolder();
});
afterEach(cleanup.run);

const start = (program: string) => startLineProgram(cleanup, program, folder);

/** Sends a line, and returns the line that comes back. */
function ask({ send, nextLine }: LineProgram, line: string): Promise<string> {
  send(line);
  return nextLine();
}

describe("a state folder whose writer is killed at any instant under load", () => {
  it("reads back each time, whole, as a state that was saved, and grows on", async () => {
    const lines: string[] = [];
    const log = logTo(lines);
    const problemLog = createProblemLog(log, { now: () => 0, steady: () => 0 });
    let last = 0;
    for (let death = 0; death < (LONG ? 10 : 3); death += 1) {
      const writer = await start(WRITER);
      await pause(5 + Math.random() * 120);
      await writer.kill();
      const written = parseState(readFileSync(join(folder, "state.json"), "utf8"));
      const number = Number(written.incarnation);
      expect(written.clients["padding"]).toEqual({ padding: `${number};`.repeat(number % 5000) });
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
    const both = await Promise.all([start(TAKER), start(TAKER)]);
    for (let round = 0; round < 20; round += 1) {
      const winner = await race(both);
      expect(await ask(winner, "release")).toBe("released");
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("at the same time, after the one before was killed: its socket stands in nobody's way", async () => {
    let spare = await start(TAKER);
    for (let round = 0; round < (LONG ? 5 : 2); round += 1) {
      const both = [spare, await start(TAKER)];
      const winner = await race(both);
      expect(readdirSync(folder)).toHaveLength(1);
      await winner.kill();
      expect(readdirSync(folder)).toHaveLength(1);
      spare = both.find((one) => one !== winner) ?? winner;
    }
    expect(await ask(spare, "take")).toBe("taken");
  });
});

async function race(both: LineProgram[]): Promise<LineProgram> {
  const lines = await Promise.all(both.map((one) => ask(one, "take")));
  const winner = both[lines.indexOf("taken")];
  if (!winner) throw new Error(`Expected one to get the lock, got ${lines.join(" and ")}`);
  expect(lines.filter((line) => line !== "taken")).toEqual([
    JSON.stringify({ heldBy: `process ${winner.pid}` }),
  ]);
  return winner;
}
