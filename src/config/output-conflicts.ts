import { parseJson } from "../core/contract/parse-json.ts";
import { findPlaceholders, PLACEHOLDERS } from "../core/outputs/placeholders.ts";
import { isConfirmedBy } from "../core/outputs/read-report.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { type Conflict, isWithin, outsideOfBase, outsideOfPrefix, ownTopics, textAt } from "./conflict.ts";
import { httpConflicts } from "./http-output-conflicts.ts";
import { idOfTopic } from "./id-word.ts";
import { onlineWithinPrefix, placeholderInOnline, sharedKeep } from "./keep-conflicts.ts";
import { nearest } from "./nearest-word.ts";
import { isHttp, placeOfAddress, plainAddress } from "./output-address.ts";
import { countDifferent, type GivenPayload, payloadsOf, textOf } from "./output-parts.ts";
import { showPath } from "./shown-value.ts";

export const RULE_OF_NONE = "the id of a rule, but there are no rules";

export function outputConflicts(options: unknown): Conflict[] {
  const given = valueAt(options, ["outputs"]);
  // The short form is the list itself.
  const [path, list] = Array.isArray(given)
    ? [["outputs"], given]
    : [["outputs", "list"], listAt(options, ["outputs", "list"])];
  const ruleIds = listAt(options, ["rules"]).flatMap((rule) => textAt(rule, "id") ?? []);
  return list.flatMap((output, index) => {
    const conflicts = [
      ...wrongTopic(output, options),
      ...sharedTopic(output, list.slice(0, index)),
      ...sharedAddress(output, list.slice(0, index)),
      ...sharedId(output, list.slice(0, index)),
      ...wrongConfirmation(output, options),
      ...expectWithoutConfirmation(output),
      ...expectOfSeveralPayloads(output),
      ...expectOfAnotherPayload(output),
      ...pathWithoutExpect(output),
      ...unknownRule(output, ruleIds),
      ...unknownPlaceholder(output),
      ...sharedKeep(output, list.slice(0, index)),
      ...onlineWithinPrefix(output, options),
      ...placeholderInOnline(output),
      ...httpConflicts(output, list),
    ];
    return conflicts.map((conflict) => ({ ...conflict, path: [...path, index, ...conflict.path] }));
  });
}

function wrongTopic(output: unknown, options: unknown): Conflict[] {
  const { base, prefix } = ownTopics(options);
  const path = ["topic"];
  const topic = textAt(output, ...path);
  if (topic === undefined) return [];
  if (base !== undefined && isWithin(topic, base)) return [{ path, expected: outsideOfBase(base) }];
  if (prefix !== undefined && isWithin(topic, prefix)) return [{ path, expected: outsideOfPrefix(prefix) }];
  return [];
}

function sharedTopic(output: unknown, earlier: readonly unknown[]): Conflict[] {
  const topic = textAt(output, "topic");
  if (topic === undefined || !earlier.some((other) => textAt(other, "topic") === topic)) return [];
  const expected = "another topic than every other output: two on one topic would overwrite each other";
  return [{ path: ["topic"], expected }];
}

function sharedAddress(output: unknown, earlier: readonly unknown[]): Conflict[] {
  const address = addressOfDevice(output);
  if (address === undefined || !earlier.some((other) => addressOfDevice(other) === address)) return [];
  const expected =
    "another address than every other output: two at one address would undo what the other does";
  return [{ path: ["url"], expected }];
}

/** With the payload in it, it is that of one device. The body of a POST may name one of several relays. */
function addressOfDevice(output: unknown): string | undefined {
  const url = textAt(output, "url");
  const isDevice = valueAt(output, ["message"]) !== true && url?.includes("{payload}");
  return isDevice ? plainAddress(url) : undefined;
}

function wrongConfirmation(output: unknown, options: unknown): Conflict[] {
  const { base } = ownTopics(options);
  return TOPICS_OF_REPORTS.flatMap((path) => {
    const topic = textAt(output, ...path);
    if (topic === undefined) return [];
    if (base !== undefined && isWithin(topic, base)) return [{ path, expected: outsideOfBase(base) }];
    if (topic !== textAt(output, "topic")) return [];
    const expected = "another topic than that of the output: there vigie would receive its own payload";
    return [{ path, expected }];
  });
}

const TOPICS_OF_REPORTS = [
  ["confirm", "topic"],
  ["confirm", "online", "topic"],
];

