import { z } from "zod";
import { COLORS, type Color, type IsoDate } from "../core/calendar/tariff.ts";

export class DaysUnreadable extends Error {
  override name = "DaysUnreadable";
}

/** Reads `date,color` lines below a header of these words; throws with the line, what was expected and what it has. */
export function parseDays(text: string): ReadonlyMap<IsoDate, Color> {
  const [header = "", ...lines] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (header.trim() !== HEADER) throw mismatch(1, `the header "${HEADER}"`, header);
  const days = new Map<IsoDate, Color>();
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const { date, color } = parseLine(line, index + 2);
    if (days.has(date)) throw mismatch(index + 2, "a date not given before", date);
    days.set(date, color);
  }
  return days;
}

function parseLine(line: string, number: number): { date: IsoDate; color: Color } {
  const [date = "", color = "", ...more] = line.split(",").map((cell) => cell.trim());
  if (more.length > 0) throw mismatch(number, "two cells", line);
  const known = COLORS.find((name) => name === color);
  if (!z.iso.date().safeParse(date).success) throw mismatch(number, "a date like 2026-01-05", date);
  if (known === undefined) throw mismatch(number, `one of ${COLORS.join(", ")}`, color);
  return { date, color: known };
}

function mismatch(line: number, expected: string, got: string): DaysUnreadable {
  return new DaysUnreadable(`line ${line}: Expected ${expected}, got "${got}"`);
}

const HEADER = "date,color";
