import type { DayFacts } from "../../core/facts/facts.ts";
import type { SourceId } from "../../core/facts/source-record.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import { isSaved, isUnheard, lastAnswer, type Page } from "./words.ts";

/** What is not as it should be, each with what it means for the page. */
export function notices(page: Page): Html {
  const found = [
    refusalNotice(page),
    brokerNotice(page),
    page.view.factsInput.vigie_failed ? notice(page.t.vigie_failed, page.t.vigie_failed_more) : null,
    clockNotice(page),
    serviceNotice(page),
    officialNotice(page),
    diskNotice(page),
    outputNotice(page),
    ...contradictions(page),
    lateNotice(page),
    ...revisions(page),
  ];
  const shown = found.filter((one) => one !== null);
  const { facts, broker } = page.view;
  // The band says that the clock is wrong, or the broker away.
  if (shown.length === 0 && facts.moment && broker.connected) return html``;
  // On a phone the state of vigie is far below.
  return html`<div class="notices">${shown.length > 0 && html`<ul>${shown}</ul>`}<p class="to-state"><a href="#state">${page.t.to_state}</a></p></div>`;
}

function notice(title: string, more: Part): Html {
  return html`<li class="notice"><strong>${title}</strong> ${more}</li>`;
}

function refusalNotice({ t, view }: Page): Html | null {
  const { refused = [] } = view;
  return refused.length === 0 ? null : notice(t.refused, [t.refused_more, listProblems(refused)]);
}

/** In the words of whoever found them. */
export function listProblems(problems: readonly string[]): Html {
  const shown = problems.slice(0, MOST_PROBLEMS).map((problem) => foreign(problem, LONGEST_PROBLEM));
  if (problems.length > shown.length) shown.push(html`… (${problems.length})`);
  return html`<ul class="problems">${shown.map((problem) => html`<li>${problem}</li>`)}</ul>`;
}

const MOST_PROBLEMS = 30;
const LONGEST_PROBLEM = 400;

/** After half a minute, and if nobody has named a broker, the band says it. */
function brokerNotice({ t, view }: Page): Html | null {
  const { connected, away_since } = view.broker;
  const isInBand = view.brokerIsUnknown || away_since !== undefined;
  return connected || isInBand ? null : notice(t.no_connection, t.no_connection_more);
}

/** It says by how much: the page is not made anew each minute, so a time on it would soon be over. */
function clockNotice({ t, view }: Page): Html | null {
  const { at, doubted_by } = view.factsInput.clock;
  if (doubted_by === undefined) return null;
  return notice(t.clock_doubted, t.clock_doubted_more(Math.round((doubted_by - at) / 60_000)));
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

function sourceNotice(source: SourceId, page: Page): Html | null {
  const { t, view, when } = page;
  const { status, last_error } = view.real.facts[source];
  const last = lastAnswer(source, page);
  // Before the first answer the band says that nothing is known; before the first since the start the state says it.
  if ((last === null && last_error === null) || isUnheard(source, page)) return null;
  const why = last === null ? "never" : status === "down" ? "down" : "degraded";
  return notice(t.no_answer[source][why], [
    last !== null && when(last, isSaved(source, page) ? t.data_since_or_later : t.data_since),
    last_error !== null && html` <span class="error" lang="en">${foreign(last_error)}</span>`,
  ]);
}

function diskNotice({ t, view }: Page): Html | null {
  if (view.unsaved === undefined) return null;
  return notice(t.unsaved, [
    t.unsaved_more,
    html` <span class="error" lang="en">${foreign(view.unsaved)}</span>`,
  ]);
}

function outputNotice({ t, view, language }: Page): Html | null {
  const failed = view.outputs.filter(({ hasFailed }) => hasFailed);
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
