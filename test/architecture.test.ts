import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";

/** The laws of the house that a linter cannot hold. */
const SRC = join(import.meta.dirname, "..", "src");
const TEST = join(import.meta.dirname);

/** Who does: a folder stands for all its files. Every other file only decides, and is held to that. */
const SHELLS = [
  ...[
    "main.ts",
    "daemon.ts",
    "lookout.ts",
    "cycle.ts",
    "parts.ts",
    "former-places.ts",
    "rulebook.ts",
    "orders.ts",
  ],
  ...["cli/", "runtime/", "broker/"],
  ...["book/state-file.ts", "book/store.ts"],
  ...["container", "environment", "file", "instance", "load", "reading", "watch", "yaml-text"].map(
    (name) => `config/${name}.ts`,
  ),
  ...[
    "address",
    "answered",
    "connection",
    "life",
    "ownership",
    "outbox",
    "patient-timer",
    "publisher",
    "purge",
    "session",
    "tree",
  ].map((name) => `mqtt/${name}.ts`),
  ...["mqtt/visit.ts", "mqtt/watch.ts"],
  ...["birth", "deliver", "discovery", "farewell"].map((name) => `homeassistant/${name}.ts`),
  ...["answers", "insistence", "sender"].map((name) => `outputs/${name}.ts`),
  ...["body", "client", "probe", "requester", "round", "transport"].map((name) => `service/${name}.ts`),
  ...["address", "app", "delivery", "outcome", "server", "transport"].map((name) => `simulator/${name}.ts`),
];
/** Pure files that live among shells. */
const PURE_AMONG_SHELLS = [
  "disk-words",
  "duration",
  "health",
  "log-details",
  "log-line",
  "mask",
  "trouble",
  "lifecycle",
  "error-code",
  "journal",
  "json",
  "value",
].map((name) => `runtime/${name}.ts`);
const PURE_PACKAGES = ["zod", "temporal-polyfill", "date-easter"];
const IMPURE = [
  /\bDate\.now\b/,
  /\bnew Date\(\s*\)/,
  /\bperformance\b/,
  /\bset(Timeout|Interval|Immediate)\b/,
  /\bMath\.random\b/,
  /\bprocess\b/,
  /\bfetch\(/,
  /\bconsole\b/,
  /\bglobalThis\b/,
];

const files = sources(SRC).map((path) => ({ path: relative(SRC, path), text: readFileSync(path, "utf8") }));

describe("the house", () => {
  test("every file that the laws name exists", () => {
    const named = [...SHELLS, ...PURE_AMONG_SHELLS];
    expect(named.filter((place) => !files.some(({ path }) => stands(path, place)))).toEqual([]);
  });

  test("a pure file imports only pure files, zod, temporal-polyfill, date-easter and types", () => {
    const guests = pureFiles().flatMap(({ path, text }) =>
      imports(text)
        .filter((one) => !one.typeOnly)
        .map((one) => (one.from.startsWith(".") ? normalize(join(dirname(path), one.from)) : one.from))
        .filter((from) => !(from.endsWith(".ts") ? isPure(from) : PURE_PACKAGES.includes(from)))
        .map((from) => `${path} → ${from}`),
    );
    expect(guests).toEqual([]);
  });

  test("a pure file touches no clock, randomness, process, network or console", () => {
    const touches = pureFiles().flatMap(({ path, text }) =>
      IMPURE.filter((token) => token.test(words(text))).map((token) => `${path}: ${token.source}`),
    );
    expect(touches).toEqual([]);
  });

  test("only runtime/clock.ts reads the clock", () => {
    const readers = files.filter(({ text }) =>
      /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b/.test(code(text)),
    );
    expect(readers.map(({ path }) => path)).toEqual(["runtime/clock.ts"]);
  });

  test("only main.ts ends the process", () => {
    const enders = files.filter(({ text }) => /\bprocess\.(exit|abort|exitCode)\b/.test(code(text)));
    expect(enders.map(({ path }) => path)).toEqual(["main.ts"]);
  });

  test("nothing below imports the daemon, the cycle or the commands", () => {
    const upward = files.flatMap(({ path, text }) =>
      imports(text)
        .map((one) => normalize(join(dirname(path), one.from)))
        .filter((from) => ["daemon.ts", "cycle.ts"].includes(from) || from.startsWith("cli/"))
        .filter((from) => !mayImport(path, from))
        .map((from) => `${path} → ${from}`),
    );
    expect(upward).toEqual([]);
  });

  test("what serves HTTP and what speaks MQTT never import each other", () => {
    const rooms = ["simulator", "mqtt", "homeassistant", "service", "broker"];
    const across = files.flatMap(({ path, text }) =>
      imports(text)
        .filter((one) => !one.typeOnly)
        .map((one) => normalize(join(dirname(path), one.from)))
        .filter(
          (from) => rooms.includes(room(path)) && rooms.includes(room(from)) && room(path) !== room(from),
        )
        .filter((from) => !isPure(from))
        .map((from) => `${path} → ${from}`),
    );
    expect(across).toEqual([]);
  });

  test("the prefix /v1 stands in one place", () => {
    const places = files.filter(({ text }) => /\/v1\b/.test(code(text)));
    expect(places.map(({ path }) => path)).toEqual(["service/contract.ts"]);
  });

  test("every exported function, constant and class is used by another file", () => {
    const everything = [
      ...files,
      ...sources(TEST).map((path) => ({ path, text: readFileSync(path, "utf8") })),
    ];
    const unused = files.flatMap(({ path, text }) =>
      exportedNames(text)
        .filter(
          (name) =>
            !everything.some((other) => other.path !== path && new RegExp(`\\b${name}\\b`).test(other.text)),
        )
        .map((name) => `${path}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}

function imports(text: string): { from: string; typeOnly: boolean }[] {
  const statics = [...text.matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from\s+"([^"]+)"/gms)];
  const dynamics = [...text.matchAll(/\bimport\(\s*"([^"]+)"/g)];
  return [
    ...statics.map(([, type, from]) => ({ from: from ?? "", typeOnly: type !== undefined })),
    ...dynamics.map(([, from]) => ({ from: from ?? "", typeOnly: false })),
  ];
}

function exportedNames(text: string): string[] {
  return [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(
    ([, name]) => name ?? "",
  );
}

/** The code without what it says to people. */
function words(text: string): string {
  return code(text).replace(/"[^"\n]*"|`[^`]*`/g, '""');
}

/** The text without comments. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}

function pureFiles() {
  return files.filter(({ path }) => isPure(path));
}

function isPure(path: string): boolean {
  return PURE_AMONG_SHELLS.includes(path) || !SHELLS.some((place) => stands(path, place));
}

function stands(path: string, place: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

function room(path: string): string {
  return path.split("/")[0] ?? "";
}

function mayImport(path: string, from: string): boolean {
  return (
    path === "main.ts" ||
    path.startsWith("cli/") ||
    (from === "cycle.ts" && ["lookout.ts", "orders.ts"].includes(path))
  );
}
