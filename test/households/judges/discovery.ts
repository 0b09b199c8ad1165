import { MINUTE } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import type { House } from "./house.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE, houseAt, readTopics } from "./topics.ts";
import { expectedEntities } from "./truth/entities.ts";

/** What the broker holds for Home Assistant at a quiet point. */
export const discoveryJudges: readonly Judge[] = [
  { name: "discovery", find: (trace) => trace.events.flatMap((event) => judgeEntities(event, trace)) },
  {
    name: "topics of entities",
    find: (trace) => trace.events.flatMap((event) => judgeTopics(event, trace)),
  },
];

type Quiet = EventOf<"quiet"> & TraceEvent;

interface Found {
  topic: string;
  key: string;
  /** As Home Assistant reads it. */
  entity: Readonly<Record<string, unknown>>;
}

/** Each entity of the documents is there once, and no other one; each is one that Home Assistant takes. */
function judgeEntities(event: TraceEvent, trace: Trace): Finding[] {
  if (!isKind(event, "quiet")) return [];
  const house = houseAt(trace, event.steady);
  if (!house || !isSettled(event) || isMeddledWith(trace, event)) return ["skipped"];
  const found: Found[] = [];
  for (const [topic, payload] of discoveryIn(event)) {
    const read = readMessage(topic, payload, house);
    if (typeof read === "string") return [{ at: event.steady, sentence: `${topic} ${read}` }];
    found.push(...read);
  }
  const wanted = house.discovery === "off" ? new Map<string, string>() : expectedEntities(house);
  const missing = [...wanted.keys()].filter((key) => !found.some((one) => one.key === key));
  return [
    ...missing.map((key): Finding => ({ at: event.steady, sentence: `the entity ${key} is missing` })),
    ...found.map((one, index): Finding => {
      const isTwice = found.findIndex(({ key }) => key === one.key) !== index;
      const fault = isTwice ? "is there twice" : faultOf(one, wanted);
      return fault === null ? "right" : { at: event.steady, sentence: `the entity ${one.key} ${fault}` };
    }),
    // That there is none is right, too.
    ...(found.length === 0 && wanted.size === 0 ? (["right"] as const) : []),
  ];
}

/** What Home Assistant shows as a state or as attributes is there, and vigie hears each command. */
function judgeTopics(event: TraceEvent, trace: Trace): Finding[] {
  if (!isKind(event, "quiet")) return [];
  const house = houseAt(trace, event.steady);
  if (!house || !isSettled(event) || isMeddledWith(trace, event)) return ["skipped"];
  const history = readTopics(trace);
  return discoveryIn(event).flatMap(([topic, payload]) => {
    const read = readMessage(topic, payload, house);
    if (typeof read === "string") return [];
    return read.flatMap(({ key, entity }) =>
      TOPICS.flatMap((name): Finding[] => {
        const given = entity[name];
        if (given === undefined) return [];
        const inFull = String(given);
        if (isThere(name, inFull)) return ["right"];
        // Somebody has cleared it, or it has expired: other judges say so.
        if (name !== "command_topic" && history.published(inFull).length > 0) return ["skipped"];
        return [{ at: event.steady, sentence: `${name} of ${key} is ${inFull}, which nobody has` }];
      }),
    );
  });

  function isThere(name: string, topic: string): boolean {
    if (!isKind(event, "quiet")) return false;
    if (name === "command_topic") return isCommand(topic, house!);
    return event.retained.has(topic) || topic === `${BASE}/event`;
  }
}

const TOPICS = ["state_topic", "json_attributes_topic", "availability_topic", "command_topic"];

function isCommand(topic: string, house: House): boolean {
  const commands = house.rules.flatMap(({ id, threshold }) => [
    `rules/${id}/enabled/set`,
    ...(threshold === null ? [] : [`rules/${id}/threshold/set`]),
  ]);
  return ["refresh/set", "simulation/set", ...commands].some((one) => topic === `${BASE}/${one}`);
}

