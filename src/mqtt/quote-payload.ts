/** A payload as log lines show it. */
export function quotePayload(payload: string): string {
  return JSON.stringify(payload.length > LONGEST_SHOWN ? `${payload.slice(0, LONGEST_SHOWN)}…` : payload);
}

/** A command of a Shelly, second generation, has its on or off after 70 characters. */
const LONGEST_SHOWN = 100;
