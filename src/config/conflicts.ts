import { parseJson } from "../core/contract/parse-json.ts";
import { isConfirmedBy } from "../core/outputs/confirms.ts";
import { findPlaceholders, PLACEHOLDERS } from "../core/outputs/placeholders.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { parseBrokerAddress } from "./address.ts";
import { idOfTopic } from "./id-word.ts";
import { nearest } from "./nearest-word.ts";
import { showPath } from "./shown-value.ts";

/** What `service.base_url` may be for real days. */
export const A_SERVICE = "the address of a service, or none for official colours only (official.source)";
export const RULE_OF_NONE = "the id of a rule, but there are no rules";

/** Options that cannot be used together: the one to report, and what is expected there. */
interface Conflict {
  path: PropertyKey[];
  expected: string;
  advice?: string;
}

/**
 * Every conflict between options. All problems of a configuration are reported at once, so other options may be wrong in
 * themselves: each value is checked before it is used.
 */
export function findConflicts(options: unknown): Conflict[] {
  return [
    ...inventedDaysOnRealBroker(options),
    ...officialSourceConflicts(options),
    ...baseTopicWithinDiscovery(options),
    ...credentialsGivenTwice(options),
    ...certificateWithoutKey(options),
    ...outputConflicts(options),
  ];
}

function inventedDaysOnRealBroker(options: unknown): Conflict[] {
  const isAllowed = valueAt(options, ["service", "allow_simulator"]) === true;
  if (isAllowed || !brokerAddress(options)) return [];
  const advice =
    "Invented days could switch real devices: to try vigie out, set mqtt.url: embedded; to allow it nevertheless, set service.allow_simulator: true";
  const why = "because mqtt.url names a real broker";
  const conflicts: Conflict[] = [];
  if (textAt(options, "service", "base_url") === "simulator" && !namesRealColors(options)) {
    conflicts.push({ path: ["service", "base_url"], expected: `${A_SERVICE}, ${why}`, advice });
  }
  const isAlone = ["none", "simulator"].includes(textAt(options, "service", "base_url") ?? "");
  if (isAlone && textAt(options, "official", "source") === "simulator") {
    conflicts.push({ path: ["official", "source"], expected: `off, rte or an address, ${why}`, advice });
  }
  return conflicts;
}

function officialSourceConflicts(options: unknown): Conflict[] {
  // `official: rte`: its form is refused, and what it names is not missing.
  const given = valueAt(options, ["official"]);
  if (typeof given === "string") return [];
  const base = textAt(options, "service", "base_url");
  const source = textAt(options, "official", "source") ?? "off";
  const path = ["official", "source"];
  if (base === "none" && source === "off") {
    const expected = "rte or an address, because with service.base_url: none nothing else names a colour";
    return [{ path, expected }];
  }
  const advice = "Real and invented days are never mixed";
  if (base === "simulator" && namesRealColors(options)) {
    const expected = `${A_SERVICE}, because official.source names real colours`;
    return [{ path: ["service", "base_url"], expected, advice }];
  }
  if (base !== "simulator" && base !== "none" && source === "simulator") {
    const expected = "off, rte or an address, because service.base_url is no simulator";
    return [{ path, expected, advice }];
  }
  return [];
}

function namesRealColors(options: unknown): boolean {
  return !["off", "simulator"].includes(textAt(options, "official", "source") ?? "off");
}

function baseTopicWithinDiscovery(options: unknown): Conflict[] {
  const { base, prefix } = ownTopics(options);
  if (base === undefined || prefix === undefined) return [];
  if (isWithin(base, prefix)) {
    const isGiven = textAt(options, "mqtt", "base_topic") !== undefined;
    return [{ path: isGiven ? ["mqtt", "base_topic"] : ["instance"], expected: outsideOfPrefix(prefix) }];
  }
  if (!isWithin(prefix, base)) return [];
  return [{ path: ["homeassistant", "prefix"], expected: outsideOfBase(base) }];
}

function credentialsGivenTwice(options: unknown): Conflict[] {
  const address = brokerAddress(options);
  const names = ["username", "password"] as const;
  const twice = names.filter((name) => address?.[name] && textAt(options, "mqtt", name));
  if (twice.length === 0) return [];
  return [
    {
      path: ["mqtt", "url"],
      expected: `${twice.join(" and ")} only once, in the address or in mqtt.${twice.join(" and mqtt.")}`,
    },
  ];
}

function certificateWithoutKey(options: unknown): Conflict[] {
  const files = ["cert_file", "key_file"];
  const missing = files.filter((name) => (valueAt(options, ["mqtt", "tls", name]) ?? "") === "");
  const [name] = missing;
  if (name === undefined || missing.length === 2) return [];
  const expected = "both mqtt.tls.cert_file and mqtt.tls.key_file, or neither";
  return [{ path: ["mqtt", "tls", name], expected }];
}

