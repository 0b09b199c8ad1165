import type { IClientPublishOptions } from "mqtt";
import { between, pick, type Random } from "../../src/simulator/random.ts";

export interface HostileMessage {
  topic: string;
  payload: string | Buffer;
  options: IClientPublishOptions;
}

/** `below`: the base topic only; `everywhere`: also the values of the house, the devices and Home Assistant. */
export type Scope = "below" | "everywhere";

interface StrangerOptions {
  random: Random;
  version: 4 | 5;
  base: string;
  /** vigie's own topics below the base. */
  own: readonly string[];
  /** What `owner` holds before. */
  owner: string;
  rules: readonly string[];
  /** Topics of the house. */
  outside: readonly string[];
}

export interface Stranger {
  /** What is sent at once: one message mostly; sometimes a flood. */
  next: (scope: Scope) => readonly HostileMessage[];
  /** Base topics below vigie's own that were claimed for other vigies so far. */
  claimed: ReadonlySet<string>;
  /** From now on more base topics are claimed than vigie keeps. */
  claimMany: () => void;
}

const KB = 1024;

/** The same messages for the same random numbers. None is an answer for a claim: that is another vigie, to which vigie yields. */
export function createStranger(options: StrangerOptions): Stranger {
  const { random, version, base, own, owner, rules, outside } = options;
  const claimed = new Set<string>();
  let bases = 24;
  let distinct = 0;
  const chance = (probability: number) => random() < probability;
  const number = (below: number) => Math.floor(between(0, below, random));
  const oneOf = <T>(from: readonly T[]): T => {
    const [first, ...rest] = from;
    if (first === undefined) throw new Error("Expected something to choose from");
    return pick([first, ...rest], random);
  };
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => number(256)));
  const junk = (): string | Buffer => {
    const kind = number(24);
    if (kind === 0) return oneOf(["x", "é", "\u001b[31m"]).repeat(number(150 * KB));
    if (kind === 1) return `${"[".repeat(number(20 * KB))}`;
    if (kind === 2) return bytes(number(2 * KB));
    if (kind === 3) return JSON.stringify({ color: "rouge", for: "x".repeat(number(30 * KB)) });
    return oneOf(JUNK);
  };
  const claim = (incarnation = `claim-${number(1_000)}`) =>
    JSON.stringify({
      installation: oneOf(["0123456789abcdef0123456789abcdef", "x", "\u001b[2J", "x".repeat(5 * KB)]),
      incarnation,
      host: oneOf(["elsewhere", "\u001b]0;mine\u0007", "h".repeat(20 * KB)]),
      version: "9.9.9",
      since: oneOf(["2026-01-05T06:00:00Z", "yesterday", ""]),
      client_id: oneOf(["home-assistant", "vigie-vigie-0123456789abcdef0123456789abcdef", ""]),
    });
  const nestedClaim = () => {
    const name = `annexe${number(bases)}`;
    claimed.add(name);
    return { topic: `${name}/owner`, payload: claim(), retain: true };
  };
  const level = () =>
    oneOf([...ODD_LEVELS, ...rules, "rules", "outputs", "set", "now", "owner", "simulation", "refresh"]);
  const topicOfLevels = (most: number) => Array.from({ length: 1 + number(most) }, level).join("/");
  const command = () => {
    const [topic, payloads] = oneOf<readonly [string, readonly string[]]>([
      ["refresh/set", ["PRESS", "push"]],
      ["simulation/set", SIMULATIONS],
      [`rules/${oneOf([...rules, ...ODD_LEVELS])}/enabled/set`, SWITCHES],
      [`rules/${oneOf([...rules, ...ODD_LEVELS])}/threshold/set`, ["0", "100", "55.0", "1e2", "-1", "101"]],
    ]);
    return { topic, payload: chance(0.7) ? oneOf(payloads) : junk(), retain: chance(0.1) };
  };
  type Draft = Pick<HostileMessage, "topic" | "payload"> & { retain: boolean };
  /** Each is as likely as the others. */
  const below: (() => Draft)[] = [
    () => ({ topic: oneOf(own), payload: junk(), retain: chance(0.7) }),
    () => ({ topic: oneOf(own), payload: chance(0.5) ? "" : "rouge", retain: true }),
    () => ({ topic: "owner", payload: oneOf([claim(), claim(), owner, junk()]), retain: chance(0.5) }),
    () => ({ topic: "owner/ping", payload: oneOf(['{"id":"x"}', owner, junk()]), retain: chance(0.2) }),
    () => ({ topic: "owner/pong", payload: oneOf([claim("nobody"), owner, junk()]), retain: chance(0.2) }),
    () => ({ topic: "availability", payload: oneOf(["offline", "online", "", junk()]), retain: true }),
    () => ({ topic: "event", payload: oneOf(['{"event_type":"revised"}', junk()]), retain: chance(0.5) }),
    command,
    () => ({ topic: `${topicOfLevels(4)}/set`, payload: junk(), retain: chance(0.3) }),
    () => ({ topic: `${topicOfLevels(3)}/owner`, payload: junk(), retain: true }),
    () => ({ topic: `${oneOf(own)}/owner`, payload: claim(), retain: true }),
    () => ({ topic: `rules/${oneOf(rules)}/owner`, payload: claim(), retain: true }),
    nestedClaim,
    () => ({ topic: `annexe${number(bases)}/${topicOfLevels(3)}`, payload: junk(), retain: chance(0.5) }),
    () => ({ topic: topicOfLevels(5), payload: junk(), retain: chance(0.5) }),
    () => ({ topic: topicOfLevels(MOST_LEVELS), payload: junk(), retain: chance(0.5) }),
    () => ({ topic: `rules/${topicOfLevels(3)}`, payload: junk(), retain: chance(0.5) }),
    () => {
      distinct = (distinct + 1) % MOST_DISTINCT;
      return { topic: `distinct/${distinct}`, payload: "x", retain: true };
    },
    () => ({
      topic: `${number(100)}/${"long".repeat(number(16 * KB - 20))}${oneOf(["", "/set", "/owner"])}`,
      payload: "x",
      retain: chance(0.3),
    }),
    () => ({
      topic: `large/${number(100)}`,
      payload: "x".repeat(number(chance(0.1) ? 4_000 * KB : 300 * KB)),
      retain: chance(0.7),
    }),
  ];
  const around = (): Draft => ({
    topic: oneOf([...outside, "homeassistant/device/vigie/config", "homeassistant/sensor/vigie/x/config"]),
    payload: oneOf(["0", "99", "on", "off", "online", "offline", "forbidden", junk()]),
    retain: chance(0.5),
  });
  const properties = (): IClientPublishOptions => {
    if (version === 4 || chance(0.7)) return {};
    return {
      properties: {
        messageExpiryInterval: number(3),
        contentType: oneOf(["application/json", "\u202e", "x".repeat(KB)]),
        userProperties: { __proto__x: "x".repeat(number(4 * KB)), base: ["a", "b"] },
        correlationData: bytes(16),
        responseTopic: `${base}/simulation/set`,
      },
    };
  };
  const complete = ({ topic, payload, retain }: Draft): HostileMessage => ({
    topic,
    payload,
    options: { qos: oneOf([0, 1, 2] as const), retain, ...properties() },
  });
  return {
    next: (scope) => {
      const isAround = scope === "everywhere" && chance(0.3);
      const make = isAround ? around : oneOf(below);
      const draw = () => {
        const draft = make();
        return complete(isAround ? draft : { ...draft, topic: `${base}/${draft.topic}` });
      };
      if (chance(0.98)) return [draw()];
      const length = 50 + number(300);
      if (chance(0.5)) return Array.from({ length }, draw);
      const message = draw();
      return message.payload.length < KB ? Array.from({ length }, () => message) : [message];
    },
    claimed,
    claimMany: () => {
      bases = 60;
    },
  };
}

