import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listOptions } from "../../src/config/option-list.ts";
import { setValue } from "../../src/config/settings.ts";
import { loadText, problemsOf, SHIPPED_PLACE } from "./folder.ts";

/** One mistake of an owner, and all that `check` answers. */
interface Mistake {
  title: string;
  text: string;
  problems: string[];
  warnings: string[];
}

/** As `mistakes.txt` says at its beginning. */
function readMistakes(): Mistake[] {
  const table = readFileSync(join(import.meta.dirname, "mistakes.txt"), "utf8").trim();
  const [, ...blocks] = table.split(/\n{2,}/);
  return blocks.map((block) => {
    const [title = "", ...lines] = block.split("\n");
    const beginningWith = (mark: string) =>
      lines.filter((line) => line.startsWith(mark)).map((line) => readEscapes(line.slice(mark.length)));
    const text = lines.filter((line) => !/^[>!] /.test(line)).join("\n");
    return {
      title: title.replace(/^# /, ""),
      text: `${readEscapes(text)}\n`,
      problems: beginningWith("> "),
      warnings: beginningWith("! "),
    };
  });
}

function readEscapes(text: string): string {
  return text.replaceAll("[NBSP]", "\u00a0");
}

describe("a mistake of an owner is told with its place, what is expected, what is there and what to do", () => {
  test.each(readMistakes())("$title", async ({ text, problems, warnings }) => {
    const atPlace = (message: string) => message.replaceAll(`${SHIPPED_PLACE}:`, "");
    const refused = await problemsOf(loadText(text));
    expect(refused.map(atPlace)).toEqual(problems);
    const said = refused.length > 0 ? [] : (await loadText(text)).warnings;
    expect(said.map(atPlace)).toEqual(warnings);
    expect([...problems, ...warnings]).not.toEqual([]);
  });
});

describe("all problems come at once", () => {
  const ofOutput = (option: string) => option.startsWith("outputs");
  const single = listOptions().filter(
    ({ isGroup, path }) => !isGroup && !ofOutput(path.join(".")) && path.join(".") !== "rules",
  );
  const withUnknownRule = {
    rules: [{ id: "known", when: { period: "hp" } }],
    outputs: [{ topic: "boiler/set", choose: [{ when: "other", payload: "off" }] }],
  };

  test.each(single.map(({ path }) => path.join(".")))("also if %s is wrong", async (option) => {
    for (const wrong of ["://", [[{}]], { "?": 1 }]) {
      const given = setValue(withUnknownRule, option.split("."), wrong);
      const problems = await problemsOf(loadText(JSON.stringify(given)));
      const unknown = problems.filter((problem) => problem.includes(" outputs[0].choose[0].when: "));
      if (problems.length > 0) expect(unknown).toHaveLength(1);
    }
  });

  test.each([
    ["payload", { payload: { "next.color": null } }],
    ["payload", { payload: { state: null } }],
    ["payload", { payload: 7 }],
    ["expect", { expect: { "next.color": null } }],
  ])("also if a %s is wrong: %j", async (_, wrong) => {
    const choice = { when: "other", payload: "off", ...wrong };
    const given = { ...withUnknownRule, outputs: [{ topic: "boiler/set", choose: [choice] }] };
    const problems = await problemsOf(loadText(JSON.stringify(given)));
    expect(problems).toEqual(
      expect.arrayContaining([expect.stringContaining(" outputs[0].choose[0].when: ")]),
    );
  });

  test.each([
    ["url", { url: "192.0.2.4/off" }],
    ["headers", { url: "http://192.0.2.4/{payload}", headers: { Host: "a" } }],
    ["else", { topic: "t", else: { state: "ON" } }],
    ["else", { topic: "t", else: { "next.color": null } }],
  ])("also if the %s of an output is wrong: %j", async (_, wrong) => {
    const output = { id: "boiler", choose: [{ when: "other", payload: "off" }], ...wrong };
    const problems = await problemsOf(loadText(JSON.stringify({ ...withUnknownRule, outputs: [output] })));
    expect(problems).toEqual(
      expect.arrayContaining([expect.stringContaining(" outputs[0].choose[0].when: ")]),
    );
  });
});
