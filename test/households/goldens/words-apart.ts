/** A text without its words for people, and these words. */
interface Apart {
  data: string;
  /** By which keys they stood in the text, and what they say. */
  words: readonly (readonly [place: string, words: string])[];
}

/** A payload: JSON, or one value. */
export function takeWordsOut(payload: string): Apart {
  const json = readObject(payload);
  if (json === null)
    return isSaid(payload) ? { data: MARK, words: [["", payload]] } : { data: payload, words: [] };
  const words: [string, string][] = [];
  const data = mapStrings(json, [], (text, path) => {
    if (!isSaid(text) && path.at(-1) !== NAME) return text;
    words.push([path.join("."), text]);
    return MARK;
  });
  return { data: JSON.stringify(data), words };
}

/** An object or a list in JSON; null: it is something else, such as `[simulation] Tempo`. */
export function readObject(payload: string): object | null {
  if (!/^[[{]/.test(payload)) return null;
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}

function mapStrings(
  value: unknown,
  path: readonly string[],
  map: (text: string, path: readonly string[]) => string,
): unknown {
  if (typeof value === "string") return map(value, path);
  if (Array.isArray(value)) return value.map((one, index) => mapStrings(one, [...path, String(index)], map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapStrings(one, [...path, key], map)]),
  );
}

/** It has two words at least, and is no template of Home Assistant. */
function isSaid(text: string): boolean {
  return /\p{L}\S*\s+\S*[\p{L}\d]/u.test(text) && !text.includes("{{") && !text.includes("{%");
}

/** What stands in it in a discovery message is for people, even if it is one word. */
const NAME = "name";
/** It stands in the place of words. */
const MARK = "…";
