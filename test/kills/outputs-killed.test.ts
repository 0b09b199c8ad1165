import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";

const PROGRAM = join(import.meta.dirname, "boiler-keeper.mjs");

describe.skipIf(withoutMosquitto)(`a boiler whose vigie is killed ${withoutMosquitto}`, () => {
  let broker: Mosquitto;
  let observer: Observer;
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    broker = await startMosquitto();
    observer = await observe(broker.url, "boiler/set");
    folder = await mkdtemp(join(tmpdir(), "vigie-boiler-"));
  });
  afterEach(async () => {
    spare = undefined;
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await observer.disconnect();
    await broker.remove();
    await rm(folder, { recursive: true, force: true });
  });

  interface Keeper {
    child: ChildProcess;
    tell: (line: string) => void;
    says: () => Promise<string>;
  }
  async function load(): Promise<Keeper> {
    const child = spawn(process.execPath, [PROGRAM, folder, broker.url], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    const says = async () => String((await once(lines, "line"))[0]);
    await says();
    return { child, tell: (line) => child.stdin.write(`${line}\n`), says };
  }
  /** The next one is loaded meanwhile: it does nothing before it is told something. */
  let spare: Promise<Keeper> | undefined;
  async function start(line: string): Promise<Keeper> {
    const keeper = await (spare ?? load());
    spare = load();
    keeper.tell(line);
    return keeper;
  }
  async function kill(child: ChildProcess): Promise<void> {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
  const told = () => observer.received.map(({ payload }) => payload);

  test("killed between messages, before and after each change: the payloads off and on are sent once each", async () => {
    for (const [line, word] of [
      ["ON", "off"],
      ["ON", "off"],
      ["OFF", "on"],
      ["OFF", "on"],
    ] as const) {
      const { child, says } = await start(line);
      expect(await says()).toBe(word);
      await kill(child);
    }
    expect(told()).toEqual(["off", "on"]);
  });

  test("killed at any instant around the change: the device always receives the payload in force", async () => {
    const turns = Array.from({ length: 3 }, (_, turn) => (turn % 2 === 0 ? "ON" : "OFF"));
    for (const turn of turns) {
      const first = await start(turn);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
      await kill(first.child);
      const second = await start(turn);
      await second.says();
      await kill(second.child);
    }
    const collapsed = told().filter((payload, index, all) => payload !== all[index - 1]);
    expect(collapsed).toEqual(turns.map((turn) => (turn === "ON" ? "off" : "on")));
    // Only a death in the instant between the message and the note of it repeats a word.
    expect(told().length).toBeLessThanOrEqual(2 * turns.length);
  });
});
