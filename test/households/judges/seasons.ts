import { COLORS, type Color, DAY, seasonOf, tariffDay } from "../calendar.ts";
import { SETTLED } from "./answers-to-truth.ts";
import type { Judge } from "./judge.ts";
import {
  judgeSnapshots,
  type MomentOfBook,
  momentsOf,
  numberOf,
  readAll,
  type Snapshot,
} from "./snapshots.ts";
import { daysRemaining, leftDays, type Numbers, remainingDays, totalDays, usedDays } from "./truth/season.ts";

/** The counters of the season: as the service says, and as vigie counts the official days. */
export const seasonJudge: Judge = judgeSnapshots("season", (snapshot) => [
  judgeNumber("days_remaining", snapshot, daysRemaining),
  ...COLORS.flatMap((color) => [
    judgeNumber(`remaining/${color}`, snapshot, (moment, at) => remainingDays(moment, at, color)),
    judgeNumber(`total/${color}`, snapshot, (moment, at) => totalDays(moment, at, color)),
    judgeNumber(`used/${color}`, snapshot, (moment, at) => usedDays(moment, at, color)),
    judgeNumber(`left/${color}`, snapshot, (moment, at) => leftDays(moment, at, color)),
  ]),
  judgeSum(snapshot),
  ...COLORS.map((color) => judgeLeft(color, snapshot)),
]);

function judgeNumber(
  part: string,
  snapshot: Snapshot,
  allowed: (moment: MomentOfBook, at: number) => Numbers,
): string {
  const payload = snapshot.read(`season/${part}`);
  if (snapshot.isSpecial || snapshot.isClockWrong || payload === null) return "skipped";
  const wanted = new Set(momentsOf(snapshot).flatMap((moment) => allowed(moment, moment.at)));
  // An answer that nobody can read is no number.
  if (wanted.has(undefined as never) || wanted.size > MANY) return "skipped";
  if (wanted.has(numberOf(payload))) return "right";
  return `season/${part} is ${payload}, and ${[...wanted].map((one) => one ?? "None").join(" or ")} is right`;
}

/** The days that are used are those of the season up to the one in force. */
function judgeSum(snapshot: Snapshot): string {
  const used = readAll(
    snapshot,
    COLORS.map((color) => `season/used/${color}`),
  )?.map(numberOf);
  if (!used || used.includes(null) || snapshot.isClockWrong) return "skipped";
  const sum = used.reduce<number>((all, one) => all + Number(one), 0);
  const [now, before] = [snapshot.at, snapshot.at - SETTLED].map((at) => elapsedDays(at, snapshot));
  if (sum === now || sum === before) return "right";
  return `season/used is ${sum} days together, and the season has had ${now}`;
}

function elapsedDays(at: number, { house }: Snapshot): number {
  const now = tariffDay(at, house);
  return Math.round((Date.parse(now) - Date.parse(seasonOf(now).start)) / DAY) + 1;
}

/** What is left is the total less what is used; without the service's total, the usual one. */
function judgeLeft(color: Color, snapshot: Snapshot): string {
  const shown = readAll(
    snapshot,
    ["left", "used", "total"].map((count) => `season/${count}/${color}`),
  )?.map(numberOf);
  if (!shown) return "skipped";
  const [left = null, used = null, total = null] = shown;
  if (left === null) return "skipped";
  if (left < 0) return `season/left/${color} is ${left}`;
  if (used === null) return `season/left/${color} is ${left}, and season/used/${color} is None`;
  const all = total ?? usualTotal(color, snapshot);
  if (all === null) return `season/left/${color} is ${left}, and nobody says how many days the season has`;
  return left === all - used
    ? "right"
    : `season/left/${color} is ${left}, and ${used} of ${all} days are used`;
}

/** null: nothing is assumed. */
function usualTotal(color: Color, { at, house }: Snapshot): number | null {
  if (!house.hasLaws) return null;
  const { length } = seasonOf(tariffDay(at, house));
  return { rouge: 22, blanc: 43, bleu: length - 22 - 43 }[color];
}

/** So many possible numbers say nothing. */
const MANY = 100;
