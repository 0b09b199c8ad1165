import { readFileSync } from "node:fs";

/** package.json is the one place that says it; the build puts it in here. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;
