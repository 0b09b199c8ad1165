/** Local date and time, computed by Intl alone: an independent check of the zone arithmetic. */
interface Wall {
  date: string;
  time: string;
}

export function createIntlWallClock(timeZone: string): (at: number) => Wall {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (at) => {
    const text = format.format(at);
    return { date: text.slice(0, 10), time: text.slice(11) };
  };
}

/** The date before or after, in UTC days. */
export function shiftDate(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
