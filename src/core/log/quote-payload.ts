import { parseJson } from "../contract/parse-json.ts";

/** A payload as log lines show it: JSON as it is, a text in quotes. */
export function quotePayload(payload: string): string {
  // Only what would break the line is escaped.
  const shown = JSON.stringify(shorten(payload))
    .slice(1, -1)
    .replaceAll(/\\(["\\])/g, "$1");
  const json = parseJson(payload);
  if (typeof json === "object" && json !== null) return shown;
  return shown.includes('"') ? `'${shown}'` : `"${shown}"`;
}

/** The beginning of what others may have made long, such as a topic. */
export function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** A command of a Shelly, second generation, has its on or off after 70 characters. */
const LONGEST_SHOWN = 100;
