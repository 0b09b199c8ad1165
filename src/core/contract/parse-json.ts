/** The content of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * undefined if there is nothing. Only own keys of objects and indexes of lists: `__proto__`, `constructor` and `length`
 * are found in nothing else.
 */
export function valueAtPath(json: unknown, path: readonly string[]): unknown {
  let value = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !INDEX.test(key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

const INDEX = /^\d+$/;

/** The number that a value is or reads as: 18.0 of `"18"`; null if it is none. A program in the house may write it in its own way. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "string" && !NUMBER.test(value)) return null;
  if (typeof value !== "string" && typeof value !== "number") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** As in JSON, with blanks around it, or a plus sign, or zeros before it. */
const NUMBER = /^\s*[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/;
