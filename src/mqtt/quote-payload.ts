/** A payload as log lines show it. */
export function quotePayload(payload: string): string {
  return JSON.stringify(payload.length > LONGEST_SHOWN ? `${payload.slice(0, LONGEST_SHOWN)}…` : payload);
}

const LONGEST_SHOWN = 60;
