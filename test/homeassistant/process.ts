import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PATIENCE } from "../support/patience.ts";

/** A line of the log; what has no head of its own, such as a traceback, belongs to the line before. */
export interface LogLine {
  level: string;
  logger: string;
  text: string;
}

export interface HassProcess {
  lines: LogLine[];
  /** Resolves when a line matches, from the given one on. */
  heard: (words: RegExp, from: number) => Promise<LogLine>;
  hasEnded: () => boolean;
  /** Ends it (SIGTERM unless told) and waits. */
  end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** `hass` in a process group of its own, which ends with this process, however this one ends. */
export function startHass(command: string, folder: string, lines: LogLine[]): HassProcess {
  const child = spawn("sh", ["-c", WATCHED, command, "-c", folder, "--log-no-color", "--skip-pip"], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, PYTHONTZPATH: TIME_ZONES.map((place) => join(place(folder), "zones")).join(":") },
  });
  const checks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    splitLines(stream, (line) => {
      addLine(lines, line);
      for (const check of checks) check();
    });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    lines,
    hasEnded,
    heard: (words, from) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`Home Assistant never said ${words}`)), PATIENCE);
        const check = () => {
          const found = lines.slice(from).find(({ text }) => words.test(text));
          if (!found) return;
          checks.delete(check);
          clearTimeout(limit);
          resolve(found);
        };
        checks.add(check);
        check();
      }),
    end: (signal = "SIGTERM") => endGroup(child, signal, hasEnded),
  };
}

/** Where `zones` is beside the configuration (local-time.ts): Home Assistant may see this folder as `/config`. */
const TIME_ZONES = [(folder: string) => folder, () => "/config"];
// The pipe closes when this process is gone, and then the group ends: no Home Assistant is left behind.
const WATCHED =
  'exec 3<&0; (cat <&3 >/dev/null 2>&1; kill -KILL 0) >/dev/null 2>&1 & exec "$0" "$@" </dev/null 3<&-';
const STOPPING = 30_000;

async function endGroup(child: ChildProcess, signal: NodeJS.Signals, hasEnded: () => boolean): Promise<void> {
  if (!hasEnded()) {
    const gone = once(child, "exit");
    child.kill(signal);
    const impatience = setTimeout(() => child.kill("SIGKILL"), STOPPING);
    await gone;
    clearTimeout(impatience);
  }
  child.stdin?.destroy();
}

function splitLines(stream: NodeJS.ReadableStream, tell: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    const whole = (rest + part).split("\n");
    rest = whole.pop() ?? "";
    for (const line of whole) tell(line);
  });
}

/** `2026-11-21 16:00:00.000+00:00 WARNING (MainThread) [homeassistant.components.mqtt] words` */
const HEAD = /^\d{4}-\d\d-\d\d [\d:.+-]+ ([A-Z]+) \([^)]*\) \[([^\]]*)\] (.*)$/;

function addLine(lines: LogLine[], line: string): void {
  const [, level, logger, text] = HEAD.exec(line) ?? [];
  const last = lines.at(-1);
  if (level !== undefined) lines.push({ level, logger: logger ?? "", text: text ?? "" });
  else if (last) last.text += `\n${line}`;
  else lines.push({ level: "", logger: "", text: line });
}
