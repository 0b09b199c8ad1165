import { findPlaceholders, PLACEHOLDERS } from "../core/outputs/placeholders.ts";
import { valueAt } from "../runtime/value-at.ts";
import { nearest } from "./nearest-word.ts";

/** What an output may not be beside the other options: where it is said, and what was expected there. */
interface Clash {
  path: PropertyKey[];
  expected: string;
}

/** The options may be wrong in themselves: all problems are said at once, so each is read with care. */
export function findOutputClashes(options: unknown): Clash[] {
  const outputs = at(options, "outputs");
  const [list, place] = Array.isArray(outputs)
    ? [outputs, ["outputs"]]
    : [asList(at(outputs, "list")), ["outputs", "list"]];
  const surroundings = {
    base: text(at(options, "mqtt", "base_topic")) ?? text(at(options, "instance")),
    prefix: text(at(options, "homeassistant", "prefix")),
    rules: asList(at(options, "rules")).flatMap((rule) => text(at(rule, "id")) ?? []),
    topics: list.map((output) => text(at(output, "topic"))),
  };
  return list.flatMap((output, index) => {
    const found = [
      ...topicClashes(output, index, surroundings),
      ...confirmClashes(output, surroundings),
      ...choiceClashes(output, surroundings),
      ...payloadClashes(output),
    ];
    return found.map(({ path, expected }) => ({ path: [...place, index, ...path], expected }));
  });
}

interface Surroundings {
  base: string | undefined;
  prefix: string | undefined;
  rules: string[];
  topics: (string | undefined)[];
}

function topicClashes(output: unknown, index: number, { base, prefix, topics }: Surroundings): Clash[] {
  const topic = text(at(output, "topic"));
  if (topic === undefined) return [];
  const path = ["topic"];
  if (isWithin(topic, base)) return [{ path, expected: `a topic outside of mqtt.base_topic (${base})` }];
  if (isWithin(topic, prefix)) {
    return [{ path, expected: `a topic outside of homeassistant.prefix (${prefix})` }];
  }
  if (topics.indexOf(topic) === index) return [];
  return [{ path, expected: "a topic of its own, for two outputs on one topic would fight for it" }];
}

/** On its own topic vigie would hear itself, and below its base it would answer itself. */
function confirmClashes(output: unknown, { base }: Surroundings): Clash[] {
  const topic = text(at(output, "confirm", "topic"));
  if (topic === undefined) {
    const lonely = asList(at(output, "choose")).findIndex((choice) => at(choice, "expect") !== undefined);
    if (lonely < 0 || at(output, "confirm") !== undefined) return [];
    return [
      { path: ["choose", lonely, "expect"], expected: "an output with confirm, for only that listens" },
    ];
  }
  const path = ["confirm", "topic"];
  if (isWithin(topic, base)) return [{ path, expected: `a topic outside of mqtt.base_topic (${base})` }];
  if (topic !== text(at(output, "topic"))) return [];
  return [{ path, expected: "another topic than the output's own, where vigie would hear itself" }];
}

function choiceClashes(output: unknown, { rules }: Surroundings): Clash[] {
  return asList(at(output, "choose")).flatMap((choice, index) => {
    const when = text(at(choice, "when"));
    if (when === undefined || rules.includes(when)) return [];
    const near = nearest(when.slice(0, 40), rules, Number.POSITIVE_INFINITY);
    const expected =
      near === undefined ? "the id of a rule, but there are no rules" : `the id of a rule, such as ${near}`;
    return [{ path: ["choose", index, "when"], expected }];
  });
}

function payloadClashes(output: unknown): Clash[] {
  const choices = asList(at(output, "choose")).flatMap((_, index) => [
    ["choose", index, "payload"],
    ["choose", index, "expect"],
  ]);
  const places: PropertyKey[][] = [["else"], ["unknown"], ["confirm", "expect"], ...choices];
  return places.flatMap((path) => {
    const unknown = findPlaceholders(text(at(output, ...path)) ?? "").find(
      (name) => !PLACEHOLDERS.includes(name),
    );
    if (unknown === undefined) return [];
    const near = nearest(unknown.slice(0, 40), PLACEHOLDERS, Number.POSITIVE_INFINITY);
    return [{ path, expected: `only placeholders that vigie knows, such as {${near}}` }];
  });
}

function isWithin(topic: string, parent: string | undefined): boolean {
  return parent !== undefined && (topic === parent || topic.startsWith(`${parent}/`));
}

function at(value: unknown, ...path: PropertyKey[]): unknown {
  return valueAt(value, path);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
