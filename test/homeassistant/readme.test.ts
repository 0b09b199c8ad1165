import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { announcement } from "../support/announced.ts";
import { entityTable } from "../support/entity-table.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const BLUEPRINTS = join(ROOT, "config", "homeassistant");

describe("what a person copies", () => {
  const { rules } = parse(readFileSync(join(ROOT, "config", "vigie.yaml"), "utf8"));
  const { components } = announcement({ rules: rulesOptions.parse(rules) });
  const known = Object.values(components).map((component) => String(component["default_entity_id"]));
  const named = (text: string) => [
    ...new Set(text.match(/\b(sensor|binary_sensor|switch|number|select|button|event)\.vigie_[a-z0-9_]+\b/g)),
  ];

  test("the README's table of entities is the one that is announced", () => {
    expect(README).toContain(entityTable());
  });

  test.each([
    ["README.md", README],
    ...readdirSync(BLUEPRINTS).map((name) => [name, readFileSync(join(BLUEPRINTS, name), "utf8")]),
  ])("%s names only entities that the shipped configuration has", (_, text = "") => {
    const table = entityTable();
    expect(named(text.replace(table, "")).filter((id) => !known.includes(id))).toEqual([]);
  });

  test("the README's automations are YAML, and those of the blueprints", () => {
    const blocks = [...README.matchAll(/^( *)```yaml\n([\s\S]*?)^\1```/gm)].map(([, , text = ""]) =>
      parse(text),
    );
    const automations = blocks.filter((block) => block?.triggers);
    expect(automations).toHaveLength(readdirSync(BLUEPRINTS).length);
    const uses = blocks
      .filter(Array.isArray)
      .flat()
      .flatMap(({ use_blueprint }) => use_blueprint?.path ?? []);
    expect(uses.toSorted()).toEqual(
      readdirSync(BLUEPRINTS)
        .map((name) => `vigie/${name}`)
        .toSorted(),
    );
  });
});
