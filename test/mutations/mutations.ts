import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { drawFrom } from "../households/draw.ts";
import { randomFrom } from "../households/random.ts";
import { findMutations, type Mutation, mutate } from "./find-mutations.ts";

// npm run mutations -- --of src/core/outputs [--count 60] [--seed 1] -- test/core/outputs test/households/found.test.ts …
// Changes one thing after the other in these files of `src`, and runs these tests on each change. The same seed chooses the same
// changes of the same text, so that old and new tests can be compared. It works in a copy: the checkout stays as it is.
const { values, positionals } = parseArgs({
  options: {
    of: { type: "string" },
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
  },
  allowPositionals: true,
});
const { of: part } = values;
if (part === undefined || positionals.length === 0)
  throw new Error("npm run mutations -- --of FOLDER_OR_FILE [--count 60] [--seed 1] -- TESTS");

const COPY = ".build/mutations/copy";
/** Milliseconds. A change that makes an endless loop is seen by that. */
const LIMIT_FACTOR = 4;
const checkout = process.cwd();
copyCheckout();

const begun = performance.now();
if (!(await passes(Number.POSITIVE_INFINITY))) throw new Error("the tests fail without any change");
const limit = 10_000 + LIMIT_FACTOR * (performance.now() - begun);

const chosen = choose(filesOf(part), Number(values.count));
let killed = 0;
for (const { file, text, mutation } of chosen) {
  const { start, end, replacement } = mutation;
  writeFileSync(join(COPY, file), mutate(text, mutation));
  const isKilled = !(await passes(limit));
  writeFileSync(join(COPY, file), text);
  if (isKilled) killed += 1;
  const line = text.slice(0, start).split("\n").length;
  console.log(
    `${isKilled ? "killed  " : "SURVIVED"} ${file}:${line} ${shorten(text.slice(start, end))} → ${shorten(replacement)}`,
  );
}
console.log(
  `${killed} of ${chosen.length} killed by ${positionals.join(" ")}, in ${Math.round((performance.now() - begun) / 1000)} s`,
);

interface Chosen {
  file: string;
  text: string;
  mutation: Mutation;
}

function copyCheckout(): void {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  const { stdout } = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" });
  for (const file of stdout.split("\0").filter(Boolean)) cpSync(file, join(COPY, file));
  symlinkSync(join(checkout, "node_modules"), join(COPY, "node_modules"));
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => relative(checkout, join(checkout, path, name)))
    .sort();
}

/** Each place is as likely as each other one, whatever file it stands in. */
function choose(files: readonly string[], count: number): Chosen[] {
  const left = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return findMutations(text).map((mutation) => ({ file, text, mutation }));
  });
  const { whole } = drawFrom(randomFrom(`mutations/${values.seed}`));
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(whole(0, left.length - 1), 1)[0]!,
  );
}

function passes(within: number): Promise<boolean> {
  return new Promise((resolve) => {
    const command = ["vitest", "run", "--bail", "1", "--reporter", "dot", ...positionals];
    const tests = spawn("npx", command, { cwd: COPY, stdio: "ignore", detached: true });
    const timer = Number.isFinite(within)
      ? setTimeout(() => process.kill(-tests.pid!, "SIGKILL"), within)
      : undefined;
    tests.on("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
