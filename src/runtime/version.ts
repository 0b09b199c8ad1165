import { readFileSync } from "node:fs";

/** From package.json, the only place that holds it; the build replaces this file by the value. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;
