import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LineProgram, startLineProgram } from "../support/line-program.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe, untilHandled } from "../support/observer.ts";
import { createCleanup } from "../support/vigie.ts";

const PROGRAM = join(import.meta.dirname, "boiler-keeper.mjs");

describe.skipIf(withoutMosquitto)(`a boiler whose vigie is killed ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  let observer: Observer;
  let load: () => Promise<LineProgram>;
  /** It is loaded in advance, and does nothing before it is sent a line. */
  let next: Promise<LineProgram>;
  beforeEach(async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    observer = await observe(broker.url, "boiler/set");
    cleanup.add(observer.disconnect);
    const folder = await cleanup.createFolder();
    load = () => startLineProgram(cleanup, PROGRAM, folder, broker.url);
    next = load();
  });
  afterEach(cleanup.run);

  async function start(line: string): Promise<LineProgram> {
    const keeper = await next;
    next = load();
    keeper.send(line);
    return keeper;
  }
  const told = () => observer.received.map(({ payload }) => payload);

  test("killed between messages, before and after each change: the payloads off and on are sent once each", async () => {
    for (const [line, word] of [
      ["ON", "off"],
      ["ON", "off"],
      ["OFF", "on"],
      ["OFF", "on"],
    ] as const) {
      const keeper = await start(line);
      expect(await keeper.nextLine()).toBe(word);
      await keeper.kill();
    }
    await untilHandled(observer);
    expect(told()).toEqual(["off", "on"]);
  });

  test("readme: A command is obeyed · killed at any instant around the change: the device always receives the payload in force", async () => {
    const turns = Array.from({ length: 3 }, (_, turn) => (turn % 2 === 0 ? "ON" : "OFF"));
    for (const turn of turns) {
      const first = await start(turn);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
      await first.kill();
      const second = await start(turn);
      await second.nextLine();
      await second.kill();
    }
    await untilHandled(observer);
    const collapsed = told().filter((payload, index, all) => payload !== all[index - 1]);
    expect(collapsed).toEqual(turns.map((turn) => (turn === "ON" ? "off" : "on")));
    // Only a death in the instant between the message and the note of it repeats a word.
    expect(told().length).toBeLessThanOrEqual(2 * turns.length);
  });
});
