import { expect, test } from "vitest";
import { clockShifts, nextMidnight } from "../../../src/core/calendar/dates.ts";
import { nextWallEdge, wallBetween, wallClock } from "../../../src/core/calendar/wall-clock.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TIMES = [0, 90 * MINUTE, 150 * MINUTE, 23.5 * 60 * MINUTE];

/** Minute by minute, as somebody who looks at the wall all day would note them. */
function watchWall(after: number, until: number, zone: string): number[] {
  const seen: number[] = [];
  for (let at = after + MINUTE; at <= until; at += MINUTE) {
    const [shown, before] = [wallClock(at, zone), wallClock(at - MINUTE, zone)];
    if (TIMES.includes(shown) || (shown - before + DAY) % DAY !== MINUTE) seen.push(at);
  }
  return seen;
}

test.each([
  ["an even day", "Europe/Paris", "2026-01-05T11:07:00Z"],
  ["an hour that is left out", "Europe/Paris", "2026-03-28T12:00:00Z"],
  ["an hour that comes twice", "Europe/Paris", "2026-10-24T12:00:00Z"],
  ["a midnight that is left out", "America/Havana", "2026-03-07T12:00:00Z"],
  ["a midnight that comes twice", "Asia/Beirut", "2026-10-24T12:00:00Z"],
  ["half an hour that comes twice", "Australia/Lord_Howe", "2026-04-04T00:00:00Z"],
])("the wall reaches its times and jumps when a watcher sees it, over %s", (_title, zone, from) => {
  const after = Date.parse(from);
  const until = after + 2 * DAY;
  const midnights: number[] = [];
  for (let at = nextMidnight(after, zone); at <= until; at = nextMidnight(at, zone)) midnights.push(at);
  const wall = wallBetween([after, until], midnights, clockShifts(after, until, zone), zone);
  const edges: number[] = [];
  for (let at = after; Number.isFinite(at); at = nextWallEdge(TIMES, wall, at)) edges.push(at);
  expect(edges.slice(1)).toEqual(watchWall(after, until, zone));
});
