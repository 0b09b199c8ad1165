import type { Component, Components, DeviceDescription, DiscoveryPlace } from "./describe-device.ts";
import {
  type DiscoveryMessage,
  deviceTopic,
  writeDevice,
  writeMigration,
  writeSingles,
} from "./discovery-messages.ts";
import type { DeviceMessage, FoundMessages, FoundSingle } from "./found-messages.ts";

/** Messages that may be sent together. Home Assistant needs a pause before the next step. */
export type Step = readonly DiscoveryMessage[];

/**
 * The steps from the messages that the broker holds to those that it should hold, so that Home Assistant loses no
 * entity, keeps none that is not wanted, and never has one twice. `expires`: the broker drops a message after its
 * expiry (MQTT 5); otherwise migrations have to be cleared.
 */
export function migrateDiscovery(found: FoundMessages, wanted: DeviceDescription, expires: boolean): Step[] {
  const singles = found.singles.filter(({ isMigration }) => !(isMigration && expires));
  return stepsTo({ ...found, singles }, wanted, expires).filter((step) => step.length > 0);
}

function stepsTo(found: FoundMessages, wanted: DeviceDescription, expires: boolean): Step[] {
  switch (wanted.mode) {
    case "device":
      return toDevice(found, wanted, expires);
    case "components":
      return toSingles(found, wanted, expires);
    case "off":
      return removeAll(found, wanted.place);
  }
}

/** Clears all messages of an instance: first those that describe entities, then the migrations. */
export function removeAll({ device, singles }: FoundMessages, place: DiscoveryPlace): Step[] {
  const topic = deviceTopic(place);
  const all = [...(device ? [{ topic, isMigration: device.message === null }] : []), ...singles];
  const ordered = [
    ...all.filter(({ isMigration }) => !isMigration),
    ...all.filter(({ isMigration }) => isMigration),
  ];
  return ordered.length > 0 ? [ordered.map(clear)] : [];
}

/**
 * Single messages release their entities before the device message takes them. An entity that goes away is sent once more with
 * nothing but its platform, and is left out in the next message.
 */
function toDevice({ device, singles }: FoundMessages, wanted: DeviceDescription, expires: boolean): Step[] {
  const kept = singles.filter((single) => isWanted(single, wanted));
  const gone = singles.filter((single) => !isWanted(single, wanted));
  const reduced = device?.message ? reduceUnwanted(device.message, wanted) : {};
  const message = writeDevice(wanted);
  return [
    [...gone.map(clear), ...kept.filter(({ isMigration }) => !isMigration).map(migrate)],
    Object.keys(reduced).length > 0 ? [writeDevice(wanted, reduced)] : [],
    device?.payload === message.payload ? [] : [message],
    expires ? [] : kept.map(clear),
  ];
}

/** The device first loses the entities that go away, then hands the others over. */
function toSingles({ device, singles }: FoundMessages, wanted: DeviceDescription, expires: boolean): Step[] {
  const gone = singles.filter((single) => !isWanted(single, wanted));
  const topic = deviceTopic(wanted.place);
  const held = new Map(singles.map((single) => [single.topic, single.payload]));
  const message = device?.message;
  return [
    ...(message ? removeUnwanted(message, wanted) : []),
    message ? [writeMigration(topic)] : [],
    [
      ...gone.map(clear),
      ...writeSingles(wanted).filter((single) => held.get(single.topic) !== single.payload),
    ],
    device && !expires ? [clear({ topic })] : [],
  ];
}

/** A key on another platform is another entity. */
function isWanted(
  { key, platform }: Pick<FoundSingle, "key" | "platform">,
  wanted: DeviceDescription,
): boolean {
  return Object.hasOwn(wanted.components, key) && wanted.components[key]?.platform === platform;
}

/** The entities that go away, with nothing but their platform: so Home Assistant removes them. */
function reduceUnwanted({ components }: DeviceMessage, wanted: DeviceDescription): Components {
  const gone = Object.entries(components).filter(
    ([key, { platform }]) => !isWanted({ key, platform }, wanted),
  );
  return Object.fromEntries(gone.map(([key, { platform }]): [string, Component] => [key, { platform }]));
}

function removeUnwanted(message: DeviceMessage, wanted: DeviceDescription): Step[] {
  const reduced = reduceUnwanted(message, wanted);
  if (Object.keys(reduced).length === 0) return [];
  const rest = Object.entries(message.components).filter(([key]) => !Object.hasOwn(reduced, key));
  const topic = deviceTopic(wanted.place);
  const write = (components: object) => [{ topic, payload: JSON.stringify({ ...message, components }) }];
  return [write({ ...message.components, ...reduced }), write(Object.fromEntries(rest))];
}

function clear({ topic }: Pick<DiscoveryMessage, "topic">): DiscoveryMessage {
  return { topic, payload: "" };
}

function migrate({ topic }: FoundSingle): DiscoveryMessage {
  return writeMigration(topic);
}
