import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  moveThreshold,
  NO_SETTINGS,
  type RuleSettings,
  readRuleSettings,
  settleSettings,
  switchRule,
} from "../../../src/core/rules/rule-settings.ts";

const WEEK = { id: "week", threshold: 60 };
const PEAK = { id: "constructor", threshold: null };
const EDITED = { ...WEEK, threshold: 70 };
const PLAIN = { ...WEEK, threshold: null };

/** What counts for a rule, the configured values where nothing was set. */
function settingOf(settings: RuleSettings, { id, threshold }: typeof PEAK | typeof WEEK) {
  const setting = Object.hasOwn(settings, id) ? settings[id] : undefined;
  return { enabled: setting?.enabled ?? true, threshold: setting?.threshold?.value ?? threshold };
}

describe("the settings of rules", () => {
  test("are the configured ones until somebody sets others", () => {
    expect(settingOf(NO_SETTINGS, WEEK)).toEqual({ enabled: true, threshold: 60 });
    expect(settingOf(NO_SETTINGS, PEAK)).toEqual({ enabled: true, threshold: null });
  });

  test("are kept side by side", () => {
    const moved = moveThreshold(switchRule(NO_SETTINGS, "week", false), WEEK, 80);
    expect(settingOf(moved, WEEK)).toEqual({ enabled: false, threshold: 80 });
    expect(settingOf(switchRule(moved, "week", true), WEEK)).toEqual({ enabled: true, threshold: 80 });
    expect(settingOf(moved, PEAK)).toEqual({ enabled: true, threshold: null });
  });

  test("that are the configured ones again take no room", () => {
    const moved = moveThreshold(switchRule(NO_SETTINGS, "week", false), WEEK, 80);
    expect(switchRule(moveThreshold(moved, WEEK, 60), "week", true)).toEqual({});
  });

  test("cannot move a threshold that a rule does not have", () => {
    expect(moveThreshold(NO_SETTINGS, PEAK, 50)).toBe(NO_SETTINGS);
  });

  test("survive a restart with the same configuration, without a line in the log", () => {
    const set = switchRule(moveThreshold(NO_SETTINGS, WEEK, 80), PEAK.id, false);
    const kept = readRuleSettings(JSON.parse(JSON.stringify(set)));
    expect(settleSettings(kept, [WEEK, PEAK])).toEqual({ settings: set, lines: [] });
  });

  test("are forgotten with their rule, with a line in the log", () => {
    const set = switchRule(moveThreshold(NO_SETTINGS, WEEK, 80), PEAK.id, false);
    const { settings, lines } = settleSettings(set, [WEEK]);
    expect(settings).toEqual(moveThreshold(NO_SETTINGS, WEEK, 80));
    expect(lines).toEqual([
      "The rule constructor is not in the configuration any more: what was set for it while vigie ran is forgotten",
    ]);
  });

  test("give way where the owner edits the configuration, with a line in the log", () => {
    const set = switchRule(moveThreshold(NO_SETTINGS, WEEK, 80), "week", false);
    const { settings, lines } = settleSettings(set, [EDITED]);
    expect(settingOf(settings, EDITED)).toEqual({ enabled: false, threshold: 70 });
    expect(lines).toEqual([
      "The threshold of week was changed in the configuration from 60: it is 70 now; the value 80 that was set while vigie ran does not count any more",
    ]);
    // Edited back, what it had been moved to is forgotten all the same.
    expect(settingOf(settleSettings(settings, [WEEK]).settings, WEEK).threshold).toBe(60);
    expect(settleSettings(set, [PLAIN]).lines[0]).toContain("the rule has none now");
  });

  test("that are none are nothing set", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (kept) => {
        expect(settingOf(readRuleSettings(kept), PEAK).enabled).toBeTypeOf("boolean");
      }),
      { numRuns: 50 },
    );
    expect(readRuleSettings({ week: { enabled: "no" } })).toBe(NO_SETTINGS);
  });
});
