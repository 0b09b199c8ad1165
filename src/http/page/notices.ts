import type { DayFacts } from "../../core/facts/facts.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import type { Page } from "./words.ts";

/** What is not as it should be, each with what it means for the page. */
export function notices(page: Page): Html {
  const found = [
    serviceNotice(page),
    officialNotice(page),
    outputNotice(page),
    ...contradictions(page),
    lateNotice(page),
    ...revisions(page),
  ];
  const shown = found.filter((one) => one !== null);
  return shown.length === 0 ? html`` : html`<ul class="notices">${shown}</ul>`;
}

function notice(title: string, more: Part): Html {
  return html`<li><strong>${title}</strong> ${more}</li>`;
}

function serviceNotice({ t, view, when }: Page): Html | null {
  const { status, last_error } = view.facts.service;
  if (status !== "down" && status !== "degraded") return null;
  const last = view.lastSuccess.service;
  // Before the first answer the band says that nothing is known.
  const isWaiting = last === null && last_error === null;
  if (isWaiting) return null;
  const title = status === "down" ? t.service_down : t.service_degraded;
  return notice(
    last === null ? t.service_unanswered : title,
    html`${last !== null && t.service_more(when(last))}${last_error !== null && html` <span class="error" lang="en">${foreign(last_error)}</span>`}`,
  );
}

function officialNotice({ t, view }: Page): Html | null {
  const { status, last_error } = view.facts.official;
  if (status !== "down" && view.facts.service.problem_code !== "official") return null;
  const last = view.lastSuccess.official;
  // As of the service: before the first answer the band says that nothing is known.
  if (last === null && last_error === null) return null;
  const title = status === "down" ? t.official_down : t.official_degraded;
  return notice(
    last === null ? t.official_unanswered : title,
    last_error !== null && html`<span class="error" lang="en">${foreign(last_error)}</span>`,
  );
}

function outputNotice({ t, view, language }: Page): Html | null {
  const failed = view.outputs.filter(({ state }) => state === "failed");
  if (failed.length === 0) return null;
  return notice(
    t.output_problem,
    failed.map(({ output }, index) => html`${index > 0 && ", "}${foreign(output.name[language], 80)}`),
  );
}

function contradictions({ t, view, longDay }: Page): Html[] {
  return daysNotOver(view.facts.moment).flatMap(({ date, official_by }) =>
    official_by === null
      ? []
      : [notice(t.contradiction, t.contradiction_more(longDay(date), official_by.rte, official_by.service))],
  );
}

function lateNotice({ t, view, longDay }: Page): Html | null {
  const announcement = view.facts.moment?.announcement;
  const { status, problem_code } = view.facts.service;
  // The only source that is silent is the reason already.
  const isSilent = problem_code === "service" || (problem_code === "official" && status === "off");
  if (!announcement?.late || isSilent) return null;
  return notice(t.late, t.late_more(longDay(announcement.date)));
}

function revisions({ t, view, longDay }: Page): Html[] {
  return daysNotOver(view.facts.moment).flatMap(({ date, revised_from, color }) =>
    revised_from === null || color === null
      ? []
      : [notice(t.revised, t.revised_more(longDay(date), revised_from, color))],
  );
}

/** Each once, whichever name it has. */
function daysNotOver(moment: Page["view"]["facts"]["moment"]): DayFacts[] {
  if (!moment) return [];
  const { now, next, days } = moment;
  const byDate = new Map<string, DayFacts>();
  for (const day of [now, next, days.tomorrow]) if (!byDate.has(day.date)) byDate.set(day.date, day);
  return [...byDate.values()];
}
