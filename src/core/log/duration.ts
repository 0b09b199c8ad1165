/** A duration for messages, at most two units: `40 s`, `5 min`, `3 h 20 min`, `2 days 4 h`. */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return join(seconds, [HOUR, "h"], [MINUTE, "min"]);
  return join(seconds, [DAY, seconds < 2 * DAY ? "day" : "days"], [HOUR, "h"]);
}

/** A length that somebody has configured, exactly, in one unit: `90 s`, `90 min`, `2 h`. */
export function describeLength(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (Number.isInteger(minutes / 60)) return `${minutes / 60} h`;
  return Number.isInteger(minutes) ? `${minutes} min` : `${milliseconds / 1000} s`;
}

type Unit = [seconds: number, name: string];

function join(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const whole = `${Math.floor(seconds / large)} ${largeName}`;
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
