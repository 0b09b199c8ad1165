import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { schema } from "../../src/cli/schema.ts";
import { jsonSchema } from "../../src/config/config-schema.ts";
import { listKeys } from "../../src/config/option-list.ts";
import { COLORS } from "../../src/core/calendar/tariff.ts";
import { runCommand } from "../support/run-command.ts";
import { load, loadText } from "./folder.ts";

const CONFIG = join(import.meta.dirname, "../../config");

describe("the JSON schema", () => {
  const print = (args: string[]) => runCommand((io) => schema(args, io));

  test("vigie schema prints what config/vigie.schema.json holds (else: vigie schema > config/vigie.schema.json)", async () => {
    const out = await readFile(join(CONFIG, "vigie.schema.json"), "utf8");
    expect(await print([])).toEqual({ code: 0, out, err: "" });
    // As every command, with a configuration file, which the schema does not depend on.
    expect(await print(["--config", "no-such-file.yaml"])).toEqual({ code: 0, out, err: "" });
  });

  test("vigie schema with an argument is wrong usage", async () => {
    const err = expect.stringMatching(/^vigie schema: Unexpected argument 'x'/);
    expect(await print(["x"])).toEqual({ code: 2, out: "", err });
  });

  test("describes every option, and every key of a rule and of a condition", () => {
    const { definitions = {}, ...schema } = jsonSchema() as Node;
    const described = [schema, ...Object.values(definitions)];
    expect(described.flatMap((node) => undescribed(node, "", definitions))).toEqual([
      "service.history_parameters.start",
      "service.history_parameters.end",
    ]);
    expect(JSON.stringify(definitions)).toContain("next_3_days");
  });

  test("requires no option and allows no others", () => {
    expect(jsonSchema()).toMatchObject({ type: "object", additionalProperties: false });
    expect(jsonSchema()).not.toHaveProperty("required");
  });
});

describe("config/vigie.yaml", () => {
  const shipped = () => readFile(join(CONFIG, "vigie.yaml"), "utf8");

  test("works as it is, and sets only defaults and its rules", async () => {
    const { config, warnings } = await loadText(await shipped());
    const { rules } = parse(await shipped());
    const { config: defaults } = await loadText(stringify({ rules }));
    expect(warnings).toEqual([]);
    expect({ ...config, state: "" }).toEqual({ ...defaults, state: "" });
  });

  test("has six rules, each explained in a line", async () => {
    const text = await shipped();
    const { config } = await loadText(text);
    const ids = ["rouge_ahead", "no_rouge", "rouge_peak", "preheat", "rouge_this_week", "dear"];
    expect(config.rules.map(({ id }) => id)).toEqual(ids);
    for (const id of ids) expect(text).toMatch(new RegExp(`\n  # .+\n  - id: ${id}\n`));
  });

  test("is found from the project's folder", async () => {
    expect((await load({ cwd: join(CONFIG, "..") })).file).toBe(join(CONFIG, "vigie.yaml"));
  });

  test("names its schema for editors on its first line", async () => {
    expect((await shipped()).split("\n")[0]).toBe("# yaml-language-server: $schema=./vigie.schema.json");
  });

  test("names every option, set or commented", async () => {
    const text = await shipped();
    const missing = optionNames(jsonSchema()).filter(
      (name) => !new RegExp(`^ *(# *)?${name}:`, "m").test(text),
    );
    expect(missing).toEqual([]);
  });

  test.each([
    ["rules", "# Rules: ", "# Outputs: "],
    ["outputs", "# Outputs: ", "\n# outputs:\n"],
  ])("explains every key of %s, beside its example", async (list, start, end) => {
    const [, section = ""] = (await shipped()).split(start);
    // Comments at the first column explain keys; others are about one rule, or an example.
    const text = section.split(end)[0]?.replaceAll(/^ +#.*$/gm, "") ?? "";
    // `key: …`, or the begin of a row: `#   qos, retain   of the message`.
    const missing = keysBelow(list, 0).filter(
      (key) => !new RegExp(`\\b${key}:|^# +(\\w+, )*${key}(, \\w+)* {2}`, "m").test(text),
    );
    expect(missing).toEqual([]);
  });

  test("each option that is commented out may be enabled", async () => {
    const text = (await shipped()).replaceAll(
      /^( *)# ((username|password|base_topic|server_name|state): )/gm,
      "$1$2",
    );
    expect((await loadText(text)).config.mqtt).toMatchObject({ username: "vigie", base_topic: "vigie" });
    const colors = (await shipped()).replace("  colors: {}\n", "").replace("# colors:", "colors:");
    expect((await loadText(colors)).config.service.colors).toMatchObject({ ROT: "rouge" });
  });
});

test("docs/rules.md names every key of a condition", async () => {
  const text = await readFile(join(CONFIG, "../docs/rules.md"), "utf8");
  const keys = keysBelow("rules", 0, "when");
  expect(keys).toContain("max_age");
  expect(keys.filter((key) => !new RegExp(`\`${key}(: [^\`]*)?\``).test(text))).toEqual([]);
});

/** The words of all keys below a place; without colours and languages, which are keys of many. */
function keysBelow(...place: (string | number)[]): string[] {
  const paths = listKeys().filter((path) => place.every((part, index) => path[index] === part));
  const keys = new Set(paths.map((path) => String(path.at(-1))));
  return [...keys].filter((key) => ![...place, ...COLORS, "fr", "en"].includes(key));
}

interface Node {
  definitions?: Record<string, Node>;
  $ref?: string;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
  description?: string;
}

function undescribed(node: Node, path: string, definitions: Record<string, Node>): string[] {
  const inner = Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const at = path === "" ? key : `${path}.${key}`;
    const described = child.$ref ? definitions[child.$ref.split("/").at(-1) ?? ""] : child;
    return [...(described?.description === undefined ? [at] : []), ...undescribed(child, at, definitions)];
  });
  const parts = [...(node.items ? [node.items] : []), ...(node.anyOf ?? [])];
  return [...inner, ...parts.flatMap((part) => undescribed(part, path, definitions))];
}

/** The words of the file, without those of price rows. */
function optionNames(node: Node): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    key === "homeassistant" ? [key] : [key, ...optionNames(child)],
  );
}
