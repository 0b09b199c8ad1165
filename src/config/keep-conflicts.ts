import { findPlaceholders } from "../core/outputs/placeholders.ts";
import { valueAt } from "../runtime/value-at.ts";
import { type Conflict, isWithin, outsideOfPrefix, ownTopics, textAt } from "./conflict.ts";

/** Two outputs that each hold their own payload against the other would switch a device for ever. */
export function sharedKeep(output: unknown, earlier: readonly unknown[]): Conflict[] {
  const place = placeThatIsKept(output);
  if (place === undefined || !earlier.some((other) => placeThatIsKept(other) === place)) return [];
  const expected =
    "keep in one output only, of those that are confirmed by the same place of the same report: each would switch the device back";
  return [{ path: ["confirm", "keep"], expected }];
}

function placeThatIsKept(output: unknown): string | undefined {
  const report = textAt(output, "confirm", "topic") ?? textAt(output, "confirm", "url");
  if (report === undefined || valueAt(output, ["confirm", "keep"]) !== true) return undefined;
  return JSON.stringify([report, textAt(output, "confirm", "path")]);
}

export function onlineWithinPrefix(output: unknown, options: unknown): Conflict[] {
  const path = ["confirm", "online", "topic"];
  const { prefix } = ownTopics(options);
  const topic = textAt(output, ...path);
  if (topic === undefined || prefix === undefined || !isWithin(topic, prefix)) return [];
  return [{ path, expected: outsideOfPrefix(prefix) }];
}

export function placeholderInOnline(output: unknown): Conflict[] {
  const path = ["confirm", "online", "equals"];
  const [name] = findPlaceholders(valueAt(output, path));
  if (name === undefined) return [];
  return [
    { path, expected: `what the device always says when it is there, without the placeholder {${name}}` },
  ];
}
