import { describe, expect, it } from "vitest";
import { createCycle } from "../../src/app/cycle.ts";
import { openRulebook } from "../../src/app/rulebook.ts";
import type { Answer } from "../../src/core/contract/answer.ts";
import { NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import { learn } from "../../src/core/days/learn.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { emptyState } from "../../src/state/state.ts";
import { createMemoryStore, GRACE } from "../support/season-vigie.ts";
import { PARIS } from "../support/tariff.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-01-05T12:00:00Z");
const silent = () => undefined;

const forecasts: Answer = {
  kind: "forecasts",
  updated_at: NOW - 3 * HOUR,
  days: [
    {
      date: "2026-01-06",
      color: "rouge",
      raw: "rouge",
      confidence: 0.8,
      source: null,
      explanation: null,
      rates: { hp: null, hc: null },
    },
  ],
};

/** A cycle that starts with a book learned two hours ago. */
function restarted(clock: { at: number }) {
  const shown: { topics: Topics } = { topics: new Map() };
  const store = createMemoryStore(emptyState("cycle"));
  const cycle = createCycle({
    tariff: PARIS,
    late_after: "12:00",
    grace: GRACE,
    check_clock: "off",
    simulated: false,
    memory: {
      knownDays: learn(NO_KNOWN_DAYS, forecasts, clock.at - 2 * HOUR, PARIS),
      asked: { season: null, history: null },
    },
    rulebook: openRulebook({
      rules: [],
      tariff: PARIS,
      grace: GRACE,
      store,
      turned: silent,
      log: { info: silent, warn: silent },
    }),
    outputs: { hasProblem: () => false, follow: silent },
    clock: { now: () => clock.at, steady: () => clock.at },
    ask: async () => ({ answer: forecasts, date: null }),
    officialSilent: () => true,
    want: (topics) => {
      shown.topics = topics;
    },
    keep: silent,
    notice: silent,
  });
  return { cycle, lastSuccess: () => shown.topics.get("service/last_success")?.payload };
}

describe("when the service answered last", () => {
  it("is shown anew at the first answer of each life, also soon after what the life before saw", async () => {
    const { cycle, lastSuccess } = restarted({ at: NOW });
    cycle.refresh();
    expect(lastSuccess()).toBe("2026-01-05T10:00:00Z");
    await cycle.poll({ signal: new AbortController().signal, essential: true, confirm: false });
    expect(lastSuccess()).toBe("2026-01-05T12:00:00Z");
  });

  it("then moves seldom while nothing is new: that all is well is said by the status", async () => {
    const clock = { at: NOW };
    const { cycle, lastSuccess } = restarted(clock);
    const shown = new Set<string | undefined>();
    for (let hour = 0; hour < 24; hour += 1) {
      await cycle.poll({ signal: new AbortController().signal, essential: true, confirm: false });
      shown.add(lastSuccess());
      clock.at += HOUR;
    }
    expect(shown.size).toBe(6);
  });
});