/** The broker takes 200 levels at most. */
const MOST_LEVELS = 180;
const MOST_DISTINCT = 20_000;
const ODD_LEVELS = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "", " ", "é", "日本", "😀", "\u202eegiv"],
  ...["$SYS", "x", "0", "-1", "null", "x".repeat(300), "..", "%2e%2e", "\u2028", "state", "enabled"],
];
const JUNK = [
  ...["", " ", "ON", "OFF", "None", "null", "rouge", "bleu", "0", "-1", "1e308", "NaN", "online", "offline"],
  ...[
    "{}",
    "[]",
    '"',
    '{"__proto__":{"enabled":true}}',
    '{"constructor":{"prototype":{}}}',
    "true",
    "\u0000",
  ],
  ...[
    "\u001b[2J\u001b[H",
    "\u001b]0;mine\u0007",
    "\u202egnorw",
    "a\nb\r\nc",
    '{"level":60,"msg":"no"}\n',
    "%s%n",
  ],
];
const SIMULATIONS = [
  ...[
    "rouge",
    "blanc",
    "auto",
    '{"color":"rouge","from":"next","for":"1s"}',
    '{"color":"rouge","for":"24h"}',
  ],
  ...['{"color":"rouge","for":"1e308h"}', '{"color":"rouge","__proto__":{"for":"1h"}}', "violet"],
];
const SWITCHES = [
  ...[
    "ON",
    "OFF",
    '{"enabled":false,"for":"1s"}',
    '{"enabled":true,"for":"720h"}',
    '{"enabled":0}',
    "TOGGLE",
  ],
];
