import { rulesOptions } from "../../../src/config/rules-options.ts";
import { type Component, describeEntity } from "../../../src/core/discovery/describe-device.ts";
import { type Entity, keyOf, listEntities } from "../../../src/core/discovery/entities.ts";

/** The table of entities as the README shows it; days that are alike share a line, and so do rules. */
export function entityTable(): string {
  const rules = rulesOptions.parse([
    {
      id: ID,
      name: NAME,
      threshold: 60,
      when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
    },
  ]);
  const rows = listEntities(rules, [{ id: ID, name: { fr: NAME, en: NAME } }])
    .filter(({ topic }) => !/^d[3-7]\//.test(topic))
    .map(describeRow);
  return [HEAD, ...rows].join("\n");
}

function describeRow(entity: Entity): string {
  const component = describeEntity(entity, { instance: "vigie", base: "vigie", language: "en" });
  const id = `${component.platform}.vigie_${keyOf(entity)}`.replace(ID, "<id>").replace("_d2_", "_d2…d7_");
  const name = entity.en.replace(NAME, "*its name*").replace("in 2 days", "in 2 … 7 days");
  const cells = [
    `\`${id}\``,
    name,
    describeValue(component),
    LASTING[entity.kind],
    entity.disabled ? "no" : "yes",
  ];
  return `| ${cells.join(" | ")} |`;
}

/** What its state may be. */
function describeValue(component: Component): string {
  const { options, event_types, unit_of_measurement: unit, device_class: kind } = component;
  const words = options ?? event_types;
  if (Array.isArray(words)) return words.map((word) => `\`${word}\``).join(" ");
  if (typeof unit === "string") return unit;
  if (kind === "timestamp" || kind === "date") return kind;
  return { binary_sensor: "on / off", switch: "on / off", button: "a press" }[component.platform] ?? "text";
}

const ID = "some_rule";
const NAME = "Some rule";
const LASTING: Record<Entity["kind"], string> = {
  moment: "unavailable",
  dated: "stays",
  command: "unavailable",
};
const HEAD = `| entity | name | state | when vigie is gone for long | enabled |
|---|---|---|---|---|`;
