import { spawn, spawnSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { setup } from "../../src/cli/setup.ts";
import { LONG } from "./long.ts";
import { PATIENCE } from "./patience.ts";
import { lacking } from "./prepared.ts";
import { environment, MAIN, type VigieOptions, writeAsMain } from "./vigie.ts";

/** util-linux has it; the one of BSD takes other options. */
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");

/** Says why a program cannot be run in a terminal here; empty where it can. */
export const withoutTerminal = lacking(hasScript ?? false, "script is missing (util-linux)");

/** The built program at a terminal, and the person who sits there. */
export interface AtTerminal {
  /** Resolves when these words are on the screen, after those that were waited for before. */
  shows: (words: string) => Promise<void>;
  /** Types these keys. */
  press: (...keys: string[]) => void;
  /** Waits for a question, and answers it. */
  answer: (question: string, ...keys: string[]) => Promise<void>;
  /** All that was on the screen so far, without colours and movements. */
  screen: () => string;
  /** The same with them. */
  raw: () => string;
  /** Ends the program by SIGTERM. */
  terminate: () => void;
  /** Closes the terminal. */
  hangUp: () => void;
  /** The exit code. */
  ended: Promise<number | null>;
}

export const ENTER = "\r";
export const DOWN = "\u001b[B";
export const UP = "\u001b[A";
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

interface TerminalOptions extends VigieOptions {
  columns?: number;
}

/** `vigie setup` at a terminal: the built program at a real one in the long run, else within this process. */
export function startSetup(options: TerminalOptions): Promise<AtTerminal> {
  return LONG ? startAtTerminal(options) : startInProcess(options);
}

export async function startAtTerminal(options: TerminalOptions): Promise<AtTerminal> {
  const { folder, args = [], columns = 200 } = options;
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const line = `stty cols ${columns} rows 50; echo "pid $$"; exec ${command.join(" ")}`;
  const env = { SHELL: "/bin/sh", TERM: "xterm-256color", ...(await environment(options)) };
  const child = spawn("script", ["-qfec", line, "/dev/null"], {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const seen = watchScreen(ended);
  child.stdout.setEncoding("utf8").on("data", seen.add);
  await seen.shows("pid ");
  const pid = () => Number(/pid (\d+)/.exec(seen.screen())?.[1]);
  return {
    ...withKeys(seen, (key) => child.stdin.write(key)),
    terminate: () => void process.kill(pid(), "SIGTERM"),
    hangUp: () => void child.kill("SIGKILL"),
    ended,
  };
}

async function startInProcess(options: TerminalOptions): Promise<AtTerminal> {
  const { folder, args = [], columns = 200 } = options;
  const [, ...setupArgs] = args;
  const input = new PassThrough();
  const stop = new AbortController();
  const write = writeAsMain((text) => seen.add(text));
  const env = await environment(options);
  const ended = Promise.resolve().then(() =>
    setup(setupArgs, {
      env,
      cwd: folder,
      color: true,
      stdout: { write, isTTY: true },
      stderr: { write, isTTY: true },
      signal: stop.signal,
      terminal: { input, output: { columns, rows: 50 } },
    }),
  );
  const seen = watchScreen(ended);
  return {
    ...withKeys(seen, (key) => input.write(key)),
    terminate: () => stop.abort(),
    hangUp: () => void input.destroy(),
    ended,
  };
}

type Screen = ReturnType<typeof watchScreen>;

function withKeys({ shows, screen, raw }: Screen, type: (key: string) => void) {
  const press = (...keys: string[]) => {
    for (const key of keys) type(key);
  };
  const answer = async (question: string, ...keys: string[]) => {
    await shows(question);
    press(...keys);
  };
  return { shows, screen, raw, press, answer };
}

function watchScreen(ended: Promise<unknown>) {
  let raw = "";
  let hasEnded = false;
  const checks = new Set<() => void>();
  const checkAll = () => {
    for (const check of checks) check();
  };
  const end = () => {
    hasEnded = true;
    checkAll();
  };
  void ended.then(end, end);
  const screen = () => stripVTControlCharacters(raw).replaceAll("\r", "").replaceAll("\u00a0", " ");
  let from = 0;
  const shows = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => give(`${PATIENCE / 1000} s went by`), PATIENCE);
      const give = (why: string) => {
        clearTimeout(limit);
        checks.delete(look);
        reject(new Error(`${why} without "${words}" after:\n${screen().slice(from)}`));
      };
      const look = () => {
        const found = screen().indexOf(words, from);
        if (found < 0) return hasEnded ? give("The program ended") : undefined;
        from = found + words.length;
        clearTimeout(limit);
        checks.delete(look);
        resolve();
      };
      checks.add(look);
      look();
    });
  const add = (text: string) => {
    raw += text;
    checkAll();
  };
  return { add, shows, screen, raw: () => raw };
}
