import { valueAt } from "../runtime/value-at.ts";
import { parseBrokerAddress } from "./address.ts";
import { type Conflict, isWithin, outsideOfBase, outsideOfPrefix, ownTopics, textAt } from "./conflict.ts";
import { outputConflicts } from "./output-conflicts.ts";

/** What `service.base_url` may be for real days. */
export const A_SERVICE = "the address of a service, or none for official colours only (official.source)";

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
    ...passwordAndItsFile(options),
    ...passwordWithoutUser(options),
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

function passwordAndItsFile(options: unknown): Conflict[] {
  const isGiven = (name: string) => Boolean(valueAt(options, ["mqtt", name]));
  if (!isGiven("password") || !isGiven("password_file")) return [];
  return [{ path: ["mqtt", "password_file"], expected: "either mqtt.password or mqtt.password_file" }];
}

/** A broker closes the connection of whoever names a password without a user. */
function passwordWithoutUser(options: unknown): Conflict[] {
  const isGiven = (name: string) => Boolean(valueAt(options, ["mqtt", name]));
  const hasPassword = isGiven("password") || isGiven("password_file") || brokerAddress(options)?.password;
  if (!hasPassword || !lacksUser(options)) return [];
  const expected = "a user, because there is a password";
  const advice = "If the broker asks for no login, remove the password";
  return [{ path: ["mqtt", "username"], expected, advice }];
}

/** At a broker of one's own, as the embedded one asks for none. */
export function lacksUser(options: unknown): boolean {
  const address = brokerAddress(options);
  return address?.username === "" && !valueAt(options, ["mqtt", "username"]);
}

function certificateWithoutKey(options: unknown): Conflict[] {
  const files = ["cert_file", "key_file"];
  const missing = files.filter((name) => (valueAt(options, ["mqtt", "tls", name]) ?? "") === "");
  const [name] = missing;
  if (name === undefined || missing.length === 2) return [];
  const expected = "both mqtt.tls.cert_file and mqtt.tls.key_file, or neither";
  return [{ path: ["mqtt", "tls", name], expected }];
}

function brokerAddress(options: unknown): URL | undefined {
  const url = textAt(options, "mqtt", "url");
  return url === undefined ? undefined : parseBrokerAddress(url);
}