/** Discovery messages follow when all topics are sent: at a slow broker that takes a while. */
function isSettled({ steady, since }: Quiet): boolean {
  return steady - since > SETTLES;
}

const SETTLES = 5 * MINUTE;

/** Another program wrote one of these messages, or deleted it. Nobody promises more than that a new connection brings back what is gone. */
function isMeddledWith(trace: Trace, { steady, retained }: Quiet): boolean {
  const topics = readTopics(trace);
  const connected = trace.events.findLast((event) => event.steady <= steady && event.kind === "connected");
  return ofOthers(trace).some((message) => {
    if (message.steady > steady || (topics.last(message.topic, steady)?.steady ?? -1) >= message.steady)
      return false;
    return retained.has(message.topic) || !connected || connected.steady < message.steady;
  });
}

const ofOthers = onceForEach(({ events }: Trace) =>
  events.filter(
    (event): event is EventOf<"message"> & TraceEvent =>
      isKind(event, "message") && event.by === "house" && event.topic.startsWith("homeassistant/"),
  ),
);

function discoveryIn({ retained }: Quiet): [string, string][] {
  return [...retained].filter(([topic]) => topic.startsWith("homeassistant/") && topic.endsWith("/config"));
}

/** A string: what is wrong with the message as a whole. */
function readMessage(topic: string, payload: string, { discovery }: House): Found[] | string {
  const message = parseObject(payload);
  if (!message) return "is no JSON object";
  const [, platform = "", node, key = ""] = topic.split("/");
  const isOfDevice = platform === "device";
  if (node !== BASE) return "is of another vigie";
  if (isOfDevice !== (discovery === "device") || discovery === "off")
    return `is there, and homeassistant.discovery is ${discovery}`;
  const { device, origin, components } = message as Record<string, Record<string, unknown>>;
  if (!device?.["identifiers"] || !origin?.["name"]) return "has no identifiers of a device, or no origin";
  if (!isOfDevice) return [{ topic, key, entity: { platform, ...message } }];
  const given = Object.entries(components ?? {}) as [string, Record<string, unknown>][];
  return given.map(([name, entity]) => ({ topic, key: name, entity }));
}

function parseObject(payload: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(payload);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? { ...read } : null;
  } catch {
    return null;
  }
}

/** null: none. Home Assistant ignores an entity that lacks what its platform demands. */
function faultOf({ key, entity }: Found, wanted: ReadonlyMap<string, string>): string | null {
  const platform = wanted.get(key);
  const lacking = (DEMANDED[platform ?? ""] ?? []).filter((name) => entity[name] === undefined);
  const isEnum = entity["device_class"] === "enum";
  const faults: [boolean, string][] = [
    [platform === undefined, "is of nothing that is configured"],
    [entity["platform"] !== platform, `is a ${entity["platform"]}`],
    [entity["unique_id"] !== `${BASE}_${key}`, `has the unique_id ${entity["unique_id"]}`],
    [
      entity["default_entity_id"] !== `${platform}.${BASE}_${key}`,
      `has the default_entity_id ${entity["default_entity_id"]}`,
    ],
    [typeof entity["name"] !== "string" || entity["name"] === "", "has no name"],
    [lacking.length > 0, `lacks ${lacking.join(", ")}`],
    [isEnum && !isFilled(entity["options"]), "is an enum without options"],
    [isEnum && "unit_of_measurement" in entity, "is an enum with a unit"],
  ];
  return faults.find(([isFault]) => isFault)?.[1] ?? null;
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

const DEMANDED: Readonly<Record<string, readonly string[]>> = {
  sensor: ["state_topic"],
  binary_sensor: ["state_topic"],
  switch: ["command_topic"],
  number: ["command_topic"],
  select: ["command_topic", "options"],
  button: ["command_topic"],
  event: ["state_topic", "event_types"],
};
