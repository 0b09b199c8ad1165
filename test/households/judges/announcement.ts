import { addDays, wallClock } from "../calendar.ts";
import type { Judge } from "./judge.ts";
import { judgeSnapshots, type MomentOfBook, momentsOf, type Snapshot } from "./snapshots.ts";
import { type DayFact, factsOf } from "./truth/known-days.ts";

/**
 * "the stage of tomorrow's colour (`None` while it is not even forecast); `late` from 12:00 on while it is not official", or from
 * `service.late_after` on. A simulation is no announcement.
 */
export const announcementJudge: Judge = judgeSnapshots("announcement", (snapshot) => [
  check("date", snapshot, ({ at }) => [tomorrowAt(at)]),
  check("stage", snapshot, (moment) => {
    const facts = factsAt(moment);
    return facts.some(({ isUnlawful }) => isUnlawful) ? null : facts.map(({ stage }) => stage ?? "None");
  }),
  check("late", snapshot, (moment) => {
    const isTime = wallClock(moment.at).minutes >= moment.house.lateAfter;
    return factsAt(moment).map(({ official }) => (isTime && !official ? "ON" : "OFF"));
  }),
]);

function check(
  part: string,
  snapshot: Snapshot,
  allowed: (moment: MomentOfBook) => readonly string[] | null,
): string {
  const payload = snapshot.read(`announcement/${part}`);
  if (snapshot.isSpecial || payload === null) return "skipped";
  if (snapshot.isDoubted && payload === "None") return "skipped";
  const found = momentsOf(snapshot).map(allowed);
  const wanted = new Set(found.flatMap((one) => one ?? []));
  if (found.includes(null)) return "skipped";
  if (wanted.has(payload)) return "right";
  return `announcement/${part} is ${payload}, and ${[...wanted].join(" or ")} is right`;
}

function factsAt({ book, at, house }: MomentOfBook): readonly DayFact[] {
  return factsOf(book, tomorrowAt(at), { at, house });
}

function tomorrowAt(at: number): string {
  return addDays(wallClock(at).date, 1);
}
