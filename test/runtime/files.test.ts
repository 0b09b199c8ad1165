import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { replaceFile } from "../../src/runtime/files.ts";

describe("a file that is replaced on a file system without hard links", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "vigie-files-"));
    const refused = Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
    vi.spyOn(fs, "link").mockRejectedValue(refused);
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is kept as the previous one all the same", async () => {
    const [path, previous] = [join(folder, "file"), join(folder, "previous")];
    await replaceFile(path, "first", { durable: true });
    for (const text of ["second", "third"]) await replaceFile(path, text, { durable: true, previous });
    expect(readFileSync(path, "utf8")).toBe("third");
    expect(readFileSync(previous, "utf8")).toBe("second");
    expect(readdirSync(folder)).toEqual(["file", "previous"]);
  });
});
