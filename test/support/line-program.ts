import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Cleanup } from "./vigie.ts";

/** A small program beside a test that takes lines, and answers with lines. */
export interface LineProgram {
  pid: number | undefined;
  send: (line: string) => void;
  /** The next line that it writes. */
  nextLine: () => Promise<string>;
  /** SIGKILL; resolves when it has ended. */
  kill: () => Promise<unknown>;
}

/** Resolves with the program's first line. */
export async function startLineProgram(
  cleanup: Cleanup,
  path: string,
  ...args: string[]
): Promise<LineProgram> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  cleanup.add(kill);
  const lines = createInterface({ input: child.stdout });
  const nextLine = async () => String((await once(lines, "line"))[0]);
  await nextLine();
  return { pid: child.pid, send: (line) => void child.stdin.write(`${line}\n`), nextLine, kill };
}
