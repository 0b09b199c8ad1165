import { parseJson } from "../contract/parse-json.ts";

/**
 * A message that is sent only because of a simulation begins with these words. In a form, and in JSON at any depth, the texts that
 * people read do: those with a usual name; else the longest one that is no address. An object without such a text says
 * `simulation: true`.
 */
export function markSimulated(payload: string, contentType = ""): string {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return markForm(payload);
  const json = parseJson(payload);
  return typeof json === "object" && json !== null ? JSON.stringify(markTexts(json)) : MARK + payload;
}

function markForm(payload: string): string {
  const form = new URLSearchParams(payload);
  for (const [name, value] of Object.entries(markTexts(Object.fromEntries(form))))
    form.set(name, String(value));
  return form.toString();
}

function markTexts(json: object): object {
  const texts = textsIn(json, []);
  const usual = texts.filter(({ keys }) => READ_BY_PEOPLE.has(keys.at(-1) ?? ""));
  const others = texts.filter((one) => !isAddress(one));
  const longest = others.toSorted((one, other) => other.text.length - one.text.length).slice(0, 1);
  const marked = new Set((usual.length > 0 ? usual : longest).map(nameText));
  if (marked.size === 0) return Array.isArray(json) ? json : { ...json, simulation: true };
  return changeTexts(json, (one) => (marked.has(nameText(one)) ? MARK + one.text : undefined)) as object;
}

interface Text {
  text: string;
  /** Of the objects in which it is: `["to", "name"]` in `{ to: [{ name: "…" }] }`. */
  keys: readonly string[];
}

function isAddress({ text, keys }: Text): boolean {
  return URL.canParse(text) || keys.some((key) => ADDRESSES.has(key));
}

function nameText({ text, keys }: Text): string {
  return JSON.stringify([keys, text]);
}

function textsIn(json: object, texts: Text[]): Text[] {
  changeTexts(json, (one) => {
    texts.push(one);
    return undefined;
  });
  return texts;
}

/** `change` returns undefined for what stays as it is. A number counts as a text if it has a usual name. */
function changeTexts(
  json: unknown,
  change: (text: Text) => string | undefined,
  keys: readonly string[] = [],
): unknown {
  if (Array.isArray(json)) return json.map((item) => changeTexts(item, change, keys));
  if (typeof json === "object" && json !== null)
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [key, changeTexts(value, change, [...keys, key])]),
    );
  const isText = typeof json === "string" || (json !== null && READ_BY_PEOPLE.has(keys.at(-1) ?? ""));
  return isText ? (change({ text: String(json), keys }) ?? json) : json;
}

const MARK = "[simulation] ";
const READ_BY_PEOPLE: ReadonlySet<string> = new Set(["title", "message", "text", "body", "msg", "content"]);
/** Texts with these names are no words for people. */
const ADDRESSES: ReadonlySet<string> = new Set(
  "to from recipient recipients number numbers user users chat_id channel topic room token key id url type msgtype".split(
    " ",
  ),
);
