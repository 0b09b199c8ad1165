import { WrongUsage } from "./usage.ts";

/** A number of the command line. */
export function readNumber(
  option: string,
  text: string,
  expected: string,
  fits: (number: number) => boolean,
): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!fits(number)) throw new WrongUsage(`Expected ${option} to be ${expected}, got ${text}`);
  return number;
}