function sharedId(output: unknown, earlier: readonly unknown[]): Conflict[] {
  const id = idOf(output);
  const path = ["id"];
  const advice = "Give it an id, such as id: boiler";
  if (id === "")
    return [{ path, expected: "an id, because the topic has no letter a to z and no digit", advice }];
  const clash = id === undefined ? undefined : earlier.find((other) => idOf(other) === id);
  if (clash === undefined) return [];
  const expected = `an id that no other output has: ${id} is that of the output for ${describePlace(clash)}`;
  return [{ path, expected, ...(textAt(output, ...path) === undefined && { advice }) }];
}

function describePlace(output: unknown): string {
  const url = textAt(output, "url");
  return (
    plainTextAt(output, "topic") ?? (url !== undefined && isHttp(url) ? placeOfAddress(url) : "an address")
  );
}

function idOf(output: unknown): string | undefined {
  const topic = plainTextAt(output, "topic");
  return plainTextAt(output, "id") ?? (topic === undefined ? undefined : idOfTopic(topic));
}

/** An address there is in the wrong place, and may hold a token. */
function plainTextAt(output: unknown, name: string): string | undefined {
  const text = textAt(output, name);
  return text?.includes("://") ? undefined : text;
}

function expectWithoutConfirmation(output: unknown): Conflict[] {
  if (valueAt(output, ["confirm"]) !== undefined) return [];
  const expected =
    "an output with confirm.topic or confirm.url: without them no answer of the device is read";
  return payloadsOf(output)
    .filter(({ expect }) => expect !== undefined)
    .slice(0, 1)
    .map(({ path }) => ({ path: [...path, "expect"], expected }));
}

/** A device that disobeys reports what another payload would make it report. */
function expectOfSeveralPayloads(output: unknown): Conflict[] {
  const payloads = payloadsOf(output);
  const path = ["confirm", "expect"];
  const expect = valueAt(output, path);
  if (expect === undefined) return [];
  const count = countDifferent(payloads);
  if (count < 2) {
    const [name] = findPlaceholders(payloads[0]?.payload);
    if (name === undefined || findPlaceholders(expect).length > 0) return [];
    const expected = `one with a placeholder, or an expect beside the payload, because the payload changes with {${name}}, and ${ONE_FOR_ALL}`;
    return [{ path, expected }];
  }
  const instead = payloads.map(({ path: [key], payload }) => {
    const rule = key === "choose" ? "when: …, " : "";
    return `${String(key)}: ${key === "choose" ? "[" : ""}{ ${rule}payload: ${JSON.stringify(payload)}, expect: … }${key === "choose" ? "]" : ""}`;
  });
  const expected = `one expect beside each payload, because this output has ${count} payloads, and ${ONE_FOR_ALL}`;
  return [{ path, expected, advice: `Write ${instead.join(", ")}` }];
}

function expectOfAnotherPayload(output: unknown): Conflict[] {
  const isForAll = valueAt(output, ["confirm", "expect"]) !== undefined;
  if (isForAll || valueAt(output, ["confirm"]) === undefined) return [];
  const payloads = payloadsOf(output);
  return payloads.flatMap((one, index) => {
    const different = payloads.filter((other) => !isSame(other.payload, one.payload));
    const path = one.expect === undefined ? one.payloadPath : [...one.path, "expect"];
    const why = `because the two payloads differ, and ${ONE_FOR_ALL}`;
    const same = different.find(
      (other) => payloads.indexOf(other) < index && isSame(expectedOf(other), expectedOf(one)),
    );
    if (same) return [{ path, expected: `another expect than that of ${showPath(same.path)}, ${why}` }];
    const wider = different.find((other) => isOnlyPartOf(one, other));
    if (!wider) return [];
    const expected = `an expect that is no part of that of ${showPath(wider.path)}, ${why}`;
    return [{ path, expected, advice: "Add what the device reports only after this payload" }];
  });
}

/**
 * A device that still reports `{ s: 1, t: 2 }` would confirm the payload beside `expect: { s: 1 }`. A payload that is itself
 * expected may be a part of another: who reports `{ state: "ON", brightness: 5 }` does what `{ state: "ON" }` says.
 */
function isOnlyPartOf(one: GivenPayload, other: GivenPayload): boolean {
  const [part, whole] = [textOf(expectedOf(one)), textOf(expectedOf(other))];
  const isPayload = isSame(expectedOf(one), one.payload);
  return !isPayload && isConfirmedBy(whole, part) && !isConfirmedBy(part, whole);
}

