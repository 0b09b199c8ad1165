import { z } from "zod";
import { parseJson } from "../contract/parse-json.ts";
import { ORIGIN, type Place } from "./announcement.ts";
import { deviceTopic, singleTopic } from "./discovery-messages.ts";

/** What the broker holds of an instance. */
export interface Found {
  device: FoundDevice | null;
  singles: FoundSingle[];
}

interface FoundDevice {
  payload: string;
  /** null while another message takes its entities over. */
  message: DeviceMessage | null;
}

export interface FoundSingle {
  topic: string;
  payload: string;
  key: string;
  platform: string;
  migrating: boolean;
}

export type DeviceMessage = z.output<typeof deviceSchema>;

/** Where the messages of an instance are looked for. */
export function filtersOf(place: Place): string[] {
  return [deviceTopic(place), singleTopic(place, "+", "+")];
}

/** Sorts retained messages, by topic; what is not vigie's is left alone. */
export function sortFound(messages: ReadonlyMap<string, string>, place: Place): Found {
  const found: Found = { device: null, singles: [] };
  for (const [topic, payload] of messages) {
    if (payload === "") continue;
    if (topic === deviceTopic(place)) found.device = readDevice(payload);
    else found.singles.push(...readSingle(topic, payload, place));
  }
  return found;
}

function readDevice(payload: string): FoundDevice | null {
  const json = parseJson(payload);
  if (isMigrating(json)) return { payload, message: null };
  const { data } = deviceSchema.safeParse(json);
  return data ? { payload, message: data } : null;
}

function readSingle(topic: string, payload: string, { prefix, instance }: Place): FoundSingle[] {
  const [platform = "", middle, key = "", end, ...rest] = topic.slice(prefix.length + 1).split("/");
  if (!topic.startsWith(`${prefix}/`) || middle !== instance || end !== "config" || rest.length > 0)
    return [];
  const json = parseJson(payload);
  const migrating = isMigrating(json);
  if (!(migrating || singleSchema.safeParse(json).success)) return [];
  return [{ topic, payload, key, platform, migrating }];
}

function isMigrating(json: unknown): boolean {
  return migrationSchema.safeParse(json).success;
}

const migrationSchema = z.object({ migrate_discovery: z.literal(true) });
const singleSchema = z.looseObject({ origin: z.looseObject({ name: z.literal(ORIGIN) }) });
const deviceSchema = singleSchema.extend({
  components: z.record(z.string(), z.looseObject({ platform: z.string() })),
});
