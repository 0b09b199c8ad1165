import { oneLine } from "./escape-controls.ts";

/** One line of the log, secrets already masked. */
export interface LogEntry {
  level: "debug" | "info" | "warn" | "error";
  sentence: string;
  details: Record<string, unknown>;
}

/** For a person at a terminal: the date and time, the sentence, and the level only for a warning or an error. */
export function prettyLine({ level, sentence, details }: LogEntry, time: string, isColored: boolean): string {
  const paint = (code: number, text: string) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const mark = MARKS.get(level);
  const prefix = mark ? paint(mark.color, `${mark.word}: `) : "";
  return `${paint(DIM, time)}  ${prefix}${oneLine(sentence)}${paint(DIM, shortDetails(details))}\n`;
}

/** For systemd's journal, which adds the time and reads the level from `<N>`. */
export function journalLine({ level, sentence, details }: LogEntry): string {
  return `${journalPriority(level)}${oneLine(sentence)}${shortDetails(details)}\n`;
}

export function journalPriority(level: LogEntry["level"]): string {
  return `<${SYSLOG_PRIORITIES[level]}>`;
}

/** Whether systemd's journal reads the lines. A terminal wins: on a desktop it often inherits the variable. */
export function isReadByJournal({ terminal, env }: { terminal: boolean; env: NodeJS.ProcessEnv }): boolean {
  return !terminal && Boolean(env["JOURNAL_STREAM"]);
}

/** Details as plain JSON: errors with message and cause, nothing circular, every text through `mask`. */
export function plainDetails(details: object, mask: (text: string) => string): Record<string, unknown> {
  return plainValue(details, mask, 0) as Record<string, unknown>;
}

function plainValue(value: unknown, mask: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  const plain = (part: unknown) => plainValue(part, mask, depth + 1);
  if (value instanceof Error) return plain(partsOfError(value));
  if (Array.isArray(value)) return value.slice(0, LONGEST).map(plain);
  if (value instanceof Date || value instanceof URL) return mask(String(value));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, part]) => [mask(String(key)), plain(part)]));
}

function partsOfError(error: Error): object {
  const { name, message, cause } = error;
  const code = "code" in error ? error.code : undefined;
  // Only a fault of vigie needs a stack; an error of a disk or a network has a code or a cause.
  const stack = code === undefined && cause === undefined ? error.stack : undefined;
  return { name, message, code, stack, cause };
}

/** ` (key value, …)`: only what is short, and the stack of an error. */
function shortDetails(details: Record<string, unknown>): string {
  const short = Object.entries(details).flatMap(([key, value]) => {
    const stack = stackOf(value);
    if (stack !== undefined) return [oneLine(`${key} ${stack}`)];
    return isShort(value) ? [oneLine(`${key} ${value}`)] : [];
  });
  return short.length === 0 ? "" : ` (${short.join(", ")})`;
}

/** Of an error of vigie itself, on one line. */
function stackOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("stack" in value)) return undefined;
  return typeof value.stack === "string" ? value.stack.replaceAll(/\s*\n\s*/g, " ") : undefined;
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 80;
  return typeof value === "number" || typeof value === "boolean";
}

const DEEPEST = 5;
const LONGEST = 100;
const DIM = 2;
const MARKS = new Map([
  ["warn", { word: "warning", color: 33 }],
  ["error", { word: "error", color: 31 }],
]);
const SYSLOG_PRIORITIES = { error: 3, warn: 4, info: 6, debug: 7 };
