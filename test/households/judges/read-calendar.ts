import { addDays, type Day, dayStart, type Tariff } from "../calendar.ts";

/** The days of `/calendar.ics`. `wrong`: what is not a calendar (RFC 5545), or not one event a tariff day. */
export function readCalendar(
  text: string,
  tariff: Tariff,
): { events: { date: Day; color: string }[]; wrong: string[] } {
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
      const isDay = read("DTSTART") === utc(date, tariff) && read("DTEND") === utc(addDays(date, 1), tariff);
      if (!isDay) wrong.push(`${date} is from ${read("DTSTART")} to ${read("DTEND")}`);
      if (dates.has(date)) wrong.push(`${date} twice`);
      dates.add(date);
      return { date, color: read("CATEGORIES") };
    });
  return { events, wrong };
}

/** When a tariff day begins: `20260105T050000Z`. */
function utc(date: Day, tariff: Tariff): string {
  return new Date(dayStart(date, tariff)).toISOString().replaceAll(/[-:]|\.000/g, "");
}

const LONGEST_LINE = 75;
