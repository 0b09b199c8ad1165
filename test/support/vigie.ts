import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCommand } from "../../src/cli/command-line.ts";
import { toExitCode } from "../../src/cli/exit-code.ts";
import type { Io, Output } from "../../src/cli/io.ts";
import { runVigie as runDaemon } from "../../src/cli/run.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { escapeControls } from "../../src/runtime/escape-controls.ts";
import { holdOutput } from "../../src/runtime/log.ts";
import { createReloadSignal, type ReloadSignal } from "../../src/runtime/reload-signal.ts";
import { LONG } from "./long.ts";
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
  /** In `npm test`, it runs within the process of the test, which spares the start of another one. */
  here?: boolean;
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
  /** Sends SIGHUP. */
  hangUp: () => void;
  /** Sends a signal and waits for the end. Within the process of the test each signal ends vigie in order. */
  end: (signal?: NodeJS.Signals) => Promise<Ending>;
}

export async function startVigie(options: VigieOptions): Promise<Vigie> {
  if (options.config) await writeConfig(options.folder, options.config);
  return options.here && !LONG ? startHere(options) : startProcess(options);
}

async function startProcess(options: VigieOptions): Promise<Vigie> {
  const { folder, args = [], through = [], program = [process.execPath, MAIN] } = options;
  const [command = "", ...rest] = [...through, ...program, ...args];
  const child = spawn(command, rest, { cwd: folder, env: await environment(options), stdio: PIPES });
  const heard = hear();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (part: string) => heard.add(name, part));
  }
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...heard.text }));
  });
  return {
    pid: child.pid ?? 0,
    ...watchOutput(heard, ended),
    hangUp: () => void child.kill("SIGHUP"),
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

async function startHere(options: VigieOptions): Promise<Vigie> {
  const { args = [] } = options;
  const heard = hear();
  const stop = new AbortController();
  const io = await ioHere(options, heard.add, stop.signal);
  const reloadSignal = createReloadSignal();
  const { command, args: rest } = parseCommand(args);
  const isDaemon = args.every((arg) => arg === "run" || arg.startsWith("--"));
  const running = isDaemon
    ? runDaemonHere({ io, reloadSignal, takeOver: args.includes("--take-over"), write: heard.add })
    : command(rest, io);
  const ended = running.then((code) => ({ code, ...heard.text }));
  return {
    pid: process.pid,
    ...watchOutput(heard, ended),
    hangUp: reloadSignal.send,
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

interface DaemonHere {
  io: Io;
  reloadSignal: ReloadSignal;
  takeOver: boolean;
  write: Heard["add"];
}

/** As `run` of src/cli/run.ts, which logs to the standard output of the process. */
function runDaemonHere({ io, reloadSignal, takeOver, write }: DaemonHere): Promise<number> {
  const load = () => loadConfig({ file: undefined, env: io.env, cwd: io.cwd, signal: io.signal });
  return toExitCode("run", io, async () => {
    const loaded = await load();
    const stdout = { write: (text: string) => write("stdout", text), terminal: false, env: io.env };
    const output = holdOutput(stdout, 0);
    output.release();
    await runDaemon(loaded, { io, reloadSignal, load, output, takeOver });
  });
}

function watchOutput(heard: Heard, ended: Promise<Ending>) {
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
    lines: heard.lines,
    output: all,
    ended,
    says: async (words: RegExp, from = 0) => {
      const find = () => heard.lines.slice(from).find(({ msg }) => words.test(msg))?.msg;
      const msg = await awaited(find, words);
      return heard.lines.slice(from).find((line) => line.msg === msg) ?? { level: "", msg };
    },
    prints: (words: RegExp) => awaited(() => words.exec(all())?.[0], words),
  };
}

/** A command from its start to its end. */
export async function runVigie(options: VigieOptions): Promise<Ending> {
  const vigie = await startVigie(options);
  return vigie.ended;
}

/** The same within the process of the test, for each command but `run`, which logs to the standard output of its process. */
export async function runHere(options: VigieOptions): Promise<Ending> {
  const { folder, config, args = [] } = options;
  if (config) await writeConfig(folder, config);
  const { text, add } = hear();
  const { command, args: rest } = parseCommand(args);
  const code = await command(rest, await ioHere(options, add, new AbortController().signal));
  return { code, ...text };
}

/** How main.ts writes what a command says. */
export function writeAsMain(write: (text: string) => void): Output["write"] {
  return (text, how) => write(how === "painted" ? text : escapeControls(text));
}

/** What main.ts gives to a command. */
async function ioHere(options: VigieOptions, add: Heard["add"], signal: AbortSignal): Promise<Io> {
  const open = (name: "stdout" | "stderr") => ({ write: writeAsMain((text) => add(name, text)) });
  return {
    env: await environmentHere(options),
    cwd: options.folder,
    stdout: open("stdout"),
    stderr: open("stderr"),
    signal,
    color: false,
  };
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

/** Within this process the temporary folder is that of all tests: health files lie elsewhere. */
async function environmentHere(options: VigieOptions): Promise<Record<string, string>> {
  const env = await environment(options);
  return { RUNTIME_DIRECTORY: join(options.folder, "tmp"), ...env };
}

interface Heard {
  text: { stdout: string; stderr: string };
  lines: LogLine[];
  checks: Set<() => void>;
  add: (name: "stdout" | "stderr", part: string) => void;
}

function hear(): Heard {
  const heard = { text: { stdout: "", stderr: "" }, lines: [] as LogLine[], checks: new Set<() => void>() };
  let rest = "";
  return {
    ...heard,
    add: (name, part) => {
      heard.text[name] += part;
      if (name === "stdout") {
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        heard.lines.push(...lines.filter((line) => line.startsWith('{"level"')).map(parseLine));
      }
      for (const check of heard.checks) check();
    },
  };
}

function parseLine(text: string): LogLine {
  const { level, msg }: LogLine = JSON.parse(text);
  return { level, msg };
}

const PIPES: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
