import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SECRET_FILES } from "./generate-outputs.ts";

/** The files that `secret_file` names, on the real disk: vigie reads them at each request. */
export function openSecrets() {
  const folder = mkdtempSync(join(tmpdir(), "vigie-household-"));
  const write = (name: string) => writeFileSync(join(folder, name), `${SECRET_FILES[name]}\n`);
  for (const name of Object.keys(SECRET_FILES)) write(name);
  return {
    folder,
    write,
    remove: (name: string) => rmSync(join(folder, name), { force: true }),
    close: () => rmSync(folder, { recursive: true }),
  };
}
