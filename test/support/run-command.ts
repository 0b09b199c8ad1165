import type { Io } from "../../src/cli/io.ts";

/** Runs a command within this process; returns its exit code and what it wrote. */
export async function runCommand(
  command: (io: Io) => Promise<number>,
  { env = {}, cwd = "/", color = false }: Partial<Pick<Io, "env" | "cwd" | "color">> = {},
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await command({
    env,
    cwd,
    color,
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
    signal: new AbortController().signal,
  });
  return { code, ...said };
}
