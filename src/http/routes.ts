import type { Language } from "../core/calendar/day-in-words.ts";
import { CALENDAR_TYPE, readCalendarQuery, renderCalendar } from "./calendar.ts";
import { METRICS_TYPE, renderMetrics } from "./metrics.ts";
import { PAGE_FILES } from "./page/page-files.ts";
import { renderPage } from "./page/render-page.ts";
import type { PageView } from "./page-view.ts";
import { renderState } from "./state-json.ts";

/** What a request asks for beside its path. */
export interface Asked {
  language: Language;
  query: URLSearchParams;
}

/** A path whose answer is a text, made of the view and of nothing else. */
export interface Route {
  path: string;
  type: string;
  /** What of the request the text depends on. */
  variesBy: readonly (keyof Asked)[];
  /** `problem`: what is wrong with the query. */
  render: (view: PageView, asked: Asked) => string | { problem: string };
}

export const ROUTES: readonly Route[] = [
  { path: "/", type: "text/html; charset=utf-8", variesBy: ["language"], render: renderPage },
  { path: "/api/state", type: "application/json; charset=utf-8", variesBy: [], render: renderState },
  { path: "/calendar.ics", type: CALENDAR_TYPE, variesBy: ["language", "query"], render: calendarOf },
  { path: "/metrics", type: METRICS_TYPE, variesBy: [], render: renderMetrics },
];

function calendarOf(view: PageView, { language, query }: Asked): string | { problem: string } {
  const read = readCalendarQuery(query);
  return "problem" in read ? read : renderCalendar(view, { ...read, language });
}

/** The files that the page loads, by their path. */
export const FILES: ReadonlyMap<string, { type: string; text: string }> = new Map(
  Object.entries(PAGE_FILES).map(([name, file]) => [`/${name}`, file]),
);
