import { dayStart } from "../../src/core/calendar/dates.ts";
import type { Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import { readAnswer } from "../../src/service/read-answer.ts";
import { spellingsOf } from "../../src/service/read-values.ts";
import { requestPath } from "../../src/service/service-request.ts";
import { createService } from "../../src/simulator/answer-request.ts";
import { announceAt, type World } from "../../src/simulator/official-colors.ts";
import { PARIS } from "./tariff.ts";
import { openTestLoop } from "./test-loop.ts";

export const WORLD: World = { seed: 1, days: new Map(), announcements: announceAt("10:30") };

/** The real loop between a clock that the test sets and the simulator's answers. */
export function openVirtualSeason(from: IsoDate) {
  const clock = { at: dayStart(from, PARIS) };
  const service = createService(WORLD, { now: () => clock.at });
  const opened = openTestLoop({
    clock,
    ask: async (request) => {
      const url = requestPath(request, { start: "start_date", end: "end_date" });
      const { body } = service({ method: "GET", url, ifNoneMatch: "", client: "the loop" });
      const { answer } = readAnswer(request, JSON.parse(body), { ...SETTINGS, operation: url });
      return { answer, date: null, made_at: null, sent: null };
    },
  });
  const pollAt = async (at: Instant) => {
    clock.at = at;
    const { failures } = await opened.loop.poll({ essential: true, recheck: false });
    if (failures.length > 0) throw new Error(failures.join("; "));
  };
  return { ...opened, pollAt };
}

const SETTINGS = {
  confidence: "auto",
  rate_unit: "EUR/kWh",
  percent: false,
  spellings: spellingsOf({}),
} as const;
