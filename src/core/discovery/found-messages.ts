import { z } from "zod";
import { parseJson } from "../contract/parse-json.ts";
import { type DiscoveryPlace, ORIGIN } from "./describe-device.ts";
import { deviceTopic, singleTopic } from "./discovery-messages.ts";

/** The discovery messages of one instance that the broker holds. */
export interface FoundMessages {
  device: FoundDevice | null;
  singles: FoundSingle[];
}

interface FoundDevice {
  payload: string;
  /** null while it is a migration: other messages take its entities over. */
  message: DeviceMessage | null;
}

export interface FoundSingle {
  topic: string;
  payload: string;
  key: string;
  platform: string;
  isMigration: boolean;
}

export type DeviceMessage = z.output<typeof deviceSchema>;

export const NO_MESSAGES: FoundMessages = { device: null, singles: [] };

/** The topics to subscribe to. */
export function discoveryFilters(place: DiscoveryPlace): string[] {
  return [deviceTopic(place), singleTopic(place, "+", "+")];
}

/** Reads retained messages, by topic. What vigie did not write is left out, and so it is never touched. */
export function readFoundMessages(
  messages: ReadonlyMap<string, string>,
  place: DiscoveryPlace,
): FoundMessages {
  const found: FoundMessages = { device: null, singles: [] };
  for (const [topic, payload] of messages) {
    if (payload === "") continue;
    if (topic === deviceTopic(place)) found.device = readDevice(payload);
    else found.singles.push(...readSingle(topic, payload, place));
  }
  return found;
}

function readDevice(payload: string): FoundDevice | null {
  const json = parseJson(payload);
  if (isMigration(json)) return { payload, message: null };
  const { data } = deviceSchema.safeParse(json);
  return data ? { payload, message: data } : null;
}

function readSingle(topic: string, payload: string, place: DiscoveryPlace): FoundSingle[] {
  const [platform = "", , key = ""] = topic.slice(place.prefix.length + 1).split("/");
  if (topic !== singleTopic(place, platform, key)) return [];
  const json = parseJson(payload);
  const migration = isMigration(json);
  if (!(migration || singleSchema.safeParse(json).success)) return [];
  return [{ topic, payload, key, platform, isMigration: migration }];
}

function isMigration(json: unknown): boolean {
  return migrationSchema.safeParse(json).success;
}

const migrationSchema = z.object({ migrate_discovery: z.literal(true) });
const singleSchema = z.looseObject({ origin: z.looseObject({ name: z.literal(ORIGIN) }) });
const deviceSchema = singleSchema.extend({
  components: z.record(z.string(), z.looseObject({ platform: z.string() })),
});
