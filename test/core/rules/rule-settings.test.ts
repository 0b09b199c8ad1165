import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  endMeanwhile,
  moveThreshold,
  NO_SETTINGS,
  type RuleSettings,
  readRuleSettings,
  settleSettings,
  switchedAt,
  switchRule,
  switchRuleFor,
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

  describe("for a time", () => {
    const [from, until] = [Date.parse("2026-01-05T18:00:00Z"), Date.parse("2026-01-06T06:00:00Z")];
    const guests = switchRuleFor(NO_SETTINGS, "week", false, { from, until });
    const isEnabled = (settings: RuleSettings, at: number) => switchedAt(settings, "week", at).enabled;

    test("end at their end, to the millisecond, and say when that is", () => {
      expect(switchedAt(guests, "week", until - 1)).toEqual({ enabled: false, until });
      expect(switchedAt(guests, "week", until)).toEqual({ enabled: true, until: null });
      const off = switchRule(NO_SETTINGS, "week", false);
      const once = switchRuleFor(off, "week", true, { from, until });
      expect([isEnabled(once, until - 1), isEnabled(once, until)]).toEqual([true, false]);
    });

    test.each([true, false])(
      "end with what was before: %s stays so where a command says the same",
      (enabled) => {
        const before = switchRule(NO_SETTINGS, "week", enabled);
        const settings = switchRuleFor(before, "week", enabled, { from, until });
        expect(switchedAt(settings, "week", from)).toEqual({ enabled, until: null });
        expect(isEnabled(settings, until)).toBe(enabled);
      },
    );

    test("give way to a command, whether it says the same or not", () => {
      for (const enabled of [true, false]) {
        const settings = switchRule(guests, "week", enabled);
        expect([isEnabled(settings, from), isEnabled(settings, until)]).toEqual([enabled, enabled]);
      }
      const longer = switchRuleFor(guests, "week", false, { from: from + 1, until: until + 1 });
      expect([isEnabled(longer, until), isEnabled(longer, until + 1)]).toEqual([false, true]);
    });

    test("are over once, and dropped a day later, and the others stay", () => {
      const settings = moveThreshold(switchRule(guests, PEAK.id, false), WEEK, 80);
      const after = moveThreshold(switchRule(NO_SETTINGS, PEAK.id, false), WEEK, 80);
      expect(endMeanwhile(settings, until - 1)).toEqual({ settings, ended: [] });
      const over = endMeanwhile(settings, until);
      expect(over.ended).toEqual(["week"]);
      expect(endMeanwhile(over.settings, until + 86_399_999)).toEqual({ settings: over.settings, ended: [] });
      expect(endMeanwhile(over.settings, until + 86_400_000)).toEqual({ settings: after, ended: [] });
    });

    test("do not begin again if the clock is set back after their end", () => {
      const { settings } = endMeanwhile(guests, until);
      expect(isEnabled(settings, until - 1)).toBe(true);
      expect(endMeanwhile(settings, until - 1)).toEqual({ settings: {}, ended: [] });
    });

    test("keep a moved threshold, and go on when it is moved", () => {
      const settings = moveThreshold(guests, WEEK, 80);
      expect(settingOf(settings, WEEK).threshold).toBe(80);
      expect([isEnabled(settings, from), isEnabled(settings, until)]).toEqual([false, true]);
      const again = switchRuleFor(settings, "week", false, { from, until });
      expect(settingOf(again, WEEK).threshold).toBe(80);
    });

    test("are over where the clock was set back by more than the whole time", () => {
      const HOUR = 3_600_000;
      expect(isEnabled(guests, from - 1000)).toBe(false);
      expect(isEnabled(guests, from - 12 * HOUR)).toBe(false);
      expect(isEnabled(guests, from - 12 * HOUR - 1)).toBe(true);
      expect(endMeanwhile(guests, from - 13 * HOUR)).toEqual({ settings: {}, ended: ["week"] });
    });

    test("survive a restart, and a vigie that does not know them has the rule as it is after the end", () => {
      const kept = JSON.parse(JSON.stringify(guests));
      expect(settleSettings(readRuleSettings(kept), [WEEK])).toEqual({ settings: guests, lines: [] });
      expect(kept.week).toMatchObject({ enabled: true, threshold: null });
    });

    test("are not needed in the settings of the former version", () => {
      const former = { week: { enabled: false, threshold: null } };
      expect(readRuleSettings(former)).toEqual(former);
      expect(isEnabled(readRuleSettings(former), until)).toBe(false);
    });
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
