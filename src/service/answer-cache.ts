import type { HttpResponse } from "./read-response.ts";

/** The last answers of the service, so that it may answer "not modified" (304) instead of sending them again. */
interface AnswerCache {
  /** The headers that ask for "not modified". */
  conditions(path: string): Record<string, string>;
  /** The JSON of the last answer; undefined where none is kept. */
  get(path: string): { json: unknown } | undefined;
  /** To be called with answers that could be read, and no others. */
  keep(path: string, response: HttpResponse, json: unknown): void;
}

export function createAnswerCache(): AnswerCache {
  const kept = new Map<string, { conditions: Record<string, string>; json: unknown }>();
  return {
    conditions: (path) => kept.get(path)?.conditions ?? {},
    get: (path) => kept.get(path),
    keep: (path, { status, headers }, json) => {
      if (status === 304) return;
      kept.delete(path);
      const conditions: Record<string, string> = {};
      const etag = headers.get("etag");
      const modified = headers.get("last-modified");
      if (etag !== undefined) conditions["if-none-match"] = etag;
      if (modified !== undefined) conditions["if-modified-since"] = modified;
      if (etag !== undefined || modified !== undefined) kept.set(path, { conditions, json });
      for (const oldest of [...kept.keys()].slice(0, -MOST)) kept.delete(oldest);
    },
  };
}

/** The paths of a day: forecasts, a few dates, season, history. */
const MOST = 8;
