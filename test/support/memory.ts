import { readFile } from "node:fs/promises";

const unit = await readFile(new URL("../../systemd/vigie.service", import.meta.url), "utf8");

/** MB: systemd kills a vigie that takes more. */
export const MOST_MEMORY = Number(/^MemoryMax=(\d+)M$/m.exec(unit)?.[1]);

/** MB that a process took at the most so far, without the pages of files; null: this system does not tell. */
export async function peakMemory(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => null);
  if (status === null) return null;
  const [peak = 0, files = 0] = ["VmHWM", "RssFile"].map((name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]),
  );
  return (peak - files) / 1024;
}
