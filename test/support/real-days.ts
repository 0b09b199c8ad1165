import { readFileSync } from "node:fs";
import type { Color, IsoDate } from "../../src/core/calendar/tariff.ts";

/** VIGIE_REAL_DAYS names a file of `date,color` with the official colours of past seasons; none is part of the project. */
const file = process.env["VIGIE_REAL_DAYS"] ?? "";

export const NO_REAL_DAYS = file === "";

export function readRealDays(): { date: IsoDate; color: Color }[] {
  const [, ...lines] = readFileSync(file, "utf8").trim().split(/\r?\n/);
  return lines.map((line) => {
    const [date = "", color = ""] = line.split(",");
    return { date, color: color as Color };
  });
}
