import type { ServiceConfig } from "../config/config.ts";
import { addDays, civilDate, wallInstant } from "../core/calendar/dates.ts";
import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { KnownDays } from "../core/days/known-days.ts";

/** When to poll is a question of data: the newest slot that has begun, and whether a poll was started since. */
export interface SlotInput {
  poll: ServiceConfig["poll"];
  tariff: Tariff;
  knownDays: KnownDays;
  /** 0 to 1, chosen once an installation: a thousand houses do not ask at the same second. */
  offset: number;
}

/** What a poll that is owed has to do beside asking. */
export interface OwedPoll {
  /** Goes on even when the day's budget is spent. */
  essential: boolean;
  /** Asks what is final once more. */
  confirm: boolean;
}

/** The poll owed for slots that have begun since the last one; a clock that was set back owes one, too. */
export function owedPoll(now: Instant, lastPoll: Instant | null, input: SlotInput): OwedPoll | null {
  const owed = (at: Instant | undefined) =>
    at !== undefined && (lastPoll === null || lastPoll > now || at > lastPoll);
  const confirm = owed(confirmSlot(now, input));
  const essential = confirm || owed(slotOnGrid(now, input.poll.every, input.offset));
  return essential || owed(announcementSlot(now, input)) ? { essential, confirm } : null;
}

/** Often until tomorrow is official, then now and then until nothing can correct it any more. */
function announcementSlot(now: Instant, { poll, tariff, knownDays, offset }: SlotInput): Instant | undefined {
  const { between, every } = poll.announcement;
  const today = civilDate(now, tariff.time_zone);
  const begin = wallInstant(today, between[0], tariff.time_zone);
  const end = wallInstant(today, between[1], tariff.time_zone);
  const official = knownDays.days[addDays(today, 1)]?.official;
  if (now < begin || now >= end || official?.final) return undefined;
  const interval = official ? Math.max(every, UNTIL_FINAL) : every;
  const at = slotOnGrid(now, interval, offset);
  return at >= begin ? at : undefined;
}

/** Late corrections are looked for in the evening, and just before the day begins. */
function confirmSlot(now: Instant, { tariff, offset }: SlotInput): Instant | undefined {
  const today = civilDate(now, tariff.time_zone);
  const starts = CONFIRM_AT.map(
    (time) => wallInstant(today, time, tariff.time_zone) + offset * CONFIRM_SPREAD,
  );
  const begun = starts.filter((at) => at <= now);
  return begun.length > 0 ? Math.max(...begun) : undefined;
}

function slotOnGrid(now: Instant, interval: number, offset: number): Instant {
  const shift = offset * interval;
  return Math.floor((now - shift) / interval) * interval + shift;
}

const UNTIL_FINAL = 30 * 60_000;
const CONFIRM_AT = ["05:50", "18:00"];
const CONFIRM_SPREAD = 5 * 60_000;
