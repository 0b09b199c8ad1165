import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPage } from "../support/guide.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGE = readPage("docs/architecture.md");

describe("docs/architecture.md", () => {
  test("names only files and folders that exist", () => {
    const named = [...PAGE.matchAll(/`((?:src|test)\/[\w./-]*)`/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("names every folder of src", () => {
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    expect(folders.filter(({ name }) => !PAGE.includes(`\`src/${name}/\``)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  test("names only functions that exist in the files beside them", () => {
    const rows = [...PAGE.matchAll(/^\| \d+ \| (.*) \| `(src\/[\w./-]+)` \|$/gm)];
    const lacking = rows.flatMap(([, words = "", path = ""]) => {
      const functions = [...words.matchAll(/`(\w+)(?:\(\)\.\w+)?`/g)].map(([, name = ""]) => name);
      const folder = readdirSync(join(ROOT, path, ".."))
        .filter((name) => /\.[jt]s$/.test(name))
        .map((name) => readFileSync(join(ROOT, path, "..", name), "utf8"))
        .join("\n");
      return functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(folder));
    });
    expect(rows.length).toBeGreaterThan(10);
    expect(lacking).toEqual([]);
  });
});
