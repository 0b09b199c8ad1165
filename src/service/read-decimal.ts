/**
 * A finite number, or a string that is a plain decimal number: some services send `"0.1654"` for the sake of exactness,
 * and it can mean nothing else. Anything else (true, "0,16", "85 %", "") is no number.
 */
export function readDecimal(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !/^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim())) return null;
  return Number(value);
}
