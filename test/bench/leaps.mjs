import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const LIBRARY = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
  .flatMap((place) =>
    existsSync(place) ? [place, ...readdirSync(place).map((name) => join(place, name))] : [],
  )
  .map((folder) => join(folder, "faketime", "libfaketime.so.1"))
  .find(existsSync);

export const withoutLeaps = LIBRARY ? "" : "libfaketime is not installed (apt-get install faketime)";

/**
 * A time that several programs share and that can be set forward, for their timers, too. Each sees it within a second.
 * `from` is in the future: the monotonic time is set forward by as much, and must not be below zero.
 */
export async function openLeaps(file, from) {
  let ahead = from - Date.now();
  const set = () => writeFile(file, `+${(ahead / 1000).toFixed(0)}\n`);
  await set();
  return {
    env: {
      LD_PRELOAD: LIBRARY,
      TZ: "UTC",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
    },
    leap: async (milliseconds) => {
      ahead += milliseconds;
      await set();
    },
  };
}
