import { describe, expect, test } from "vitest";
import { emptyState, serialiseState } from "../../src/book/state.ts";
import { explain } from "../../src/cli/explain.ts";
import { folderWith } from "../config/folder.ts";
import { official, bookOf as oneBook } from "../support/known-days.ts";

const CONFIG = `rules:
  - { id: rouge_now, when: { day: now, color: rouge } }
  - { id: night, when: { period: hc } }
`;
const book = oneBook({
  "2026-01-04": official("bleu"),
  "2026-01-05": official("rouge"),
  "2026-01-06": official("bleu"),
});
const STATE = serialiseState({ ...emptyState("here"), books: { simulator: book }, clients: {} });

async function run(args: string[], files: Record<string, string> = { "state/state.json": STATE }) {
  const cwd = await folderWith({ "config/vigie.yaml": CONFIG, ...files });
  const said = { out: "", err: "" };
  const code = await explain(args, {
    ...{ env: {}, cwd, color: false, signal: new AbortController().signal },
    stdout: { write: (words: string) => (said.out += words) },
    stderr: { write: (words: string) => (said.err += words) },
  });
  return { code, ...said };
}

describe("vigie explain", () => {
  test("shows each rule as a tree, at a time on the wall", async () => {
    const { code, out } = await run(["--at", "2026-01-05T05:59"]);
    expect(code).toBe(0);
    expect(out).toBe(`2026-01-05 05:59, Europe/Paris

rouge_now  OFF  next ON at 2026-01-05 06:00
  ✘ now is rouge: 2026-01-04 bleu, official

night  ON  next OFF at 2026-01-05 06:00
  ✔ period is hc: hc
`);
  });

  test("takes an instant, and the rules that are asked for", async () => {
    const { out } = await run(["--at", "2026-01-05T05:00:00Z", "rouge_now"]);
    expect(out).toContain("rouge_now  ON");
    expect(out).not.toContain("night");
  });

  test("--json is the same as data", async () => {
    const { out } = await run(["--at", "2026-01-05T07:00", "rouge_now", "--json"]);
    expect(JSON.parse(out)).toEqual([
      {
        ...{ id: "rouge_now", state: true, sure: true, at: "2026-01-05T06:00:00Z" },
        ...{ next_on: null, next_off: "2026-01-06T05:00:00Z", notes: [] },
        tree: { state: true, asks: "now is rouge", saw: "2026-01-05 rouge, official", parts: [] },
      },
    ]);
  });

  test("a time that the book does not cover is said", async () => {
    const { code, err } = await run(["--at", "2026-02-05T07:00"]);
    expect([code, err]).toEqual([
      1,
      "vigie explain: Expected --at to be within the days that are known, 2026-01-04 to 2026-01-06, got 2026-02-05\n",
    ]);
    expect((await run(["--at", "2026-01-05T07:00"], {})).err).toContain("No day is known yet");
  });

  test("without a state it says so, and what can be told all the same", async () => {
    const { code, out, err } = await run([], {});
    expect(code).toBe(0);
    expect(err).toContain("so no day is known");
    expect(out).toContain("now is rouge: ");
  });

  test.each([
    [["--at", "tomorrow"], "Expected --at to be a time like 2026-01-04T23:00"],
    [["rouge_noww"], "Expected the id of a rule such as rouge_now, got rouge_noww"],
    [["--att"], "--att"],
  ])("%j is wrong usage", async (args, words) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  test("a damaged state file is left as it is, and said", async () => {
    const { code, err } = await run([], { "state/state.json": "{" });
    expect([code, err]).toEqual([1, expect.stringContaining("is damaged")]);
  });
});
