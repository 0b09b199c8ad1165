import type { Step } from "../../src/core/discovery/migrate-discovery.ts";

/**
 * How Home Assistant follows discovery messages of one instance, in a few lines: which entities it has, who speaks for
 * each, and what it would complain of.
 */
export interface ModelHome {
  /** As the broker holds them. */
  retained: Map<string, string>;
  /** `<platform> <key>` of each entity, and the topic that speaks for it; null while nobody does. */
  entities: Map<string, string | null>;
  /** Entities that it forgot, history and all. */
  forgotten: string[];
  complaints: string[];
  hear: (step: Step) => void;
  /** The broker drops what has an expiry. */
  expire: () => void;
}

export function createModelHome(): ModelHome {
  const expiring = new Set<string>();
  const home: ModelHome = {
    retained: new Map(),
    entities: new Map(),
    forgotten: [],
    complaints: [],
    hear: (step) => {
      for (const { topic, payload, expiry } of step) {
        expiring.delete(topic);
        if (expiry !== undefined) expiring.add(topic);
        if (payload === "") home.retained.delete(topic);
        else home.retained.set(topic, payload);
        hear(home, topic, payload);
      }
    },
    expire: () => {
      for (const topic of expiring) home.retained.delete(topic);
      expiring.clear();
    },
  };
  return home;
}

function hear(home: ModelHome, topic: string, payload: string): void {
  const spokenFor = [...home.entities].filter(([, by]) => by === topic).map(([id]) => id);
  if (payload === "") {
    for (const id of spokenFor) forget(home, id);
    // Seen with a real one: it takes the clearing of a message that was migrated for a word on the entity.
    const moved = [...home.entities].filter(([id, by]) => by && by !== topic && isAbout(topic, id));
    for (const [id, by] of moved)
      home.complaints.push(`${id}: ${by} speaks for it, and ${topic} was cleared`);
    return;
  }
  const message: { migrate_discovery?: true; components?: Record<string, object> } = JSON.parse(payload);
  if (message.migrate_discovery) {
    for (const id of spokenFor) home.entities.set(id, null);
    return;
  }
  const said = message.components ? inDevice(message.components) : single(topic);
  for (const { id, isReduced } of said) {
    if (isReduced) forget(home, id);
    else takeOver(home, id, topic);
  }
}

function isAbout(topic: string, id: string): boolean {
  return topic.includes("/device/") || topic.includes(`/${id.split(" ")[1]}/`);
}

function takeOver(home: ModelHome, id: string, topic: string): void {
  const by = home.entities.get(id);
  if (by && by !== topic) home.complaints.push(`${id}: conflicting messages on ${by} and ${topic}`);
  const [, key] = id.split(" ");
  const other = [...home.entities].find(([one, by]) => by && one !== id && one.endsWith(` ${key}`));
  if (other) home.complaints.push(`${id}: its unique id is that of ${other[0]}`);
  home.entities.set(id, topic);
}

function forget(home: ModelHome, id: string): void {
  if (home.entities.delete(id)) home.forgotten.push(id);
}

function inDevice(components: Record<string, object>) {
  return Object.entries(components).map(([key, component]) => {
    const { platform, ...rest } = component as { platform: string };
    return { id: `${platform} ${key}`, isReduced: Object.keys(rest).length === 0 };
  });
}

function single(topic: string) {
  const [platform, , key] = topic.split("/").slice(1);
  return [{ id: `${platform} ${key}`, isReduced: false }];
}
