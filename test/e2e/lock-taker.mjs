// Takes and releases the lock of a folder as it is told, line by line, and says how that went. Argument: the folder.
import { createInterface } from "node:readline";
import { takeLock } from "../../.build/runtime/lock.js";

let lock = {};
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "take") {
    lock = await takeLock(process.argv[2], `process ${process.pid}`);
    process.stdout.write(`${"release" in lock ? "taken" : JSON.stringify(lock)}\n`);
  } else {
    await lock.release();
    process.stdout.write("released\n");
  }
}
