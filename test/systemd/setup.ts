import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { lacking } from "../support/prepared.ts";
import { withoutMachine } from "./machine.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with the package as `npm pack` makes it, and with what is in it. */
    download: string;
  }
}

/** What is installed is what `npm pack` gives, and nothing else of the checkout. */
export default async function unpackPackage({
  provide,
}: TestProject): Promise<(() => Promise<void>) | undefined> {
  provide("download", "");
  if (lacking(withoutMachine === "", withoutMachine)) return undefined;
  if (withoutMachine) throw new Error(withoutMachine);
  const folder = await mkdtemp(join(tmpdir(), "vigie-package-"));
  const root = join(import.meta.dirname, "..", "..");
  const packed = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
  });
  execFileSync("tar", ["-xzf", join(folder, packed.toString().trim()), "-C", folder]);
  provide("download", folder);
  return () => rm(folder, { recursive: true, force: true });
}
