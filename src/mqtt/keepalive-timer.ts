import type { IClientOptions } from "mqtt";

/**
 * Keepalive counts the broker's silence, not a stall of this process: when a stroke is due, what arrived meanwhile is
 * heard first, and may put the timer off. A connection has one such timer at a time.
 */
export function patientTimer(): Exclude<IClientOptions["timerVariant"], string | undefined> {
  let interval: NodeJS.Timeout | undefined;
  let due: NodeJS.Immediate | undefined;
  const clear = () => {
    clearInterval(interval);
    if (due) clearImmediate(due);
  };
  const set = (strike: () => void, every: number) => {
    clear();
    interval = setInterval(() => {
      due = setImmediate(() => {
        due = setImmediate(strike);
      });
    }, every);
    return THE_ONE;
  };
  return { set, clear };
}

const THE_ONE = 1;
