import { parseJson } from "../contract/parse-json.ts";

/**
 * A message that is sent only because of a simulation begins with these words. Of a message in JSON the texts that people read
 * do: those with a usual name, else the first text.
 */
export function markSimulated(payload: string): string {
  const json = parseJson(payload);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return MARK + payload;
  const texts = Object.entries(json).filter(([, value]) => typeof value === "string");
  const usual = texts.filter(([name]) => READ_BY_PEOPLE.has(name));
  const marked = (usual.length > 0 ? usual : texts.slice(0, 1)).map(([name, text]) => [name, MARK + text]);
  return JSON.stringify({ ...json, ...Object.fromEntries(marked) });
}

const MARK = "[simulation] ";
const READ_BY_PEOPLE: ReadonlySet<string> = new Set(["title", "message", "text", "body", "msg", "content"]);
