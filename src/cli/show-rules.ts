import { UNKNOWN } from "../core/facts/format-value.ts";
import { type Cell, formatTable } from "./table.ts";

type Read = (topic: string) => string;

/** The rules of a running vigie: what each says, when it turns next, and why. */
export function ruleSections(topics: ReadonlyMap<string, string>, wall: Read, color: boolean): string[] {
  const ids = [...topics.keys()].flatMap((topic) => /^rules\/([^/]+)\/state$/.exec(topic)?.[1] ?? []);
  if (ids.length === 0) return [];
  const read = (topic: string) => topics.get(topic) ?? UNKNOWN;
  return [
    formatTable(
      ids.toSorted().map((id) => ruleRow(`rules/${id}`, id, read, wall)),
      color,
    ),
  ];
}

/** Said at the top where a colour is pretended. */
export function pretendedWords(read: Read, wall: Read): string {
  const color = read("simulation/color");
  if (color === "auto" || color === UNKNOWN) return "";
  return `${color} is PRETENDED until ${wall("simulation/until")}\n`;
}

function ruleRow(topic: string, id: string, read: Read, wall: Read): Cell[] {
  const state = read(`${topic}/state`);
  return [
    `rule ${id}`,
    state === UNKNOWN ? "unknown" : state,
    nextBoundary(topic, read, wall),
    reasons(read(topic)).join("; "),
  ];
}

function nextBoundary(topic: string, read: Read, wall: Read): string {
  const turns = [
    { word: "ON", at: read(`${topic}/next_on`), name: `${topic}/next_on` },
    { word: "OFF", at: read(`${topic}/next_off`), name: `${topic}/next_off` },
  ].filter(({ at }) => at !== UNKNOWN);
  // Instants in UTC stand in the order of their text.
  const [first] = turns.toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return first ? `${first.word} ${wall(first.name)}` : "";
}

/** What another program wrote there is no reason to fail. */
function reasons(json: string): string[] {
  try {
    const { because }: { because?: unknown } = JSON.parse(json) ?? {};
    return Array.isArray(because) ? because.map(String) : [];
  } catch {
    return [];
  }
}
