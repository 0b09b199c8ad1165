// Loaded into vigie before its program: prints a line as soon as SIGTERM does not end the process any more. With
// STOP_AT_ONCE it sends itself SIGTERM then, which no other process could do so early.
import { writeSync } from "node:fs";

process.on("newListener", function heard(name) {
  if (name !== "SIGTERM") return;
  process.off("newListener", heard);
  writeSync(1, "hears of signals\n");
  if (process.env.STOP_AT_ONCE) process.nextTick(() => process.kill(process.pid, "SIGTERM"));
});