function outputConflicts(options: unknown): Conflict[] {
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
      ...sharedId(output, list.slice(0, index)),
      ...wrongConfirmation(output, options),
      ...expectWithoutConfirmation(output),
      ...expectOfSeveralPayloads(output),
      ...expectOfAnotherPayload(output),
      ...pathWithoutExpect(output),
      ...unknownRule(output, ruleIds),
      ...unknownPlaceholder(output),
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

function wrongConfirmation(output: unknown, options: unknown): Conflict[] {
  const { base } = ownTopics(options);
  const path = ["confirm", "topic"];
  const topic = textAt(output, ...path);
  if (topic === undefined) return [];
  if (base !== undefined && isWithin(topic, base)) return [{ path, expected: outsideOfBase(base) }];
  if (topic !== textAt(output, "topic")) return [];
  const expected = "another topic than that of the output: there vigie would receive its own payload";
  return [{ path, expected }];
}

function sharedId(output: unknown, earlier: readonly unknown[]): Conflict[] {
  const id = idOf(output);
  const path = ["id"];
  const advice = "Give it an id, such as id: boiler";
  if (id === "")
    return [{ path, expected: "an id, because the topic has no letter a to z and no digit", advice }];
  const clash = id === undefined ? undefined : earlier.find((other) => idOf(other) === id);
  if (clash === undefined) return [];
  const expected = `an id that no other output has: ${id} is that of the output for ${textAt(clash, "topic")}`;
  return [{ path, expected, ...(textAt(output, ...path) === undefined && { advice }) }];
}

function idOf(output: unknown): string | undefined {
  const topic = textAt(output, "topic");
  return textAt(output, "id") ?? (topic === undefined ? undefined : idOfTopic(topic));
}

/** One payload of an output, and where it stands. */
interface GivenPayload {
  /** Of the choice or branch; with `expect` added to it, of its expectation. */
  path: PropertyKey[];
  payloadPath: PropertyKey[];
  payload: unknown;
  expect: unknown;
}

function payloadsOf(output: unknown): GivenPayload[] {
  const choices = listAt(output, ["choose"]).map((_, index) => ["choose", index]);
  return [...choices, ["else"], ["unknown"]].flatMap((path) => {
    const given = valueAt(output, path);
    if (given === undefined) return [];
    const payloadPath = typeof given === "string" ? path : [...path, "payload"];
    const payload = valueAt(output, payloadPath);
    return [{ path, payloadPath, payload, expect: valueAt(output, [...path, "expect"]) }];
  });
}

function expectWithoutConfirmation(output: unknown): Conflict[] {
  if (valueAt(output, ["confirm"]) !== undefined) return [];
  const expected = "an output with confirm.topic: without it no answer of the device is read";
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
  const different = new Set(payloads.map(({ payload }) => JSON.stringify(payload)));
  if (different.size < 2) {
    const [name] = findPlaceholders(payloads[0]?.payload);
    if (name === undefined || findPlaceholders(expect).length > 0) return [];
    const expected = `one with a placeholder, or an expect beside the payload, because the payload changes with {${name}}, and ${ONE_FOR_ALL}`;
    return [{ path, expected }];
  }
  const instead = payloads.map(({ path: [key], payload }) => {
    const rule = key === "choose" ? "when: …, " : "";
    return `${String(key)}: ${key === "choose" ? "[" : ""}{ ${rule}payload: ${JSON.stringify(payload)}, expect: … }${key === "choose" ? "]" : ""}`;
  });
  const expected = `one expect beside each payload, because this output has ${different.size} payloads, and ${ONE_FOR_ALL}`;
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

function textOf(given: unknown): string {
  return typeof given === "string" ? given : (JSON.stringify(given) ?? "");
}

/** An object as a whole is not the value at a path of what the device reports. */
function pathWithoutExpect(output: unknown): Conflict[] {
  const path = textAt(output, "confirm", "path");
  if (path === undefined || valueAt(output, ["confirm", "expect"]) !== undefined) return [];
  return payloadsOf(output)
    .filter(({ payload, expect }) => expect === undefined && isObject(payload))
    .map(({ payloadPath }) => ({
      path: payloadPath,
      expected: `an expect beside this object, because vigie compares the value at confirm.path (${path}) with it`,
    }));
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
    const [found] = unknownPlaceholders(template, path);
    if (!found) return [];
    const near = nearest(found.name, PLACEHOLDERS);
    const known = near === undefined ? PLACEHOLDERS : [near];
    const shown = known.map((name) => `{${name}}`).join(", ");
    return [{ path: found.path, expected: `only placeholders that vigie knows, such as ${shown}` }];
  });
}

/** Also in the texts inside an object, each with its own place. */
function unknownPlaceholders(
  template: unknown,
  path: PropertyKey[],
): { path: PropertyKey[]; name: string }[] {
  if (typeof template !== "object" || template === null) {
    const unknown = findPlaceholders(template).filter((name) => !PLACEHOLDERS.includes(name));
    return unknown.map((name) => ({ path, name }));
  }
  return Object.entries(template).flatMap(([key, inner]) =>
    unknownPlaceholders(inner, [...path, Array.isArray(template) ? Number(key) : key]),
  );
}

function ownTopics(options: unknown): { base: string | undefined; prefix: string | undefined } {
  const isGiven = valueAt(options, ["mqtt", "base_topic"]) !== undefined;
  return {
    base: isGiven ? textAt(options, "mqtt", "base_topic") : textAt(options, "instance"),
    prefix: textAt(options, "homeassistant", "prefix"),
  };
}

function outsideOfBase(base: string): string {
  return `a topic outside of mqtt.base_topic (${base})`;
}

function outsideOfPrefix(prefix: string): string {
  return `a topic outside of homeassistant.prefix (${prefix})`;
}

function isWithin(topic: string, parent: string): boolean {
  return topic === parent || topic.startsWith(`${parent}/`);
}

function brokerAddress(options: unknown): URL | undefined {
  const url = textAt(options, "mqtt", "url");
  return url === undefined ? undefined : parseBrokerAddress(url);
}

function textAt(value: unknown, ...path: PropertyKey[]): string | undefined {
  const text = valueAt(value, path);
  return typeof text === "string" ? text : undefined;
}
