import type { Components, DeviceDescription, DiscoveryPlace } from "./describe-device.ts";

/** One retained discovery message; an empty payload clears the topic. */
export interface DiscoveryMessage {
  topic: string;
  payload: string;
  /** Seconds after which the broker drops it. */
  expiry?: number;
}

/** The topic of the one message for the whole device. */
export function deviceTopic({ prefix, instance }: DiscoveryPlace): string {
  return `${prefix}/device/${instance}/config`;
}

/** The topic of the message for one entity. */
export function singleTopic({ prefix, instance }: DiscoveryPlace, platform: string, key: string): string {
  return `${prefix}/${platform}/${instance}/${key}/config`;
}

/** All messages, for a broker that holds none of them, and for a Home Assistant that has just started. */
export function writeMessages(description: DeviceDescription): DiscoveryMessage[] {
  switch (description.mode) {
    case "device":
      return [writeDevice(description)];
    case "components":
      return writeSingles(description);
    case "off":
      return [];
  }
}

/** `reduced`: entities that go away, by their keys, with nothing but their platform. */
export function writeDevice(
  { place, about, components }: DeviceDescription,
  reduced: Components = {},
): DiscoveryMessage {
  const message = { ...about, qos: QOS, components: { ...components, ...reduced } };
  return { topic: deviceTopic(place), payload: JSON.stringify(message) };
}

export function writeSingles({ place, about, components }: DeviceDescription): DiscoveryMessage[] {
  return Object.entries(components).map(([key, { platform, ...rest }]) => ({
    topic: singleTopic(place, platform, key),
    payload: JSON.stringify({ ...rest, ...about, qos: QOS }),
  }));
}

/**
 * Home Assistant releases the entities of this topic but keeps their history and settings, so that a message on another
 * topic takes them over. After that it logs an error when vigie clears the old topic, so the broker has to drop it: expiry.
 */
export function writeMigration(topic: string): DiscoveryMessage {
  return { topic, payload: JSON.stringify({ migrate_discovery: true }), expiry: MIGRATION_EXPIRY };
}

/** Commands of Home Assistant arrive, also those that were sent while vigie restarted. */
const QOS = 1;

const MIGRATION_EXPIRY = 5;
