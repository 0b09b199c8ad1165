import { valueAt } from "../runtime/value-at.ts";
import { parseAddress } from "./address.ts";

/** A wrong meeting of two options: where it is said, and what was expected there. */
interface Clash {
  path: string[];
  expected: string;
}

/** What options may not be together. Some may be wrong in themselves: all problems are said at once, so each is read with care. */
export function findClashes(options: unknown): Clash[] {
  return RULES.flatMap((rule) => rule((...path) => textAt(options, path)) ?? []);
}

type Read = (...path: string[]) => string | undefined;

const RULES: readonly ((read: Read) => Clash | undefined)[] = [
  (read) => {
    if (read("service", "base_url") !== "simulator" || !brokerAddress(read("mqtt", "url"))) return undefined;
    return read("service", "allow_simulator") === "true"
      ? undefined
      : {
          path: ["service", "base_url"],
          expected:
            "the address of a service, or mqtt.url: embedded, or service.allow_simulator: true, for invented days must not reach a real house",
        };
  },
  (read) => {
    const base = read("mqtt", "base_topic") ?? read("instance");
    const prefix = read("homeassistant", "prefix");
    const path = read("mqtt", "base_topic") === undefined ? ["instance"] : ["mqtt", "base_topic"];
    if (base === undefined || prefix === undefined) return undefined;
    if (isWithin(base, prefix))
      return { path, expected: `a topic outside of homeassistant.prefix (${prefix})` };
    if (isWithin(prefix, base)) {
      return { path: ["homeassistant", "prefix"], expected: `a topic outside of mqtt.base_topic (${base})` };
    }
    return undefined;
  },
  (read) => {
    const address = brokerAddress(read("mqtt", "url"));
    const twice = (["username", "password"] as const).filter((name) => address?.[name] && read("mqtt", name));
    if (twice.length === 0) return undefined;
    return {
      path: ["mqtt", "url"],
      expected: `an address without a user, or no mqtt.${twice.join(" and no mqtt.")}`,
    };
  },
  (read) => {
    const certificate = read("mqtt", "tls", "cert_file");
    const key = read("mqtt", "tls", "key_file");
    if ((certificate === undefined) === (key === undefined)) return undefined;
    const missing = key === undefined ? "key_file" : "cert_file";
    return {
      path: ["mqtt", "tls", missing],
      expected: "both mqtt.tls.cert_file and mqtt.tls.key_file, or neither",
    };
  },
];

function brokerAddress(url: string | undefined): URL | undefined {
  return url === undefined ? undefined : parseAddress(url, ["mqtt:", "mqtts:", "ws:", "wss:"]);
}

function isWithin(topic: string, parent: string): boolean {
  return topic === parent || topic.startsWith(`${parent}/`);
}

function textAt(options: unknown, path: string[]): string | undefined {
  const value = valueAt(options, path);
  return value === undefined || value === null ? undefined : String(value);
}
