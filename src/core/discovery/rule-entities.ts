import type { Rule } from "../rules/rule.ts";
import type { Entity } from "./entity.ts";

/** What a rule says, what it will say, and how it is set. */
export function ruleEntities({ id, name: { fr, en }, threshold }: RuleToShow): Entity[] {
  const topic = `rules/${id}`;
  return [
    {
      topic: `${topic}/state`,
      shape: "yes_no",
      kind: "moment",
      attributes: topic,
      fr,
      en,
      icon: "mdi:eye-outline",
    },
    {
      topic: `${topic}/since`,
      shape: "instant",
      kind: "moment",
      fr: `${fr} : depuis`,
      en: `${en}: since`,
    },
    {
      topic: `${topic}/next_on`,
      shape: "instant",
      kind: "dated",
      attributes: `${topic}/plan`,
      fr: `${fr} : prochain début`,
      en: `${en}: next on`,
    },
    {
      topic: `${topic}/next_off`,
      shape: "instant",
      kind: "dated",
      fr: `${fr} : prochaine fin`,
      en: `${en}: next off`,
    },
    {
      topic: `${topic}/enabled`,
      shape: "switch",
      kind: "command",
      category: "config",
      fr: `${fr} : règle activée`,
      en: `${en}: enabled`,
    },
    ...(threshold === null ? [] : [thresholdEntity({ topic, fr, en })]),
  ];
}

export type RuleToShow = Pick<Rule, "id" | "name" | "threshold">;

function thresholdEntity({ topic, fr, en }: Pick<Entity, "topic" | "fr" | "en">): Entity {
  return {
    topic: `${topic}/threshold`,
    shape: "slider",
    kind: "command",
    category: "config",
    fr: `${fr} : seuil`,
    en: `${en}: threshold`,
    icon: "mdi:tune-variant",
  };
}
