import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Lock, takeLock } from "../../src/runtime/lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vigie-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const release = async (lock: Lock) => {
  if (!("release" in lock)) throw new Error(`Expected the lock, got ${JSON.stringify(lock)}`);
  await lock.release();
};
const sockets = (where = folder) => readdirSync(where).filter((name) => name.includes("lock-"));

describe("the lock of a state folder", () => {
  it("refuses a second process with the holder's words, and is free again when released", async () => {
    const first = await takeLock(folder, "vigie on nas, process 12");
    expect(await takeLock(folder, "another")).toEqual({ heldBy: "vigie on nas, process 12" });
    await release(first);
    await release(await takeLock(folder, "another"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("creates its folder", async () => {
    await release(await takeLock(join(folder, "a", "b"), "one"));
  });

  it("is one line, whatever its words", async () => {
    const first = await takeLock(folder, "two\nlines");
    expect(await takeLock(folder, "another")).toEqual({ heldBy: "two lines" });
    await release(first);
  });

  it("is given to exactly one of many at once", async () => {
    for (let round = 0; round < 20; round += 1) {
      const locks = await Promise.all(
        Array.from({ length: 6 }, (_, number) => takeLock(folder, `${number}`)),
      );
      const winners = locks.filter((lock) => "release" in lock);
      expect(winners).toHaveLength(1);
      expect(locks.filter((lock) => "heldBy" in lock)).toHaveLength(5);
      expect(sockets()).toHaveLength(1);
      await Promise.all(winners.map(release));
    }
  });

  it("works in a folder whose path is too long for a socket", async () => {
    const deep = join(folder, "x".repeat(90), "y".repeat(90));
    const first = await takeLock(deep, "one");
    expect(await takeLock(deep, "two")).toEqual({ heldBy: "one" });
    await release(first);
    expect(sockets(deep)).toEqual([]);
  });

  it("does not touch files with similar names", async () => {
    writeFileSync(join(folder, "lock-notes.txt"), "mine");
    await release(await takeLock(folder, "one"));
    expect(readdirSync(folder)).toEqual(["lock-notes.txt"]);
  });

  it("removes the sockets of processes that have ended", async () => {
    writeFileSync(join(folder, "lock-0123456789ab"), "");
    writeFileSync(join(folder, ".lock-0123456789ab"), "");
    const lock = await takeLock(folder, "one");
    expect(sockets()).toHaveLength(1);
    await release(lock);
  });

  it("reports why a folder cannot hold a lock, and does not throw", async () => {
    writeFileSync(join(folder, "file"), "");
    expect(await takeLock(join(folder, "file", "state"), "one")).toEqual({
      none: "a part of its path is a file, not a folder",
    });
  });

  it("survives a caller that sends nothing, or too much", async () => {
    const first = await takeLock(folder, "one");
    const [name = ""] = sockets();
    const mute = connect(join(folder, name));
    const loud = connect(join(folder, name), () => loud.write("x".repeat(5000)));
    for (const socket of [mute, loud]) socket.on("error", () => socket.destroy());
    expect(await takeLock(folder, "two")).toEqual({ heldBy: "one" });
    await release(first);
    mute.destroy();
    loud.destroy();
  });
});

describe("a holder that does not answer", () => {
  let frozen: Server;
  beforeEach(async () => {
    frozen = createServer();
    await new Promise<void>((resolve) => frozen.listen(join(folder, "lock-0123456789ab"), resolve));
  });
  afterEach(() => frozen.close());

  it("is waited for until the signal aborts, and nothing is left behind", async () => {
    const stop = new AbortController();
    const lock = takeLock(folder, "one", stop.signal);
    await new Promise((resolve) => frozen.once("connection", resolve));
    stop.abort(new Error("stopped"));
    await expect(lock).rejects.toThrow("stopped");
    expect(sockets()).toEqual(["lock-0123456789ab"]);
  });

  it("counts as running after one minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const lock = takeLock(folder, "one");
      await new Promise((resolve) => frozen.once("connection", resolve));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await lock).toEqual({ heldBy: "another vigie that does not answer" });
    } finally {
      vi.useRealTimers();
    }
  });
});
