import { readFileSync } from "node:fs";

/** The configuration file that vigie ships; the build replaces this file by its text. */
export const SHIPPED: string = readFileSync(new URL("../../config/vigie.yaml", import.meta.url), "utf8");
