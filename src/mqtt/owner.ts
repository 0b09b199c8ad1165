import { z } from "zod";
import { isoInstant } from "../core/calendar/dates.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";

/** Who this process is, among all that may ever use the same base topic. */
export interface Identity {
  installation: string;
  /** New at each start. */
  incarnation: string;
  /** What this state folder wrote last. */
  previousIncarnation: string | null;
  host: string;
  version: string;
  since: Instant;
}

const ownerSchema = z.object({
  installation: z.string(),
  incarnation: z.string(),
  host: z.string(),
  version: z.string(),
  since: z.string(),
  client_id: z.string(),
});

/** What the topic `owner` holds. */
export type Owner = z.output<typeof ownerSchema>;

export const PING = "owner/ping";
export const PONG = "owner/pong";

export function ownerOf(identity: Identity, instance: string): Owner {
  const { installation, incarnation, host, version, since } = identity;
  return {
    installation,
    incarnation,
    host,
    version,
    since: isoInstant(since),
    client_id: clientId(instance, installation),
  };
}

export function clientId(instance: string, name: string): string {
  return `vigie-${instance}-${name}`;
}

/** null where it is none: an empty topic, or somebody's junk. */
export function readOwner(payload: string | undefined): Owner | null {
  const { data } = ownerSchema.safeParse(parseJson(payload ?? ""));
  return data ?? null;
}

export function nameOwner({ version, host, since, installation }: Owner): string {
  return `vigie ${version} on ${host}, running since ${since} (installation ${installation})`;
}

export function readPing(payload: string): string | undefined {
  return z.object({ id: z.string() }).safeParse(parseJson(payload)).data?.id;
}
