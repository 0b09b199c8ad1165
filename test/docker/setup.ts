import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { lacking } from "../support/prepared.ts";
import { TREE, withoutDocker } from "./builder.ts";

/** Builds the image once for all files; what the suite leaves on the disk goes with it. */
export default async function buildImage(): Promise<() => Promise<void>> {
  if (lacking(withoutDocker === "", withoutDocker)) return async () => undefined;
  if (withoutDocker) throw new Error(withoutDocker);
  const folder = await mkdtemp(join(tmpdir(), "vigie-docker-"));
  const tree = join(folder, "tree");
  process.env["TMPDIR"] = folder;
  process.env[TREE] = tree;
  const root = join(import.meta.dirname, "..", "..");
  const build = join(process.env["VIGIE_CONTAINER"] ?? "", "build");
  const { stdout, stderr } = await promisify(execFile)(build, [root, tree], { maxBuffer: 2 ** 26 });
  await writeFile(`${tree}.log`, stdout + stderr);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
