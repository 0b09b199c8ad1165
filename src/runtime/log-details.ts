/** Details as plain JSON: errors with their message and cause, nothing circular, every text through `mask`. */
export function plainDetails(value: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  const inner = (part: unknown) => plainDetails(part, mask, depth + 1);
  if (value instanceof Error) return inner(errorParts(value));
  if (Array.isArray(value)) return value.slice(0, LONGEST).map(inner);
  if (value instanceof Date || value instanceof URL) return mask(String(value));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, part]) => [mask(String(key)), inner(part)]));
}

function errorParts(error: Error): object {
  const { name, message, cause } = error;
  const code = "code" in error ? error.code : undefined;
  // A stack is for those who debug a fault of ours; what a disk or a network says needs none.
  const stack = code === undefined && cause === undefined ? error.stack : undefined;
  return { name, message, code, stack, cause };
}

const DEEPEST = 5;
const LONGEST = 100;
