import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeFigures } from "./table.mjs";

describe("the figures in docs/figures.md", async () => {
  const readme = await readFile(join(import.meta.dirname, "../../docs/figures.md"), "utf8");
  const measured = JSON.parse(await readFile(join(import.meta.dirname, "figures.json"), "utf8"));

  test("are what the bench wrote, in the form that it writes", () => {
    expect(writeFigures(readme, measured)).toBe(readme);
  });

  test("are written anew where somebody touched them", () => {
    const touched = readme.replace(/\| [\d.]+ ms \|/, "| 1 ms |");
    expect(touched).not.toBe(readme);
    expect(writeFigures(touched, measured)).toBe(readme);
  });

  test("have a place, or nothing is written", () => {
    expect(() => writeFigures("# vigie\n", measured)).toThrow("Expected <!-- figures");
  });
});
