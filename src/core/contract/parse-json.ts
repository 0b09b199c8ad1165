/** The content of a JSON text; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * undefined where there is nothing. Only own keys of objects and indexes of lists: `__proto__`, `constructor` and `length`
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
