/** Instances, ids of rules and the like: they become parts of topics and of Home Assistant's ids. */
export const ID_PATTERN = /^[a-z0-9]+(_[a-z0-9]+)*$/;
export const LONGEST_ID = 40;

export const DEFAULT_INSTANCE = "vigie";
