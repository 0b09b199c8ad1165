import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATIENCE } from "./patience.ts";

/** The built program; `npm test` builds it. */
export const MAIN = join(import.meta.dirname, "..", "..", "dist", "main.js");

export interface VigieOptions {
  /** Its working folder; state, health and configuration lie there. */
  folder: string;
  /** Written to the folder before the start; left out, what lies there counts. */
  config?: object;
  env?: Record<string, string>;
  args?: string[];
  /** Words before `node …`: a program that starts it. */
  through?: string[];
  /** What runs in place of the built program, which is it in another way. */
  program?: string[];
}

interface LogLine {
  level: string;
  msg: string;
}

interface Ending {
  /** null: by a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built program as a process of its own. */
export interface Vigie {
  pid: number;
  /** What it logged so far. */
  lines: LogLine[];
  /** All that it printed so far. */
  output: () => string;
  /** The first line that matches, from the given one on; rejects when the process ends without. */
  says: (words: RegExp, from?: number) => Promise<LogLine>;
  /** The first screen or anything else that is no log. */
  prints: (words: RegExp) => Promise<string>;
  ended: Promise<Ending>;
  /** Sends a signal and waits for the end. */
  end: (signal?: NodeJS.Signals) => Promise<Ending>;
}

export async function startVigie(options: VigieOptions): Promise<Vigie> {
  const { folder, args = [], through = [], program = [process.execPath, MAIN] } = options;
  if (options.config) await writeConfig(folder, options.config);
  const [command = "", ...rest] = [...through, ...program, ...args];
  const child = spawn(command, rest, { cwd: folder, env: await environment(options), stdio: PIPES });
  const heard = listen(child);
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...heard.text }));
  });
  const awaited = (find: () => string | undefined, words: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        heard.checks.delete(look);
        clearTimeout(limit);
        resolve(found);
      };
      const give = (why: string) => reject(new Error(`${why} without ${words}:\n${all()}`));
      const limit = setTimeout(() => give(`${PATIENCE / 1000} s went by`), PATIENCE);
      heard.checks.add(look);
      look();
      void ended.then(() => give("vigie ended"));
    });
  const all = () => heard.text.stdout + heard.text.stderr;
  return {
    pid: child.pid ?? 0,
    lines: heard.lines,
    output: all,
    ended,
    says: async (words, from = 0) => {
      const find = () => heard.lines.slice(from).find(({ msg }) => words.test(msg))?.msg;
      const msg = await awaited(find, words);
      return heard.lines.slice(from).find((line) => line.msg === msg) ?? { level: "", msg };
    },
    prints: (words) => awaited(() => words.exec(all())?.[0], words),
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** A command from its start to its end. */
export async function runVigie(options: VigieOptions): Promise<Ending> {
  const vigie = await startVigie(options);
  return vigie.ended;
}

export async function writeConfig(folder: string, config: object): Promise<void> {
  // JSON is YAML.
  await writeFile(join(folder, "vigie.yaml"), JSON.stringify(config, null, 2));
}

/** Removes the folders and ends the programs of a test when it is over. */
export interface Cleanup {
  createFolder: () => Promise<string>;
  startVigie: (options: VigieOptions) => Promise<Vigie>;
  /** Adds a step. The steps run in reverse order. */
  add: (end: () => Promise<unknown>) => void;
  run: () => Promise<void>;
}

export function createCleanup(): Cleanup {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    createFolder: async () => {
      const folder = await mkdtemp(join(tmpdir(), "vigie-program-"));
      ends.unshift(() => rm(folder, { recursive: true, force: true }));
      return folder;
    },
    startVigie: async (options) => {
      const vigie = await startVigie(options);
      ends.unshift(() => vigie.end("SIGKILL"));
      return vigie;
    },
    add: (end) => void ends.unshift(end),
    run: async () => {
      for (const end of ends.splice(0)) await end();
    },
  };
}

/** Nothing of this machine's own settings reaches the program, and programs of other tests do not have its port. */
export async function environment({ folder, env = {} }: VigieOptions): Promise<Record<string, string>> {
  const temporary = join(folder, "tmp");
  await mkdir(temporary, { recursive: true });
  const path = process.env["PATH"] ?? "";
  const config = join(folder, "vigie.yaml");
  return { PATH: path, TMPDIR: temporary, VIGIE_CONFIG: config, VIGIE_HTTP_LISTEN: "off", ...env };
}

interface Heard {
  text: { stdout: string; stderr: string };
  lines: LogLine[];
  checks: Set<() => void>;
}

function listen(child: ChildProcess): Heard {
  const heard: Heard = { text: { stdout: "", stderr: "" }, lines: [], checks: new Set() };
  let rest = "";
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (part: string) => {
      heard.text[name] += part;
      if (name === "stdout") {
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        heard.lines.push(...lines.filter((line) => line.startsWith('{"level"')).map(parseLine));
      }
      for (const check of heard.checks) check();
    });
  }
  return heard;
}

function parseLine(text: string): LogLine {
  const { level, msg }: LogLine = JSON.parse(text);
  return { level, msg };
}

const PIPES: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
