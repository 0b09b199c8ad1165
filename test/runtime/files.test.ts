import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { link } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { replaceFile } from "../../src/runtime/files.ts";

vi.mock("node:fs/promises", { spy: true });

describe("a file that is replaced on a file system without hard links", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "vigie-files-"));
    const refused = Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
    vi.mocked(link).mockRejectedValue(refused);
  });
  afterEach(() => {
    vi.mocked(link).mockReset();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is kept as the previous one all the same", async () => {
    const [path, previous] = [join(folder, "file"), join(folder, "previous")];
    for (const text of ["first", "second", "third"])
      await replaceFile(path, text, { durable: true, previous });
    expect(readFileSync(path, "utf8")).toBe("third");
    expect(readFileSync(previous, "utf8")).toBe("second");
    expect(readdirSync(folder)).toEqual(["file", "previous"]);
  });
});
