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
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawFrom } from "../households/draw.ts";
import { randomFrom } from "../households/random.ts";
import { findMutations, type Mutation, mutate } from "./find-mutations.ts";

// npm run mutations -- --of src/core/outputs [--count 60] [--seed 1] [--old "test/a.test.ts …"] -- test/core/outputs …
// Changes one thing after the other in these files of `src`, and runs these tests on each change. The same seed chooses the same
// changes of the same text. It works in a copy: the checkout stays as it is.
// With --old it tries on the tests only what the old tests kill: what survives is seen by nobody once the old tests are deleted.
const { values, positionals } = parseArgs({
  options: {
    of: { type: "string" },
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    old: { type: "string" },
  },
  allowPositionals: true,
});
const { of: part } = values;
if (part === undefined || positionals.length === 0)
  throw new Error(
    'npm run mutations -- --of FOLDER_OR_FILE [--count 60] [--seed 1] [--old "TESTS"] -- TESTS',
  );
const old = values.old?.split(" ");

const COPY = ".build/mutations/copy";
/** Tests that take so many times as long as without a change have seen it: it makes an endless loop. */
const LIMIT_FACTOR = 4;
const checkout = process.cwd();
copyCheckout();

const begun = performance.now();
const limit = await limitOf(positionals);
const oldLimit = old ? await limitOf(old) : 0;

const chosen = choose(filesOf(part), Number(values.count));
const count = { tried: 0, killed: 0 };
for (const one of chosen) {
  const { file, text, mutation } = one;
  writeFileSync(join(COPY, file), mutate(text, mutation));
  const isTried = !old || !(await passes(old, oldLimit));
  const isKilled = isTried && !(await passes(positionals, limit));
  writeFileSync(join(COPY, file), text);
  count.tried += Number(isTried);
  count.killed += Number(isKilled);
  if (isTried) console.log(`${isKilled ? "killed  " : "SURVIVED"} ${describeMutation(one)}`);
}
const of = old ? `${count.tried} that the old tests kill, of ${chosen.length} changes,` : `${count.tried}`;
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(`${count.killed} of ${of} are killed by ${positionals.join(" ")}, in ${seconds} s`);

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
    .map((name) => join(path, name))
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

async function limitOf(tests: readonly string[]): Promise<number> {
  const from = performance.now();
  if (!(await passes(tests, Number.POSITIVE_INFINITY))) throw new Error("the tests fail without any change");
  return 10_000 + LIMIT_FACTOR * (performance.now() - from);
}

function passes(which: readonly string[], within: number): Promise<boolean> {
  return new Promise((resolve) => {
    const command = ["test", "--silent", "--", "--bail", "1", "--reporter", "dot", ...which];
    const tests = spawn("npm", command, { cwd: COPY, stdio: "ignore", detached: true });
    const timer = Number.isFinite(within)
      ? setTimeout(() => process.kill(-tests.pid!, "SIGKILL"), within)
      : undefined;
    tests.on("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

function describeMutation({ file, text, mutation }: Chosen): string {
  const { start, end, replacement } = mutation;
  const line = text.slice(0, start).split("\n").length;
  return `${file}:${line} ${shorten(text.slice(start, end))} → ${shorten(replacement)}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
