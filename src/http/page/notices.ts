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

function serviceNotice(page: Page): Html | null {
  const { service } = page.view.real.facts;
  return service.status === "down" || service.status === "degraded" ? sourceNotice("service", page) : null;
}

function officialNotice(page: Page): Html | null {
  const { official, service } = page.view.real.facts;
  return official.status === "down" || service.problem_code === "official"
    ? sourceNotice("official", page)
    : null;
}

function sourceNotice(source: "service" | "official", { t, view, when }: Page): Html | null {
  const { status, last_error } = view.real.facts[source];
  const last = view.lastSuccess[source];
  // Before the first answer the band says that nothing is known.
  if (last === null && last_error === null) return null;
  const why = last === null ? "never" : status === "down" ? "down" : "degraded";
  return notice(t.no_answer[source][why], [
    last !== null && when(last, t.data_since),
    last_error !== null && html` <span class="error" lang="en">${foreign(last_error)}</span>`,
  ]);
}

function outputNotice({ t, view, language }: Page): Html | null {
  const failed = view.outputs.filter(({ state }) => state === "failed");
  if (failed.length === 0) return null;
  return notice(
    t.output_problem,
    failed.map(({ output }, index) => html`${index > 0 && ", "}${foreign(output.name[language], 100)}`),
  );
}

function contradictions({ t, view, longDay }: Page): Html[] {
  return daysNotOver(view.real.facts.moment).flatMap(({ date, official_by, color }) =>
    official_by === null || color === null
      ? []
      : [
          notice(
            t.contradiction,
            t.is(longDay(date), t.contradiction_more(official_by.rte, official_by.service, color)),
          ),
        ],
  );
}

function lateNotice({ t, view, longDay }: Page): Html | null {
  const announcement = view.real.facts.moment?.announcement;
  const { status, problem_code } = view.real.facts.service;
  // The only source that is silent is the reason already.
  const isSilent = problem_code === "service" || (problem_code === "official" && status === "off");
  if (!announcement?.late || isSilent) return null;
  return notice(t.late, t.late_more(longDay(announcement.date)));
}

function revisions({ t, view, longDay }: Page): Html[] {
  return daysNotOver(view.real.facts.moment).flatMap(({ date, revised_from, color }) =>
    revised_from === null || color === null
      ? []
      : [notice(t.revised, t.is(longDay(date), t.revised_more(revised_from, color)))],
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
