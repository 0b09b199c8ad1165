import { readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string) => readFile(join(ROOT, name), "utf8");

/** test/long/package.test.ts packs it, installs it and runs what was installed. */
describe("the package", () => {
  it("has the version of the newest section of CHANGELOG.md", async () => {
    const { version } = JSON.parse(await read("package.json"));
    expect(/^## (\S+)/m.exec(await read("CHANGELOG.md"))?.[1]).toBe(version);
  });

  it("names where a line of the built file came from", async () => {
    const map = new SourceMap(JSON.parse(await read("dist/main.js.map")));
    const lines = (await read("dist/main.js")).split("\n");
    const words = "make sure that no second vigie uses it";
    const line = lines.findIndex((text) => text.includes(words));
    const entry = map.findEntry(line, lines[line]?.indexOf(words) ?? 0);
    expect("originalSource" in entry && entry.originalSource).toBe("../src/cli/run.ts");
  });
});
