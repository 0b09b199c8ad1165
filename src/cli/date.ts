import { z } from "zod";
import type { IsoDate } from "../core/calendar/tariff.ts";
import { WrongUsage } from "./usage.ts";

/** A date of the command line. */
export function readDate(name: string, text: string): IsoDate {
  if (z.iso.date().safeParse(text).success) return text;
  throw new WrongUsage(`Expected ${name} to be a date like 2026-01-05, got ${text}`);
}
