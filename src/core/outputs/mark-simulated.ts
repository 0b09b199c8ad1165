import { parseJson } from "../contract/parse-json.ts";

/**
 * A message that is sent only because of a simulation begins with these words. In a form, and in JSON at any depth, the texts with a
 * usual name do; an object or a form without such a text says `simulation: true`.
 */
export function markSimulated(payload: string, contentType = ""): string {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return markForm(payload);
  const json = parseJson(payload);
  if (typeof json !== "object" || json === null) return MARK + payload;
  const marked = JSON.stringify(json, markText);
  if (marked !== JSON.stringify(json)) return marked;
  return Array.isArray(json) ? MARK + payload : JSON.stringify({ ...json, simulation: true });
}

function markForm(payload: string): string {
  const form = new URLSearchParams(payload);
  const usual = [...form.keys()].filter((name) => READ_BY_PEOPLE.has(name));
  for (const name of usual) form.set(name, MARK + form.get(name));
  if (usual.length === 0) form.set("simulation", "true");
  return form.toString();
}

/** A number with a usual name is read as a text. */
function markText(name: string, value: unknown): unknown {
  const isText = typeof value === "string" || typeof value === "number";
  return isText && READ_BY_PEOPLE.has(name) ? MARK + value : value;
}

const MARK = "[simulation] ";
const READ_BY_PEOPLE: ReadonlySet<string> = new Set(["title", "message", "text", "body", "msg", "content"]);
