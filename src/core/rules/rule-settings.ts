import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { LONGEST_SHIFT, type Rule } from "./rule.ts";
import { entryOf } from "./rules-state.ts";

const ruleSetting = z.object({
  /** false: switched off. While `meanwhile` lasts, what counts after it. */
  enabled: z.boolean(),
  /** What a command set for a time. A vigie that does not know this key goes by `enabled`: the rule is as after the end. */
  meanwhile: z
    .object({
      enabled: z.boolean(),
      from: instantSchema,
      until: instantSchema,
      /** Kept for a day: other rules look back at this one by a lag. */
      isOver: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  /** A threshold that was moved, with the configured one that it replaced. */
  threshold: z.object({ value: z.number(), configured: z.number() }).nullable(),
});

const ruleSettings = z.record(z.string(), ruleSetting);

/** What was set while vigie runs, by rule id; a rule that is as configured has no entry. Plain data for the state file. */
export type RuleSettings = Readonly<z.infer<typeof ruleSettings>>;
type RuleSetting = z.infer<typeof ruleSetting>;
type Meanwhile = NonNullable<RuleSetting["meanwhile"]>;
type ConfiguredRule = Pick<Rule, "id" | "threshold">;

export const NO_SETTINGS: RuleSettings = {};

/** Until the next command. */
export function switchRule(settings: RuleSettings, id: string, enabled: boolean): RuleSettings {
  const { threshold } = settingOf(settings, id);
  return withSetting(settings, id, { enabled, threshold });
}

/** For a time; then the rule is as it was before. If it was so already, nothing ends. */
export function switchRuleFor(
  settings: RuleSettings,
  id: string,
  enabled: boolean,
  { from, until }: { from: Instant; until: Instant },
): RuleSettings {
  const setting = settingOf(settings, id);
  if (setting.enabled === enabled) return switchRule(settings, id, enabled);
  return withSetting(settings, id, { ...setting, meanwhile: { enabled, from, until } });
}

/** Whether a rule is enabled at an instant. */
export interface Switched {
  enabled: boolean;
  /** When it ends; null: with the next command. */
  until: Instant | null;
}

export function switchedAt(settings: RuleSettings, id: string, at: Instant): Switched {
  return switchedBy(switchesOf(settings, id, at), at);
}

export function switchedBy({ before, until, after }: Switches, at: Instant): Switched {
  return until !== null && at < until ? { enabled: before, until } : { enabled: after, until: null };
}

/** What commands make of a rule over time: `before` an instant, and `after` it; null: always `before`. */
export interface Switches {
  before: boolean;
  until: Instant | null;
  after: boolean;
}

/** A command counts as if it had always been so: the lag of a rule that refers to this one does not look at what was before. */
export function switchesOf(settings: RuleSettings, id: string, at: Instant): Switches {
  const { enabled, meanwhile } = settingOf(settings, id);
  const isBack = meanwhile && (isSetBack(meanwhile, at) || (meanwhile.isOver && at < meanwhile.until));
  if (!meanwhile || isBack) return { before: enabled, until: null, after: enabled };
  return { before: meanwhile.enabled, until: meanwhile.until, after: enabled };
}

/** The settings after what was set for a time is over, and the ids of those rules for which that is so now. */
export function endMeanwhile(
  settings: RuleSettings,
  at: Instant,
): { settings: RuleSettings; ended: readonly string[] } {
  const ended: string[] = [];
  let left = settings;
  for (const id of Object.keys(settings)) {
    const setting = settingOf(settings, id);
    const { meanwhile } = setting;
    if (!meanwhile || lasts(meanwhile, at)) continue;
    if (!meanwhile.isOver) ended.push(id);
    const isLookedAt = at >= meanwhile.until && at < meanwhile.until + LONGEST_SHIFT;
    if (!isLookedAt) left = switchRule(left, id, setting.enabled);
    else if (!meanwhile.isOver)
      left = withSetting(left, id, { ...setting, meanwhile: { ...meanwhile, isOver: true } });
  }
  return { settings: left, ended };
}

function lasts(meanwhile: Meanwhile, at: Instant): boolean {
  return !meanwhile.isOver && at < meanwhile.until && !isSetBack(meanwhile, at);
}

/** After the clock was set back by more than the whole time, it is over: its end could be years away. */
function isSetBack({ from, until }: Meanwhile, at: Instant): boolean {
  return from - at > until - from;
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
  const isAsConfigured = setting.enabled && setting.threshold === null && !setting.meanwhile;
  return isAsConfigured ? others : { ...others, [id]: setting };
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
