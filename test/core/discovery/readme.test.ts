import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { rulesOptions } from "../../../src/config/rules-options.ts";
import { testDescription } from "../../support/device-description.ts";
import { GUIDES, readPage } from "../../support/guide.ts";
import { entityTable } from "./entity-table.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PAGES = [...GUIDES.en, ...GUIDES.fr];
const SHIPPED = join(ROOT, "config", "homeassistant");
const BLUEPRINTS = readdirSync(join(SHIPPED, "en"));
const EDITIONS = BLUEPRINTS.flatMap((name) => [`en/${name}`, `fr/${name}`]);

describe("what a person copies", () => {
  const { rules } = parse(readFileSync(join(ROOT, "config", "vigie.yaml"), "utf8"));
  const { components } = testDescription({ rules: rulesOptions.parse(rules) });
  const known = Object.values(components).map((component) => String(component["default_entity_id"]));
  const named = (text: string) => [
    ...new Set(text.match(/\b(sensor|binary_sensor|switch|number|select|button|event)\.vigie_[a-z0-9_]+\b/g)),
  ];

  test("the table of entities in docs/entities.md is that of the discovery messages", () => {
    expect(readPage("docs/entities.md")).toContain(entityTable());
  });

  test.each([
    ...PAGES.map((name) => [name, readPage(name)]),
    ...EDITIONS.map((edition) => [edition, readBlueprint(edition)]),
  ])("%s names only entities that the shipped configuration has", (_, text = "") => {
    const table = entityTable();
    expect(named(text.replace(table, "")).filter((id) => !known.includes(id))).toEqual([]);
  });

  test.each(EDITIONS)("%s reads only entities that are enabled without its owner", (edition) => {
    const disabled = Object.values(components)
      .filter((component) => component["enabled_by_default"] === false)
      .map((component) => component["default_entity_id"]);
    expect(named(readBlueprint(edition)).filter((id) => disabled.includes(id))).toEqual([]);
  });
});

describe("the two editions of a blueprint", () => {
  test("are there for each", () => {
    expect(readdirSync(join(SHIPPED, "fr"))).toEqual(BLUEPRINTS);
  });

  test.each(BLUEPRINTS)("%s: they differ in words only, and in all of them", (name) => {
    const [en, fr] = ["en", "fr"].map((language) => splitWords(readBlueprint(`${language}/${name}`)));
    expect(fr?.rest).toEqual(en?.rest);
    const untranslated = fr?.words.filter((words) => en?.words.includes(words) && !SAME.includes(words));
    expect(untranslated).toEqual([]);
  });
});

/** Words that are the same in both languages. */
const SAME = ["Patience", "Simulation", "Thermostat", "vigie"];

/** A blueprint without the words that people read, and these words. */
function splitWords(text: string): { rest: unknown; words: string[] } {
  const words: string[] = [];
  const strip = (value: unknown, key = ""): unknown => {
    if (typeof value === "string" && /^(name|description|label|title|.*_text)$/.test(key)) {
      if (!value.startsWith("{{")) words.push(value);
      return value.match(/\{\{.*?\}\}/g) ?? "";
    }
    if (Array.isArray(value)) return value.map((item) => strip(item));
    if (value === null || typeof value !== "object" || value instanceof Input) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, strip(item, name)]));
  };
  const rest = strip(parse(text, { customTags: [INPUT] }));
  return { rest: { comments: text.match(/^ *#.*$/gm), blueprint: rest }, words };
}

describe("the automations of docs/automations.md", () => {
  const written = [...readPage("docs/automations.md").matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
    ([, text = ""]) => parse(text),
  );
  const uses = written.filter(Array.isArray).flat().filter(isUse);

  test("use every blueprint once", () => {
    expect(uses.map(({ use_blueprint }) => use_blueprint.path).toSorted()).toEqual(
      BLUEPRINTS.map((name) => `vigie/${name}`).toSorted(),
    );
  });

  test.each(uses.map((use) => [use.alias, use] as const))(
    "%s sets each input that has no default, and no other than there are",
    (_, { use_blueprint: { path, input } }) => {
      const { blueprint } = parse(readBlueprint(join("en", basename(path))), { customTags: [INPUT] });
      const inputs = inputsOf(blueprint.input);
      const required = Object.keys(inputs).filter((name) => !("default" in (inputs[name] ?? {})));
      expect(Object.keys(input)).toEqual(expect.arrayContaining(required));
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(input)));
    },
  );
});

type Inputs = Record<string, unknown>;

interface Use {
  alias: string;
  use_blueprint: { path: string; input: Inputs };
}

function isUse(item: object): item is Use {
  return "use_blueprint" in item;
}

function readBlueprint(edition: string): string {
  return readFileSync(join(SHIPPED, edition), "utf8");
}

/** `!input name` */
class Input {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const INPUT = { tag: "!input", resolve: (name: string) => new Input(name) };

/** All inputs, those in sections as well. */
function inputsOf(inputs: Record<string, { default?: unknown; input?: never }>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, one]) =>
      one.input ? Object.entries(inputsOf(one.input)) : [[name, one]],
    ),
  );
}
