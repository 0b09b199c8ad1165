import { spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { PATIENCE } from "./patience.ts";
import { lacking } from "./prepared.ts";
import { environment, MAIN, type VigieOptions } from "./vigie.ts";

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
  /** Of the program itself. */
  kill: (signal: NodeJS.Signals) => void;
  /** Closes the terminal. */
  hangUp: () => void;
  /** The exit code. */
  ended: Promise<number | null>;
}

export const ENTER = "\r";
export const DOWN = "\u001b[B";
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

export async function startAtTerminal(options: VigieOptions & { columns?: number }): Promise<AtTerminal> {
  const { folder, args = [], columns = 200 } = options;
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const line = `stty cols ${columns} rows 50; echo "pid $$"; exec ${command.join(" ")}`;
  const env = { SHELL: "/bin/sh", TERM: "xterm-256color", ...(await environment(options)) };
  const child = spawn("script", ["-qfec", line, "/dev/null"], {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let raw = "";
  const checks = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    raw += part;
    for (const check of checks) check();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      resolve(code);
      for (const check of checks) check();
    });
  });
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
        if (found < 0) return child.exitCode === null ? undefined : give("The program ended");
        from = found + words.length;
        clearTimeout(limit);
        checks.delete(look);
        resolve();
      };
      checks.add(look);
      look();
    });
  const press = (...keys: string[]) => {
    for (const key of keys) child.stdin.write(key);
  };
  await shows("pid ");
  const pid = () => Number(/pid (\d+)/.exec(screen())?.[1]);
  return {
    shows,
    press,
    answer: async (question, ...keys) => {
      await shows(question);
      press(...keys);
    },
    screen,
    raw: () => raw,
    kill: (signal) => void process.kill(pid(), signal),
    hangUp: () => void child.kill("SIGKILL"),
    ended,
  };
}
