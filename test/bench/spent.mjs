import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** CPU that all threads of a process have used, in milliseconds: to the nanosecond, where /proc/PID/stat has hundredths of a second. */
export async function readSpent(pid) {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, "utf8")));
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;
}

/** Milliseconds that this thread has run: what others on the machine do meanwhile does not count, where the system tells. */
export const threadTime = process.platform === "linux" ? readThread : () => performance.now();

function readThread() {
  // Linux counts on at each tick only, unless somebody asks.
  process.cpuUsage();
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
