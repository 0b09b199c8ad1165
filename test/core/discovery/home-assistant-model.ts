import type { Step } from "../../../src/core/discovery/migrate-discovery.ts";

/** A small model of how Home Assistant treats the discovery messages of one instance. */
export interface HomeAssistantModel {
  /** The messages on the broker. */
  retained: Map<string, string>;
  /** By `<platform> <key>` of each entity, the topic whose message describes it; null while it is being migrated. */
  entities: Map<string, string | null>;
  /** Entities that it removed, with their history. */
  removed: string[];
  /** What it would log as a warning or an error. */
  complaints: string[];
  receive: (step: Step) => void;
  /** The broker drops the messages that have an expiry. */
  expire: () => void;
}

export function createHomeAssistantModel(): HomeAssistantModel {
  const expiring = new Set<string>();
  const model: HomeAssistantModel = {
    retained: new Map(),
    entities: new Map(),
    removed: [],
    complaints: [],
    receive: (step) => {
      for (const { topic, payload, expiry } of step) {
        expiring.delete(topic);
        if (expiry !== undefined) expiring.add(topic);
        if (payload === "") model.retained.delete(topic);
        else model.retained.set(topic, payload);
        processMessage(model, topic, payload);
      }
    },
    expire: () => {
      for (const topic of expiring) model.retained.delete(topic);
      expiring.clear();
    },
  };
  return model;
}

function processMessage(model: HomeAssistantModel, topic: string, payload: string): void {
  const described = [...model.entities].filter(([, by]) => by === topic).map(([id]) => id);
  if (payload === "") {
    for (const id of described) remove(model, id);
    // Seen with a real one: it complains when the topic of a migrated message is cleared.
    const migrated = [...model.entities].filter(([id, by]) => by && by !== topic && isAbout(topic, id));
    for (const [id, by] of migrated)
      model.complaints.push(`${id}: ${by} describes it, and ${topic} was cleared`);
    return;
  }
  const message: { migrate_discovery?: true; components?: Record<string, object> } = JSON.parse(payload);
  if (message.migrate_discovery) {
    for (const id of described) model.entities.set(id, null);
    return;
  }
  const entities = message.components ? entitiesOfDevice(message.components) : entityOfSingle(topic);
  for (const { id, isReduced } of entities) {
    if (isReduced) remove(model, id);
    else describe(model, id, topic);
  }
}

function isAbout(topic: string, id: string): boolean {
  return topic.includes("/device/") || topic.includes(`/${id.split(" ")[1]}/`);
}

function describe(model: HomeAssistantModel, id: string, topic: string): void {
  const by = model.entities.get(id);
  if (by && by !== topic) model.complaints.push(`${id}: conflicting messages on ${by} and ${topic}`);
  const [, key] = id.split(" ");
  const other = [...model.entities].find(([one, by]) => by && one !== id && one.endsWith(` ${key}`));
  if (other) model.complaints.push(`${id}: its unique id is that of ${other[0]}`);
  model.entities.set(id, topic);
}

function remove(model: HomeAssistantModel, id: string): void {
  if (model.entities.delete(id)) model.removed.push(id);
}

function entitiesOfDevice(components: Record<string, object>) {
  return Object.entries(components).map(([key, component]) => {
    const { platform, ...rest } = component as { platform: string };
    return { id: `${platform} ${key}`, isReduced: Object.keys(rest).length === 0 };
  });
}

function entityOfSingle(topic: string) {
  const [platform, , key] = topic.split("/").slice(1);
  return [{ id: `${platform} ${key}`, isReduced: false }];
}
