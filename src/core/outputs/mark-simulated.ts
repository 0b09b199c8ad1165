import { parseJson } from "../contract/parse-json.ts";

/**
 * A message that is sent only because of a simulation begins with these words. In a message in JSON the texts that people read
 * do, at any depth: those with a usual name; else the longest text that does not say where the message goes.
 */
export function markSimulated(payload: string): string {
  const json = parseJson(payload);
  if (typeof json !== "object" || json === null) return MARK + payload;
  const texts: Text[] = [];
  changeTexts(json, (one) => {
    texts.push(one);
    return one.text;
  });
  const usual = texts.filter(({ keys }) => READ_BY_PEOPLE.has(keys.at(-1) ?? ""));
  const others = texts.filter(({ keys }) => !keys.some((key) => ADDRESSES.has(key)));
  const longest = others.toSorted((one, other) => other.text.length - one.text.length).slice(0, 1);
  const marked = new Set((usual.length > 0 ? usual : longest).map(nameText));
  return JSON.stringify(changeTexts(json, (one) => (marked.has(nameText(one)) ? MARK : "") + one.text));
}

interface Text {
  text: string;
  /** Of the objects in which it is: `["to", "name"]` in `{ to: [{ name: "…" }] }`. */
  keys: readonly string[];
}

function nameText({ text, keys }: Text): string {
  return JSON.stringify([keys, text]);
}

function changeTexts(json: unknown, change: (text: Text) => string, keys: readonly string[] = []): unknown {
  if (typeof json === "string") return change({ text: json, keys });
  if (Array.isArray(json)) return json.map((item) => changeTexts(item, change, keys));
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json);
  return Object.fromEntries(entries.map(([key, value]) => [key, changeTexts(value, change, [...keys, key])]));
}

const MARK = "[simulation] ";
const READ_BY_PEOPLE: ReadonlySet<string> = new Set(["title", "message", "text", "body", "msg", "content"]);
/** Texts with these names are no words for people. */
const ADDRESSES: ReadonlySet<string> = new Set(
  "to from recipient recipients number numbers user users chat_id channel topic room token key id url type msgtype".split(
    " ",
  ),
);
