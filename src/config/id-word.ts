/** Instances, ids of rules and the like: they become parts of topics and of Home Assistant's ids. */
export const ID_PATTERN = /^[a-z0-9]+(_[a-z0-9]+)*$/;
export const LONGEST_ID = 40;
export const DEFAULT_INSTANCE = "vigie";

/** The id of an output that is given none: `zigbee2mqtt_boiler_set` of `zigbee2mqtt/Boiler/set`. May be empty. */
export function idOfTopic(topic: string): string {
  const words = topic.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  return words.replace(/^_/, "").slice(0, LONGEST_ID).replace(/_$/, "");
}
