/** The first days of a list for the log, and how many more there are: a wrong answer may be about a year of days. */
export function listDays(days: readonly string[]): string {
  const more = days.length > DAYS_NAMED ? [`${days.length - DAYS_NAMED} more`] : [];
  return [...days.slice(0, DAYS_NAMED), ...more].join(", ");
}

const DAYS_NAMED = 5;
