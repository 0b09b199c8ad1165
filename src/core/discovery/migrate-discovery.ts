import type { Announcement, Place } from "./announcement.ts";
import type { Component } from "./component.ts";
import {
  deviceTopic,
  type Message,
  writeDevice,
  writeMigration,
  writeSingles,
} from "./discovery-messages.ts";
import type { DeviceMessage, Found, FoundSingle } from "./found-messages.ts";

/** Messages that may go out together. Home Assistant needs a moment before the next. */
export type Step = readonly Message[];

/**
 * From what the broker holds to what it should hold, so that no entity is lost, left behind or there twice. `expiring`:
 * the broker drops what has an expiry.
 */
export function planDiscovery(found: Found, wanted: Announcement, expiring: boolean): Step[] {
  // What hands over goes by itself there.
  const singles = found.singles.filter(({ migrating }) => !(migrating && expiring));
  return stepsTo({ ...found, singles }, wanted, expiring).filter((step) => step.length > 0);
}

function stepsTo(found: Found, wanted: Announcement, expiring: boolean): Step[] {
  switch (wanted.mode) {
    case "device":
      return toDevice(found, wanted, expiring);
    case "components":
      return toComponents(found, wanted, expiring);
    case "off":
      return planClearing(found, wanted.place);
  }
}

/** Takes everything of an instance off the broker: first what speaks for entities, then what only handed them over. */
export function planClearing({ device, singles }: Found, place: Place): Step[] {
  const topic = deviceTopic(place);
  const all = [...(device ? [{ topic, migrating: device.message === null }] : []), ...singles];
  const ordered = [...all.filter(({ migrating }) => !migrating), ...all.filter(({ migrating }) => migrating)];
  return ordered.length > 0 ? [ordered.map(clear)] : [];
}

/** Entities of their own are handed over before the device takes them; a key that goes is reduced to its platform first. */
function toDevice({ device, singles }: Found, wanted: Announcement, expiring: boolean): Step[] {
  const { kept, gone } = sortSingles(singles, wanted);
  const reduced = device?.message ? reduceGone(device.message, wanted) : {};
  const message = writeDevice(wanted);
  return [
    [...gone.map(clear), ...kept.filter(({ migrating }) => !migrating).map(migrate)],
    Object.keys(reduced).length > 0 ? [writeDevice(wanted, reduced)] : [],
    device?.payload === message.payload ? [] : [message],
    expiring ? [] : kept.map(clear),
  ];
}

/** What is not wanted any more leaves the device in the device's own way, before the rest is handed over. */
function toComponents({ device, singles }: Found, wanted: Announcement, expiring: boolean): Step[] {
  const { gone } = sortSingles(singles, wanted);
  const topic = deviceTopic(wanted.place);
  const held = new Map(singles.map((single) => [single.topic, single.payload]));
  const message = device?.message;
  return [
    ...(message ? leaveDevice(message, wanted) : []),
    message ? [writeMigration(topic)] : [],
    [
      ...gone.map(clear),
      ...writeSingles(wanted).filter((single) => held.get(single.topic) !== single.payload),
    ],
    device && !expiring ? [{ topic, payload: "" }] : [],
  ];
}

/** A key that is wanted on another platform is another entity. */
function sortSingles(singles: readonly FoundSingle[], { components }: Announcement) {
  const isKept = ({ key, platform }: FoundSingle) => platformOf(components, key) === platform;
  return { kept: singles.filter(isKept), gone: singles.filter((single) => !isKept(single)) };
}

function reduceGone({ components }: DeviceMessage, wanted: Announcement): Record<string, Component> {
  const gone = Object.entries(components).filter(
    ([key, { platform }]) => platformOf(wanted.components, key) !== platform,
  );
  return Object.fromEntries(gone.map(([key, { platform }]) => [key, { platform }]));
}

function leaveDevice(message: DeviceMessage, wanted: Announcement): Step[] {
  const reduced = reduceGone(message, wanted);
  const left = Object.entries(message.components).filter(([key]) => !Object.hasOwn(reduced, key));
  if (Object.keys(reduced).length === 0) return [];
  const topic = deviceTopic(wanted.place);
  const write = (components: object) => [{ topic, payload: JSON.stringify({ ...message, components }) }];
  return [write({ ...message.components, ...reduced }), write(Object.fromEntries(left))];
}

function platformOf(components: Announcement["components"], key: string): string | undefined {
  return Object.hasOwn(components, key) ? components[key]?.platform : undefined;
}

function clear({ topic }: Pick<Message, "topic">): Message {
  return { topic, payload: "" };
}

function migrate({ topic }: FoundSingle): Message {
  return writeMigration(topic);
}
