import type { Arrival } from "./read-response.ts";

/** What was answered last at each path, so that the service may say "not modified" instead of sending it again. */
interface Revalidation {
  headersFor(path: string): Record<string, string>;
  /** The JSON answered before; undefined where none is remembered. */
  recall(path: string): { json: unknown } | undefined;
  /** To be called with answers that could be read, and no others. */
  keep(path: string, arrival: Arrival, json: unknown): void;
}

export function createRevalidation(): Revalidation {
  const known = new Map<string, { headers: Record<string, string>; json: unknown }>();
  return {
    headersFor: (path) => known.get(path)?.headers ?? {},
    recall: (path) => known.get(path),
    keep: (path, arrival, json) => {
      if (arrival.status === 304) return;
      const headers = conditions(arrival);
      known.delete(path);
      if (Object.keys(headers).length > 0) known.set(path, { headers, json });
      for (const oldest of [...known.keys()].slice(0, -MOST)) known.delete(oldest);
    },
  };
}

/** The paths of a day: forecasts, a few dates, season, history. */
const MOST = 8;

function conditions({ headers }: Arrival): Record<string, string> {
  const etag = headers.get("etag");
  const modified = headers.get("last-modified");
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(modified !== undefined && { "if-modified-since": modified }),
  };
}
