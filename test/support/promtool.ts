import { spawnSync } from "node:child_process";
import { lacking } from "./prepared.ts";

export const withoutPromtool = lacking(
  spawnSync("promtool", ["--version"]).error === undefined,
  "(promtool is not installed: apt-get install prometheus)",
);

/** What promtool complains of; empty where it finds nothing. */
export function judgeMetrics(text: string): string {
  return promtool(["check", "metrics"], text);
}

/** The same of files, in the folder where they are. */
export function promtool(args: readonly string[], input = "", cwd?: string): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8", cwd });
  return status === 0 && stderr === "" ? "" : `${status}: ${stdout}${stderr}`;
}
