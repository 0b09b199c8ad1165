import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { libraryFolder } from "../support/fake-time.ts";

const BOOT = process.env["VIGIE_SYSTEMD_BOOT"];
const ROOT = join(import.meta.dirname, "..", "..");
const TREE = process.env["VIGIE_SYSTEMD_TREE"] ?? join(tmpdir(), "vigie-systemd");

/** Says why no machine can be started here; empty where it can. */
export const withoutMachine = whyNot();

function whyNot(): string {
  if (!BOOT) return "VIGIE_SYSTEMD_BOOT names no command that boots a Debian with systemd";
  if (!existsSync(BOOT)) return `${BOOT} (VIGIE_SYSTEMD_BOOT) does not exist`;
  return process.getuid?.() === 0 ? "" : "only root can boot a machine";
}

/** What a command on the machine printed, and how it ended. */
interface Finding {
  code: number;
  text: string;
}

/** Everything that a script on the machine found, by name; asking for what it did not get to is a failure that says so. */
export type Findings = (name: string) => Finding;

/** Boots the machine, has it run a script of this folder, and ends when it is off again. */
export async function runOnMachine(script: string): Promise<Findings> {
  const download = inject("download");
  const folders = {
    [import.meta.dirname]: "/suite",
    [join(ROOT, "docs")]: "/docs",
    [download]: "/download",
    [join(download, "package")]: "/package",
    ...(libraryFolder === undefined ? {} : { [libraryFolder]: "/faketime" }),
  };
  const mounts = Object.entries(folders).flatMap(([from, to]) => ["-v", `${from}:${to}`]);
  const child = spawn(BOOT ?? "", [TREE, join(import.meta.dirname, script), ...mounts]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
  }
  await new Promise((resolve) => child.once("close", resolve));
  if (process.env["VIGIE_SYSTEMD_SHOW"]) process.stdout.write(output);
  const found = parseFindings(output);
  return (name) => {
    const finding = found.get(name);
    if (finding) return finding;
    throw new Error(`The machine did not get to '${name}':\n${output.slice(-4_000)}`);
  };
}

/** Between `@@ name` and `@@ = code` stands what a command printed. */
function parseFindings(output: string): Map<string, Finding> {
  const found = new Map<string, Finding>();
  for (const [, name = "", text = "", code] of output.matchAll(/^@@ ([^=\n]+)\n([\s\S]*?)^@@ = (\d+)$/gm))
    found.set(name, { text: text.trimEnd(), code: Number(code) });
  return found;
}
