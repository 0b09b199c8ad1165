import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  moveThreshold,
  NOTHING_SET,
  readSettings,
  type Settable,
  type Settings,
  settingsInForce,
  settleSettings,
  switchRule,
} from "../../../src/core/rules/rule-settings.ts";

const WEEK = { id: "week", threshold: 60 };
const PEAK = { id: "constructor", threshold: null };
const EDITED = { ...WEEK, threshold: 70 };
const PLAIN = { ...WEEK, threshold: null };

/** What counts for a rule, the configured values where nothing was set. */
function settingOf(settings: Settings, { id, threshold }: Settable) {
  const all = settingsInForce(settings);
  const set = Object.hasOwn(all, id) ? all[id] : undefined;
  return { enabled: set?.enabled ?? true, threshold: set?.threshold ?? threshold };
}

describe("the settings of rules", () => {
  test("are the configured ones until somebody sets others", () => {
    expect(settingOf(NOTHING_SET, WEEK)).toEqual({ enabled: true, threshold: 60 });
    expect(settingOf(NOTHING_SET, PEAK)).toEqual({ enabled: true, threshold: null });
  });

  test("are kept side by side", () => {
    const moved = moveThreshold(switchRule(NOTHING_SET, "week", false), WEEK, 80);
    expect(settingOf(moved, WEEK)).toEqual({ enabled: false, threshold: 80 });
    expect(settingOf(switchRule(moved, "week", true), WEEK)).toEqual({ enabled: true, threshold: 80 });
    expect(settingOf(moved, PEAK)).toEqual({ enabled: true, threshold: null });
  });

  test("that are the configured ones again take no room", () => {
    const moved = moveThreshold(switchRule(NOTHING_SET, "week", false), WEEK, 80);
    expect(switchRule(moveThreshold(moved, WEEK, 60), "week", true)).toEqual({});
  });

  test("cannot move a threshold that a rule does not have", () => {
    expect(moveThreshold(NOTHING_SET, PEAK, 50)).toBe(NOTHING_SET);
  });

  test("survive a restart with the same configuration, without a word", () => {
    const set = switchRule(moveThreshold(NOTHING_SET, WEEK, 80), PEAK.id, false);
    const kept = readSettings(JSON.parse(JSON.stringify(set)));
    expect(settleSettings(kept, [WEEK, PEAK])).toEqual({ settings: set, lines: [] });
  });

  test("give way where the owner edits the configuration, and that is said", () => {
    const set = switchRule(moveThreshold(NOTHING_SET, WEEK, 80), "week", false);
    const { settings, lines } = settleSettings(set, [EDITED]);
    expect(settingOf(settings, EDITED)).toEqual({ enabled: false, threshold: 70 });
    expect(lines).toEqual([
      "The threshold of week was changed in the configuration from 60: it is 70 now, and the 80 that it had been moved to is forgotten",
    ]);
    // Edited back, what it had been moved to is forgotten all the same.
    expect(settingOf(settleSettings(settings, [WEEK]).settings, WEEK).threshold).toBe(60);
    expect(settleSettings(set, [PLAIN]).lines[0]).toContain("it has none now");
  });

  test("of a rule that is gone are gone", () => {
    expect(settleSettings(switchRule(NOTHING_SET, "week", false), [PEAK])).toEqual({
      settings: {},
      lines: [],
    });
  });

  test("that are none are nothing set", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (kept) => {
        expect(settingOf(readSettings(kept), PEAK).enabled).toBeTypeOf("boolean");
      }),
      { numRuns: 50 },
    );
    expect(readSettings({ week: { enabled: "no" } })).toBe(NOTHING_SET);
  });
});
