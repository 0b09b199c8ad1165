import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = join(import.meta.dirname, "..", "src");

/** From the top to the bottom: a layer imports from those below it, types included. Adapters do not know each other. */
const LAYERS = [
  ["main"],
  ["cli"],
  ["setup"],
  ["app"],
  ["service", "mqtt", "http-devices", "state", "http", "simulator"],
  ["config"],
  ["core"],
  ["runtime"],
];

const ADAPTERS = LAYERS[4] ?? [];
/** `interface XOptions { … }`, and what the loop begins with. */
const OPTIONS = /^(?:export )?interface (\w*Options|Beginning)\b[^{]*\{\n([\s\S]*?)^\}/gm;
/** `name: (…) => void` */
const TELLING = /^ {2}(\w+)\??: \(?\([^;]*?\) => void\)?;/gm;

/** Inside core each folder imports only from those before it. */
const CORE = [
  "calendar",
  "contract",
  "log",
  "days",
  "facts",
  "sources",
  "rules",
  "outputs",
  "topics",
  "discovery",
  "loop",
];

const PURE_PACKAGES = ["zod", "temporal-polyfill", "date-easter"];
const IMPURE =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bMath\.random\b|\bprocess\b|\bfetch\(|\bconsole\b|\bglobalThis\b/;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

describe("the layers", () => {
  test("imports point downwards, types included", () => {
    const upwards = arrows(({ path, target }) => {
      const [from, to] = [layerOf(path), layerOf(target)];
      return folderOf(path) !== folderOf(target) && (from < 0 || to < 0 || to <= from || from === CORE_LAYER);
    });
    expect(upwards).toEqual([]);
  });

  test("in core each folder imports only from those before it in the list", () => {
    const upwards = arrows(({ path, target }) => {
      if (folderOf(path) !== "core" || folderOf(target) !== "core") return false;
      const [from, to] = [path, target].map((one) => CORE.indexOf(one.split("/")[1] ?? ""));
      return from === undefined || to === undefined || from < 0 || to > from;
    });
    expect(upwards).toEqual([]);
  });

  test("no file imports itself by way of others, types included", () => {
    expect(files.filter(({ path }) => reachable(path).has(path)).map(({ path }) => path)).toEqual([]);
  });

  test("core touches no clock, timer, randomness, process, network or file", () => {
    const core = files.filter(({ path }) => folderOf(path) === "core");
    const impure = core.flatMap(({ path, text }) => [
      ...(IMPURE.test(codeOf(text).replace(/"[^"\n]*"|`[^`]*`/g, "")) ? [path] : []),
      ...packagesOf(text)
        .filter((name) => !PURE_PACKAGES.includes(name))
        .map((name) => `${path} imports ${name}`),
    ]);
    expect(core.length).toBeGreaterThan(0);
    expect(impure).toEqual([]);
  });

  test("only runtime reads the clock, and in one place", () => {
    const clock = /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b/;
    const readers = files.filter(({ text }) => clock.test(codeOf(text))).map(({ path }) => folderOf(path));
    expect(readers).toEqual(["runtime"]);
  });

  test("a part of app or of an adapter tells another part something by `post` only", () => {
    const outer = files.filter(({ path }) => ["app", ...ADAPTERS].includes(folderOf(path)));
    const named = outer.flatMap(({ path, text }) =>
      [...codeOf(text).matchAll(/\bon[A-Z]\w*(?=\??\s*:)/g)].map(([name]) => `${path}: ${name}`),
    );
    expect(named).toEqual([]);
    // What a part is given to call without hearing an answer, as its options say.
    const told = outer.flatMap(({ path, text }) =>
      [...codeOf(text).matchAll(OPTIONS)].flatMap(([, name, members = ""]) =>
        [...members.matchAll(TELLING)]
          .map(([, member = ""]) => member)
          .filter((member) => member !== "post")
          .map((member) => `${path}: ${name}.${member}`),
      ),
    );
    expect(told.toSorted()).toEqual([
      // After the sinks: what has changed goes to the log and to `event`.
      "app/loop-state.ts: Beginning.say",
      // The program looks at its daemon several times a minute.
      "app/running.ts: DaemonOptions.wake",
    ]);
  });

  test("nothing switches V8 flags while the program runs: Node says that it may crash", () => {
    const switching = files.filter(({ text }) => /\bsetFlagsFromString\b|"(node:)?v8"/.test(codeOf(text)));
    expect(switching.map(({ path }) => path)).toEqual([]);
  });

  test("only main ends the process", () => {
    const enders = files.filter(({ text }) => /\bprocess\.(exit|abort|exitCode)\b/.test(codeOf(text)));
    expect(enders.map(({ path }) => folderOf(path))).toEqual(["main"]);
  });

  test("the prefix /v1 stands in one place, in core", () => {
    const places = files.filter(({ text }) => /\/v1\b/.test(codeOf(text)));
    expect(places.map(({ path }) => folderOf(path))).toEqual(["core"]);
  });

  test("households import from src in two files only", () => {
    const importing = testFiles().filter(
      ({ path, text }) =>
        path.startsWith("test/households/") && specifiers(text).some((from) => /^(\.\.\/)+src\//.test(from)),
    );
    expect(importing.map(({ path }) => path)).toEqual([
      "test/households/seams.ts",
      "test/households/goldens/seams.ts",
    ]);
  });

  test("every exported function, constant and class is used by another file", () => {
    const everything = [...files, ...testFiles()];
    const unused = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => {
          const word = new RegExp(`\\b${name}\\b`);
          return !everything.some((other) => other.path !== path && word.test(other.text));
        })
        .map((name) => `${path}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});

interface Arrow {
  path: string;
  target: string;
}

function arrows(isWrong: (arrow: Arrow) => boolean): string[] {
  return files
    .flatMap(({ path, text }) => importsOf(path, text).map((target) => ({ path, target })))
    .filter(isWrong)
    .map(({ path, target }) => `${path} → ${target}`);
}

function importsOf(path: string, text: string): string[] {
  return specifiers(text)
    .filter((from) => from.startsWith("."))
    .map((from) => normalize(join(dirname(path), from)))
    .filter((target) => files.some((file) => file.path === target));
}

function packagesOf(text: string): string[] {
  return specifiers(text).filter((from) => !from.startsWith("."));
}

function specifiers(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map(([, from = ""]) => from);
}

function reachable(start: string): Set<string> {
  const seen = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = files.find((file) => file.path === path)?.text ?? "";
    for (const target of importsOf(path, text)) {
      if (!seen.has(target)) waiting.push(target);
      seen.add(target);
    }
  }
  return seen;
}

function folderOf(path: string): string {
  return path.split("/")[0]?.replace(/\.ts$/, "") ?? "";
}

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folderOf(path)));
}

const CORE_LAYER = LAYERS.findIndex((layer) => layer.includes("core"));

function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}

function testFiles() {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map((path) => ({ path: `test/${path}`, text: readFileSync(join(import.meta.dirname, path), "utf8") }));
}