const ONE_FOR_ALL = "one answer for all would confirm a device that does the opposite";

function expectedOf({ payload, expect = payload }: GivenPayload): unknown {
  return expect;
}

/** As the report of a device is compared: each would confirm the other. */
function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [textOf(one), textOf(other)];
  return isConfirmedBy(left, right) && isConfirmedBy(right, left);
}

/** An object as a whole is not the value at a path of what the device reports; and what it answers over HTTP is seldom the payload. */
function pathWithoutExpect(output: unknown): Conflict[] {
  const path = textAt(output, "confirm", "path");
  if (path === undefined || valueAt(output, ["confirm", "expect"]) !== undefined) return [];
  const isAsked = valueAt(output, ["confirm", "url"]) !== undefined;
  const expected = isAsked
    ? `an expect beside this payload: what the answer of confirm.url has at confirm.path (${path}) once the device has done it`
    : `an expect beside this object, because vigie compares the value at confirm.path (${path}) with it`;
  return payloadsOf(output)
    .filter(({ payload, expect }) => expect === undefined && (isAsked || isObject(payload)))
    .map(({ payloadPath }) => ({ path: payloadPath, expected }));
}

function isObject(payload: unknown): boolean {
  const value = typeof payload === "string" ? parseJson(payload) : payload;
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownRule(output: unknown, ruleIds: readonly string[]): Conflict[] {
  return listAt(output, ["choose"]).flatMap((choice, index) => {
    const id = textAt(choice, "when");
    if (id === undefined || ruleIds.includes(id)) return [];
    const expected =
      ruleIds.length === 0
        ? RULE_OF_NONE
        : `the id of a rule, such as ${nearest(id, ruleIds) ?? ruleIds.join(", ")}`;
    return [{ path: ["choose", index, "when"], expected }];
  });
}

function unknownPlaceholder(output: unknown): Conflict[] {
  const inPayloads = payloadsOf(output).flatMap(({ path, payloadPath, payload, expect }) => [
    { path: payloadPath, template: payload },
    { path: [...path, "expect"], template: expect },
  ]);
  const ofAll = { path: ["confirm", "expect"], template: valueAt(output, ["confirm", "expect"]) };
  return [...inPayloads, ofAll].flatMap(({ path, template }) => {
    const [found] = wrongPlaceholders(template, path);
    if (!found) return [];
    if (found.isDoubled) return [{ path: found.path, expected: `one pair of braces: {${found.name}}` }];
    const shown = nearestPlaceholders(found.name);
    return [{ path: found.path, expected: `only placeholders that vigie knows, such as ${shown}` }];
  });
}

/** `{demain.jour}` is {tomorrow.day}: each of both words may be another one for it. A few examples, if none is near. */
export function nearestPlaceholders(name: string): string {
  const [subject = "", part = ""] = name.split(".");
  const words = PLACEHOLDERS.map((one) => one.split(".") as [string, string]);
  const nearSubject = nearest(
    subject,
    words.map(([one]) => one),
  );
  const nearPart = nearest(
    part,
    words.flatMap(([one, of]) => (one === nearSubject ? [of] : [])),
  );
  const near = nearPart === undefined ? nearest(name, PLACEHOLDERS) : `${nearSubject}.${nearPart}`;
  return (near === undefined ? EXAMPLES : [near]).map((one) => `{${one}}`).join(", ");
}

const EXAMPLES = [
  "next.color",
  "next.date",
  "next.day",
  "next.confidence",
  "tomorrow.color",
  "now.period",
  "now.rate",
  "left.rouge",
];

/** Also in the texts inside an object, each with its own place. */
export function wrongPlaceholders(
  template: unknown,
  path: PropertyKey[],
): { path: PropertyKey[]; name: string; isDoubled: boolean }[] {
  if (typeof template !== "object" || template === null) {
    const doubled = [...String(template).matchAll(DOUBLED)].map(([, name = ""]) => name);
    const unknown = findPlaceholders(template).filter((name) => !PLACEHOLDERS.includes(name));
    return [
      ...doubled.map((name) => ({ path, name, isDoubled: true })),
      ...unknown.map((name) => ({ path, name, isDoubled: false })),
    ];
  }
  return Object.entries(template).flatMap(([key, inner]) =>
    wrongPlaceholders(inner, [...path, Array.isArray(template) ? Number(key) : key]),
  );
}

/** As Home Assistant writes them. */
const DOUBLED = /\{\{\s*([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)\s*\}\}/gi;
