// Takes and releases the lock of a folder as it is told, line by line, and says how that went. Argument: the folder.
import { createInterface } from "node:readline";
import { type Lock, takeLock } from "../../src/runtime/lock.ts";

const [, , folder = ""] = process.argv;
let lock: Lock = { none: "nothing was taken" };
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "take") {
    lock = await takeLock(folder, `process ${process.pid}`);
    process.stdout.write(`${"release" in lock ? "taken" : JSON.stringify(lock)}\n`);
  } else {
    if ("release" in lock) await lock.release();
    process.stdout.write("released\n");
  }
}
