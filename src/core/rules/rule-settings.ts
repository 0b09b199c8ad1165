import { z } from "zod";
import { own } from "./own.ts";
import type { RuleSettings } from "./rules-memory.ts";

/** What was set from outside of the configuration, by rule; plain data for the state file. */
export type Settings = Readonly<Record<string, Setting>>;

export interface Setting {
  /** false: switched off. */
  enabled: boolean;
  /** A threshold that was moved, with the configured one that it replaced. */
  threshold: { value: number; configured: number } | null;
}

/** What of a rule's configuration settings lean on. */
export interface Settable {
  id: string;
  /** null: the rule has none to move. */
  threshold: number | null;
}

export const NOTHING_SET: Settings = {};

/** As rules are evaluated by them. */
export function settingsInForce(settings: Settings): RuleSettings {
  return Object.fromEntries(
    Object.entries(settings).map(([id, { enabled, threshold }]) => [
      id,
      { enabled, ...(threshold && { threshold: threshold.value }) },
    ]),
  );
}

export function switchRule(settings: Settings, id: string, enabled: boolean): Settings {
  return withSetting(settings, id, { ...recall(settings, id), enabled });
}

/** The configured value itself is no move; a rule without a threshold has none to move. */
export function moveThreshold(settings: Settings, { id, threshold }: Settable, value: number): Settings {
  if (threshold === null) return settings;
  const moved = value === threshold ? null : { value, configured: threshold };
  return withSetting(settings, id, { ...recall(settings, id), threshold: moved });
}

/** What is left of the settings under this configuration, and what its owner has to be told. */
export function settleSettings(
  settings: Settings,
  rules: readonly Settable[],
): { settings: Settings; lines: string[] } {
  const lines: string[] = [];
  let settled = NOTHING_SET;
  for (const { id, threshold } of rules) {
    const set = recall(settings, id);
    const moved = set.threshold;
    const edited = moved !== null && moved.configured !== threshold;
    if (edited) lines.push(describeEdit(id, moved, threshold));
    settled = withSetting(settled, id, edited ? { ...set, threshold: null } : set);
  }
  return { settings: settled, lines };
}

/** As the state file kept it; what is no such memory is nothing set. */
export function readSettings(kept: unknown): Settings {
  return settingsSchema.safeParse(kept).data ?? NOTHING_SET;
}

function recall(settings: Settings, id: string): Setting {
  return own(settings, id) ?? UNTOUCHED;
}

/** A rule that is as configured takes no room. */
function withSetting(settings: Settings, id: string, setting: Setting): Settings {
  const others = Object.fromEntries(Object.entries(settings).filter(([other]) => other !== id));
  return setting.enabled && setting.threshold === null ? others : { ...others, [id]: setting };
}

function describeEdit(
  id: string,
  { value, configured }: { value: number; configured: number },
  threshold: number | null,
): string {
  const now = threshold === null ? "it has none now" : `it is ${threshold} now`;
  return `The threshold of ${id} was changed in the configuration from ${configured}: ${now}, and the ${value} that it had been moved to is forgotten`;
}

const UNTOUCHED: Setting = { enabled: true, threshold: null };

const settingsSchema = z.record(
  z.string(),
  z.object({
    enabled: z.boolean(),
    threshold: z.object({ value: z.number(), configured: z.number() }).nullable(),
  }),
);
