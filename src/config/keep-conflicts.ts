import { parseJson } from "../core/contract/parse-json.ts";
import { findPlaceholders } from "../core/outputs/placeholders.ts";
import { valueAt } from "../runtime/value-at.ts";
import { type Conflict, isWithin, outsideOfPrefix, ownTopics, textAt } from "./conflict.ts";
import { plainAddress } from "./output-address.ts";
import { payloadsOf } from "./output-parts.ts";

/** Two outputs that each hold their own payload against the other would switch a device for ever. */
export function sharedKeep(output: unknown, earlier: readonly unknown[]): Conflict[] {
  const places = placesThatAreKept(output);
  if (!earlier.some((other) => placesThatAreKept(other).some((place) => places.includes(place)))) return [];
  const expected =
    "keep in one output only, of those that are confirmed by the same place of the same report: each would switch the device back";
  return [{ path: ["confirm", "keep"], expected }];
}

/** Where in which report: `path`, or the places in the objects that are expected. */
function placesThatAreKept(output: unknown): string[] {
  const report = textAt(output, "confirm", "topic") ?? plainAddress(textAt(output, "confirm", "url"));
  if (report === undefined || valueAt(output, ["confirm", "keep"]) !== true) return [];
  const path = textAt(output, "confirm", "path");
  const expected = payloadsOf(output).map(({ payload, expect = payload }) => expect);
  const places = path === undefined ? expected.flatMap((one) => placesIn(one)) : [path];
  return places.map((place) => JSON.stringify([report, place]));
}

/** `a` and `b.c` of `{ a: 1, b: { c: 2 } }`; an empty one of a text. */
function placesIn(expected: unknown): string[] {
  const json = typeof expected === "string" ? parseJson(expected) : expected;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return [""];
  return Object.entries(json).flatMap(([key, value]) =>
    placesIn(value).map((place) => (place === "" ? key : `${key}.${place}`)),
  );
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
