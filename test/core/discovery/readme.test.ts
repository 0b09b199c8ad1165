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
const SHIPPED = join(ROOT, "config", "homeassistant", "en");
const BLUEPRINTS = readdirSync(SHIPPED);

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
    ...BLUEPRINTS.map((name) => [name, readBlueprint(name)]),
  ])("%s names only entities that the shipped configuration has", (_, text = "") => {
    const table = entityTable();
    expect(named(text.replace(table, "")).filter((id) => !known.includes(id))).toEqual([]);
  });
});

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
      const { blueprint } = parse(readBlueprint(path), { customTags: [INPUT] });
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

function readBlueprint(path: string): string {
  return readFileSync(join(SHIPPED, basename(path)), "utf8");
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
