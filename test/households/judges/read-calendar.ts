import { addDays, type Day, dayStart } from "../calendar.ts";

/** The days of `/calendar.ics`. `wrong`: what is not a calendar (RFC 5545), or not one event a day from 06:00 to 06:00. */
export function readCalendar(text: string): { events: { date: Day; color: string }[]; wrong: string[] } {
  const lines = text.split("\r\n");
  const wrong = lines.filter((line) => /[\r\n]/.test(line) || Buffer.byteLength(line) > LONGEST_LINE);
  const isWhole = text.startsWith("BEGIN:VCALENDAR\r\n") && text.endsWith("\r\nEND:VCALENDAR\r\n");
  if (!isWhole) wrong.push("not a whole calendar");
  const dates = new Set<Day>();
  const events = text
    .replaceAll("\r\n ", "")
    .split("BEGIN:VEVENT\r\n")
    .slice(1)
    .map((event) => {
      const read = (name: string) => new RegExp(`^${name}:(.*?)\\r$`, "m").exec(event)?.[1] ?? "";
      const date = read("UID").slice(0, "2026-01-05".length);
      const isDay = read("DTSTART") === utc(date) && read("DTEND") === utc(addDays(date, 1));
      if (!isDay) wrong.push(`${date} is from ${read("DTSTART")} to ${read("DTEND")}`);
      if (dates.has(date)) wrong.push(`${date} twice`);
      dates.add(date);
      return { date, color: read("CATEGORIES") };
    });
  return { events, wrong };
}

/** When a tariff day begins: `20260105T050000Z`. */
function utc(date: Day): string {
  return new Date(dayStart(date)).toISOString().replaceAll(/[-:]|\.000/g, "");
}

const LONGEST_LINE = 75;
