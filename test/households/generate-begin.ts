import { addDays, type Day, weekdayOf } from "./calendar.ts";
import type { Draw } from "./draw.ts";

/** The first day of a household: mostly in the winter of 2025-2026, and seldom where something of the calendar changes. */
export function drawBegin(draw: Draw): Day {
  const { one, whole, chance } = draw;
  if (chance(0.6)) return addDays("2025-10-20", whole(0, 190));
  return one([drawOtherWinter, drawSummer, drawTurn, drawTurn, drawClockChange])(draw);
}

/** Two of them have a 29 February. */
function drawOtherWinter({ one, whole }: Draw): Day {
  return addDays(`${one([2023, 2024, 2026, 2027])}-10-20`, whole(0, 190));
}

function drawSummer({ whole }: Draw): Day {
  return addDays("2026-05-01", whole(0, 170));
}

/** A season begins, other prices do, rouge days do or end, or there is a public holiday or a 29 February. */
function drawTurn({ one, whole }: Draw): Day {
  const year = one([2023, 2024, 2025, 2026, 2027, 2028]);
  const day = one(["01-30", "02-26", "03-29", "07-30", "08-30", "10-30", "11-09", "12-23", "12-30"]);
  return addDays(`${year}-${day}`, whole(0, 2));
}

/** The day before the clocks are moved, or that day. */
function drawClockChange({ one, whole }: Draw): Day {
  const end = `${one([2023, 2024, 2025, 2026, 2027])}-${one(["03", "10"])}-31`;
  const sunday = [0, 1, 2, 3, 4, 5, 6]
    .map((back) => addDays(end, -back))
    .find((day) => weekdayOf(day) === "sun");
  return addDays(sunday ?? end, -whole(0, 1));
}
