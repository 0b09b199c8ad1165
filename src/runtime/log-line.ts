/** What pino wrote of one line. */
interface Line {
  level: string;
  time: string;
  msg: string;
  details?: Record<string, unknown>;
}

/** For a person at a terminal: the time on the wall, the sentence, and the level only where it matters. */
export function prettyLine(json: string, colored: boolean): string {
  const { level, time, msg, details }: Line = JSON.parse(json);
  const paint = (code: number, text: string) => (colored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const hour = new Date(time).toTimeString().slice(0, 8);
  const sign = SIGNS.get(level);
  const prefix = sign ? paint(sign.paint, `${sign.word}: `) : "";
  return `${paint(DIM, hour)}  ${prefix}${oneLine(msg)}${paint(DIM, aside(details))}\n`;
}

/** For journald, which has its own time and reads the level from `<N>`. */
export function journalLine(json: string): string {
  const { level, msg, details }: Line = JSON.parse(json);
  return `${markPriority(level)}${oneLine(msg)}${aside(details)}\n`;
}

export function markPriority(level: string): string {
  return `<${PRIORITIES.get(level) ?? 6}>`;
}

/** Short details only: ` (key value, …)`. */
function aside(details: Record<string, unknown> = {}): string {
  const short = Object.entries(details).filter(([, value]) => isShort(value));
  return short.length === 0 ? "" : ` (${short.map(([key, value]) => oneLine(`${key} ${value}`)).join(", ")})`;
}

function isShort(value: unknown): boolean {
  return typeof value === "string"
    ? value.length <= SHORT
    : typeof value === "number" || typeof value === "boolean";
}

/** A line stays one line, and what others said to us moves no cursor. */
function oneLine(text: string): string {
  return text.replaceAll(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return character === "\n" ? "\\n" : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const SHORT = 80;
const DIM = 2;
const SIGNS = new Map([
  ["warn", { word: "warning", paint: 33 }],
  ["error", { word: "error", paint: 31 }],
]);

/** syslog's. */
const PRIORITIES = new Map([
  ["error", 3],
  ["warn", 4],
  ["info", 6],
  ["debug", 7],
]);
