import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { rulesOptions } from "../../../src/config/rules-options.ts";
import { testDescription } from "../../support/device-description.ts";
import { entityTable } from "../../support/entity-table.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const SHIPPED = join(ROOT, "config", "homeassistant");
const BLUEPRINTS = readdirSync(SHIPPED);

describe("what a person copies", () => {
  const { rules } = parse(readFileSync(join(ROOT, "config", "vigie.yaml"), "utf8"));
  const { components } = testDescription({ rules: rulesOptions.parse(rules) });
  const known = Object.values(components).map((component) => String(component["default_entity_id"]));
  const named = (text: string) => [
    ...new Set(text.match(/\b(sensor|binary_sensor|switch|number|select|button|event)\.vigie_[a-z0-9_]+\b/g)),
  ];

  test("the README's table of entities is the one that is announced", () => {
    expect(README).toContain(entityTable());
  });

  test.each([["README.md", README], ...BLUEPRINTS.map((name) => [name, readBlueprint(name)])])(
    "%s names only entities that the shipped configuration has",
    (_, text = "") => {
      const table = entityTable();
      expect(named(text.replace(table, "")).filter((id) => !known.includes(id))).toEqual([]);
    },
  );
});

describe("the README's automations", () => {
  const written = [...README.matchAll(/^( *)```yaml\n([\s\S]*?)^\1```/gm)].map(([, , text = ""]) =>
    parse(text),
  );
  const uses = written.filter(Array.isArray).flat().filter(isUse);

  test("use every blueprint once, by the names of those that do without", () => {
    expect(uses.map(({ use_blueprint }) => use_blueprint.path).toSorted()).toEqual(
      BLUEPRINTS.map((name) => `vigie/${name}`).toSorted(),
    );
    const names = written.filter((block) => block?.triggers).map(({ alias }) => alias);
    expect(names.toSorted()).toEqual(uses.map(({ alias }) => alias).toSorted());
  });

  test.each(uses.map((use) => [use.alias, use] as const))(
    "%s is the same with and without its blueprint",
    (name, { use_blueprint: { path, input } }) => {
      const { alias, ...automation } = written.find((block) => block?.alias === name);
      const { blueprint, ...template } = parse(readBlueprint(path), { customTags: [INPUT] });
      // Whom to tell is the owner's choice.
      const inputs = { ...defaults(blueprint.input), ...input, tell: automation.actions };
      expect(automation).toEqual(fillIn(template, inputs));
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

/** Of all inputs that have one, those in sections as well. */
function defaults(inputs: Record<string, { default?: unknown; input?: never }>): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, one]) =>
      one.input ? Object.entries(defaults(one.input)) : "default" in one ? [[name, one.default]] : [],
    ),
  );
}

function fillIn(part: unknown, inputs: Inputs): unknown {
  if (part instanceof Input) return inputs[part.name];
  if (Array.isArray(part)) return part.map((one) => fillIn(one, inputs));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fillIn(one, inputs)]));
}
