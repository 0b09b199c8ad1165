import { basename, join } from "node:path";
import { build } from "rolldown";

const ROOT = join(import.meta.dirname, "..", "..");

/** A program of a test, which imports modules of vigie, as one file that Node runs. Its argument is a path below the project. */
export async function bundled(program: string): Promise<string> {
  const file = join(ROOT, ".build", "test", `${basename(program, ".ts")}.mjs`);
  await build({
    input: join(ROOT, program),
    platform: "node",
    external: (id) => /^[@a-z]/.test(id),
    logLevel: "silent",
    output: { file },
  });
  return file;
}
