import type { Announcement, Components, Place } from "./announcement.ts";

/** One retained message; empty, it clears what was there. */
export interface Message {
  topic: string;
  payload: string;
  /** Seconds after which the broker drops it by itself. */
  expiry?: number;
}

export function deviceTopic({ prefix, instance }: Place): string {
  return `${prefix}/device/${instance}/config`;
}

export function singleTopic({ prefix, instance }: Place, platform: string, key: string): string {
  return `${prefix}/${platform}/${instance}/${key}/config`;
}

/** Of everything: for a place where nothing is, or that has to hear it again. */
export function writeMessages(announcement: Announcement): Message[] {
  switch (announcement.mode) {
    case "device":
      return [writeDevice(announcement)];
    case "components":
      return writeSingles(announcement);
    case "off":
      return [];
  }
}

export function writeDevice({ place, about, components }: Announcement, reduced: Components = {}): Message {
  const message = { ...about, qos: QOS, components: { ...components, ...reduced } };
  return { topic: deviceTopic(place), payload: JSON.stringify(message) };
}

export function writeSingles({ place, about, components }: Announcement): Message[] {
  return Object.entries(components).map(([key, { platform, ...rest }]) => ({
    topic: singleTopic(place, platform, key),
    payload: JSON.stringify({ ...rest, ...about, qos: QOS }),
  }));
}

/**
 * Home Assistant lets go of the entities and keeps what it knows of them, for another message to take them over. It
 * complains when the old topic is cleared by then, so the broker is asked to do that.
 */
export function writeMigration(topic: string): Message {
  return { topic, payload: JSON.stringify({ migrate_discovery: true }), expiry: MIGRATION_LIFE };
}

/** Commands arrive, also those that were sent while vigie restarted. */
const QOS = 1;

const MIGRATION_LIFE = 5;
