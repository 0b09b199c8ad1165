import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** All that the suite leaves on the disk goes with it. */
export default async function keepTidy(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "vigie-homeassistant-"));
  process.env["TMPDIR"] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
