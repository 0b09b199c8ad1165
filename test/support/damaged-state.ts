import { execFileSync } from "node:child_process";
import { readFile, rm, truncate, writeFile } from "node:fs/promises";

/** What may become of a state file that a vigie has written; the argument is its path. */
export const DAMAGES: [name: string, damage: (path: string) => Promise<void>][] = [
  ["of zeros, as after a power cut", (path) => writeFile(path, Buffer.alloc(500))],
  ["cut", (path) => truncate(path, 100)],
  ["empty", (path) => truncate(path, 0)],
  ["of a wrong shape", (path) => writeFile(path, '{"version":2,"books":[]}')],
  [
    "with an instant of which no date can be told",
    async (path) => {
      const text = (await readFile(path, "utf8")).replace(/"(seen_at|first_said)":\d+/, '"$1":1e308');
      await writeFile(path, text);
    },
  ],
  [
    "replaced by a pipe, into which nobody writes",
    async (path) => {
      await rm(path);
      execFileSync("mkfifo", [path]);
    },
  ],
];
