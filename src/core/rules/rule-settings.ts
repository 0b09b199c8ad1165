import { z } from "zod";
import type { Rule } from "./rule.ts";
import { entryOf } from "./rules-state.ts";

const ruleSetting = z.object({
  /** false: switched off. */
  enabled: z.boolean(),
  /** A threshold that was moved, with the configured one that it replaced. */
  threshold: z.object({ value: z.number(), configured: z.number() }).nullable(),
});

const ruleSettings = z.record(z.string(), ruleSetting);

/** What was set while vigie runs, by rule id; a rule that is as configured has no entry. Plain data for the state file. */
export type RuleSettings = Readonly<z.infer<typeof ruleSettings>>;
type RuleSetting = z.infer<typeof ruleSetting>;
type ConfiguredRule = Pick<Rule, "id" | "threshold">;

export const NO_SETTINGS: RuleSettings = {};

export function switchRule(settings: RuleSettings, id: string, enabled: boolean): RuleSettings {
  return withSetting(settings, id, { ...settingOf(settings, id), enabled });
}

/** The configured value itself is no move; a rule without a threshold has none to move. */
export function moveThreshold(
  settings: RuleSettings,
  { id, threshold }: ConfiguredRule,
  value: number,
): RuleSettings {
  if (threshold === null) return settings;
  const moved = value === threshold ? null : { value, configured: threshold };
  return withSetting(settings, id, { ...settingOf(settings, id), threshold: moved });
}

/** The settings that still count under this configuration, and a line for the log for each that does not. */
export function settleSettings(
  settings: RuleSettings,
  rules: readonly ConfiguredRule[],
): { settings: RuleSettings; lines: string[] } {
  const lines: string[] = [];
  let settled = NO_SETTINGS;
  for (const { id, threshold } of rules) {
    const setting = settingOf(settings, id);
    const moved = setting.threshold;
    const isEdited = moved !== null && moved.configured !== threshold;
    if (isEdited) lines.push(describeEdit(id, moved, threshold));
    settled = withSetting(settled, id, isEdited ? { ...setting, threshold: null } : setting);
  }
  for (const id of Object.keys(settings)) {
    if (!rules.some((rule) => rule.id === id)) lines.push(describeRemoval(id));
  }
  return { settings: settled, lines };
}

/** As the state file kept it; what cannot be read is as if nothing were set. */
export function readRuleSettings(kept: unknown): RuleSettings {
  return ruleSettings.safeParse(kept).data ?? NO_SETTINGS;
}

function settingOf(settings: RuleSettings, id: string): RuleSetting {
  return entryOf(settings, id) ?? AS_CONFIGURED;
}

function withSetting(settings: RuleSettings, id: string, setting: RuleSetting): RuleSettings {
  const others = Object.fromEntries(Object.entries(settings).filter(([other]) => other !== id));
  return setting.enabled && setting.threshold === null ? others : { ...others, [id]: setting };
}

function describeRemoval(id: string): string {
  return `The rule ${id} is not in the configuration any more: what was set for it while vigie ran is forgotten`;
}

function describeEdit(
  id: string,
  { value, configured }: { value: number; configured: number },
  threshold: number | null,
): string {
  const now = threshold === null ? "the rule has none now" : `it is ${threshold} now`;
  return `The threshold of ${id} was changed in the configuration from ${configured}: ${now}; the value ${value} that was set while vigie ran does not count any more`;
}

const AS_CONFIGURED: RuleSetting = { enabled: true, threshold: null };
