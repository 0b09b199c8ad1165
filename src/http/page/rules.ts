import { addDays, isoInstant, wallInstant, weekday } from "../../core/calendar/dates.ts";
import type { Instant } from "../../core/calendar/tariff.ts";
import { decidingConditions } from "../../core/rules/deciding-conditions.ts";
import type { Future, FutureSpan } from "../../core/rules/futures.ts";
import { type Rule, rulesInChain, simpleConditionsIn, topicsOfRules } from "../../core/rules/rule.ts";
import type { Truth } from "../../core/rules/truth.ts";
import type { Verdict } from "../../core/rules/verdict.ts";
import { conditionTree, decidingLine } from "./conditions.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import type { Page } from "./words.ts";

/** One row a rule: what it is, why, and what it will be. Unfolded: its conditions with what each found. */
export function rules(page: Page): Html {
  const { t, view } = page;
  const { verdicts, futures } = view;
  if (verdicts.length === 0) {
    const text = view.facts.moment ? t.no_rules : t.rules_unknown;
    return html`<section class="part"><h2>${t.rules}</h2><p class="note">${text}</p></section>`;
  }
  const axis = axisOf(page);
  const rows = verdicts.map((verdict, index) => {
    const future = futures[index];
    return future ? ruleRow(verdict, future, { page, axis, unfolds: index < MOST_TREES }) : null;
  });
  return html`<section class="part"><div class="head"><h2>${t.rules}</h2>${legend(page)}</div><div class="card rules">${axisRow(axis, page)}<ul>${rows}</ul></div>${
    verdicts.length > MOST_TREES && html`<p class="note">${t.no_trees}</p>`
  }${usesValues(page) && html`<p class="note below">${t.values_are}</p>`}</section>`;
}

function usesValues({ view }: Page): boolean {
  return topicsOfRules(view.rules).length > 0;
}

/** From today's midnight on, a day after the other: each midnight has the same place in every row. */
interface Axis {
  start: Instant;
  end: Instant;
  midnights: Instant[];
  /** Of every bar. */
  lines: Html;
  /** Per cent of the width. */
  place: (at: Instant) => number;
}

function axisOf({ today, view }: Page): Axis {
  const midnights = Array.from({ length: DAYS + 1 }, (_, day) =>
    wallInstant(addDays(today, day), "00:00", view.tariff.time_zone),
  );
  const [start = 0, end = 1] = [midnights[0], midnights.at(-1)];
  const place = (at: Instant) =>
    Math.round(Math.min(1, Math.max(0, (at - start) / (end - start))) * 1000) / 10;
  const inner = midnights.slice(1, -1);
  const lines = inner.map((at) => html`<line x1="${place(at)}%" x2="${place(at)}%" y2="100%"/>`);
  return { start, end, midnights: inner, lines: html`${lines}`, place };
}

function axisRow(axis: Axis, { t, today }: Page): Html {
  const names = [axis.start, ...axis.midnights].map(
    (at, day) =>
      html`<text x="${axis.place(at) + 50 / DAYS}%" y="12">${t.weekdays_short[weekday(addDays(today, day)) - 1] ?? ""}</text>`,
  );
  const lines = axis.midnights.map(
    (at) => html`<line x1="${axis.place(at)}%" x2="${axis.place(at)}%" y2="16"/>`,
  );
  return html`<div class="axis" aria-hidden="true"><svg data-from="${isoInstant(axis.start)}" data-to="${isoInstant(axis.end)}">${lines}${names}</svg></div>`;
}

interface RowOptions {
  page: Page;
  axis: Axis;
  unfolds: boolean;
}

function ruleRow(verdict: Verdict, future: Future, { page, axis, unfolds }: RowOptions): Html {
  const { t, language } = page;
  const { rule, state } = verdict;
  const name = state === null ? "unknown" : state ? "on" : "off";
  const pill = html`<span class="pill ${name}">${state === null ? html`<span aria-hidden="true">?</span><span class="sr">${t.unknown_f}</span>` : page.state(state)}</span>`;
  const row = html`<span class="who">${pill}<span><strong>${foreign(rule.name[language], 100)}</strong><span class="because">${because(verdict, page)}</span></span></span>${bar(future, axis)}<span class="turn">${nextTurn(verdict, future, page)}</span>`;
  if (!unfolds) return html`<li><div class="row">${row}</div></li>`;
  return html`<li><details id="rule-${rule.id}"><summary class="row">${row}</summary><div class="inside"><div>${notes(verdict, page).map((note) => html`<p class="note">${note}</p>`)}${conditionTree(verdict, page, MOST_BRANCHES)}</div><div><h3>${t.plan}</h3>${plan(verdict, future, page)}</div></div></details></li>`;
}

/** The first thing that decides; the others stand in the tree. */
function because(verdict: Verdict, page: Page): Part {
  const [note] = notes(verdict, page);
  if (note !== undefined) return note;
  const [first] = decidingConditions(verdict.hold?.held?.conditions ?? verdict.conditions);
  return first ? decidingLine(first, verdict, page) : null;
}

/** What decides beside the conditions. */
function notes(verdict: Verdict, { t, view, when }: Page): string[] {
  const { reason, rule, enabled_until, hold, decided_at } = verdict;
  const { at } = view.input;
  if (reason === "disabled") return [t.disabled(enabled_until === null ? null : when(enabled_until))];
  if (reason === "error") return [t.rule_failed];
  const found: string[] = [];
  if (reason === "when_unknown") found.push(t.counts_as(rule.when_unknown === "on" ? t.on : t.off));
  if (reason === "waiting") found.push(t.waiting);
  if (hold?.held && !hold.isOfValue) found.push(t.held(when(hold.until)));
  if (decided_at > at) found.push(t.lead(when(decided_at, t.at)));
  if (decided_at < at) found.push(t.lag(when(decided_at, t.at)));
  if (hold?.isOfValue) found.push(t.value_hold(when(hold.until)));
  return found;
}

function nextTurn(verdict: Verdict, future: Future, page: Page): string {
  const { t, when } = page;
  const { state } = verdict;
  const { spans } = future;
  const unsure = spans.find(({ sure }) => !sure);
  const unknownEnd = findUnknownEnd(future);
  const until = unknownEnd?.start ?? future.until;
  const span = spans.find((one) => one.state !== state && one !== unknownEnd);
  if (!span) {
    if (state === null) return t.unknown_f;
    if (!unsure) return t.no_turn(when(until));
    // What is certain says more than what is expected of a longer time.
    const isSureNow = unsure.start > page.view.input.at;
    return isSureNow
      ? t.no_turn(when(unsure.start))
      : `${t.unchanged(when(until))} ${certainty(unsure, verdict, future, page)}`;
  }
  // A change to what is not known yet is no "perhaps", and neither is one after which all is certain.
  const isSure =
    span.state === null || (span.sure && (state === null || !unsure || unsure.start > span.start));
  return nameTurn(state, span, isSure, page);
}

/** From its start on, days decide that nobody has named yet: what is known ends there, and the rule does not turn. */
function findUnknownEnd({ spans, values_from }: Future): FutureSpan | undefined {
  const last = spans.at(-1);
  return spans.length > 1 && last?.state === null && values_from === null ? last : undefined;
}

function nameTurn(before: Truth, { state, start }: FutureSpan, isSure: boolean, page: Page): string {
  const { t, when } = page;
  const turns = isSure ? t.turns : t.turns_perhaps;
  if (state === null || before === null) return turns.becomes(page.state(state), when(start));
  return state ? turns.starts(when(start, t.at)) : turns.stops(when(start, t.at));
}

function bar({ spans, until }: Future, axis: Axis): Html {
  const { place } = axis;
  const shown = spans.filter((span) => isTold(span) && span.end > axis.start && span.start < axis.end);
  const known = place(until);
  return html`<svg class="bar" aria-hidden="true" data-from="${isoInstant(axis.start)}" data-to="${isoInstant(axis.end)}"><rect class="rail" width="${known}%"/>${
    known < 100 && html`<rect class="beyond" x="${known}%" width="${100 - known}%"/>`
  }${shown.slice(0, MOST_SPANS).map((span) => spanRect(span, place))}${axis.lines}<line class="here" y2="100%"/></svg>`;
}

/** OFF for certain is what remains of the bar, and of the plan. */
function isTold({ state, sure }: FutureSpan): boolean {
  return state !== false || !sure;
}

function spanRect({ start, end, state, sure }: FutureSpan, place: Axis["place"]): Html {
  const kind = state === null ? "unknown" : sure ? "sure" : state ? "maybe" : "maybe-off";
  const [from, to] = [place(start), place(end)];
  const width = Math.max(0.4, Math.round((to - from) * 10) / 10);
  return html`<rect class="${kind}" x="${from}%" width="${width}%"/>`;
}

function legend(page: Page): Html {
  const { t, view } = page;
  const entry = (kind: string, words: string) =>
    html`<li><svg class="bar" aria-hidden="true"><rect class="rail" width="100%"/><rect class="${kind}" width="100%"/></svg>${words}</li>`;
  const forecast = usesValues(page) ? t.by_both : t.by_forecast;
  const doubt = view.factsInput.service === null ? t.not_certain : forecast;
  return html`<ul class="legend">${[
    entry("sure", t.legend_on),
    entry("maybe", `${t.on}, ${doubt}`),
    entry("off", t.legend_off),
    entry("maybe-off", `${t.off}, ${doubt}`),
    entry("unknown", t.unknown_f),
  ]}</ul>`;
}

/** The spans in which the rule is not OFF for certain, in words. */
function plan(verdict: Verdict, future: Future, page: Page): Html {
  const { t, when } = page;
  const { spans } = future;
  const shown = spans.filter(isTold);
  if (shown.length === 0) return html`<p class="note">${t.no_span}</p>`;
  return html`<ul class="plan">${shown
    .slice(0, MOST_PLANNED)
    .map(
      (span) =>
        html`<li>${page.state(span.state)} ${when(span.start)} → ${when(span.end)}${span.state !== null && html` <span>${certainty(span, verdict, future, page)}</span>`}</li>`,
    )}${shown.length > MOST_PLANNED && html`<li>${t.more(shown.length - MOST_PLANNED)}</li>`}</ul>`;
}

/** What a state that lies ahead depends on. */
function certainty(
  { state, sure, start, by_laws }: FutureSpan,
  { rule }: Verdict,
  { values_from }: Future,
  { t, view }: Page,
): string {
  if (state === null) return "";
  if (sure) return by_laws ? `${t.certain}, ${t.by_laws}` : t.certain;
  const doubt = view.factsInput.service === null ? t.not_certain : t.by_forecast;
  // The first span began in the past.
  if (values_from === null || values_from > Math.max(start, view.input.at)) return doubt;
  return usesForecasts(rule, view.rules) ? t.by_both : t.by_values;
}

/** The rule itself, or one that it refers to. */
function usesForecasts({ id }: Rule, all: readonly Rule[]): boolean {
  const chain = rulesInChain([id], new Map(all.map((one) => [one.id, one])));
  return chain.some(({ when }) => simpleConditionsIn(when).some(({ kind }) => !NO_FORECAST.has(kind)));
}

/** The kinds of conditions that no forecast changes: what a rule refers to is looked at by itself. */
const NO_FORECAST: ReadonlySet<string> = new Set(["mqtt", "period", "between", "weekday", "month", "rule"]);

/** The eight civil days of the week above. */
const DAYS = 8;
const MOST_TREES = 40;
const MOST_BRANCHES = 40;
const MOST_SPANS = 100;
const MOST_PLANNED = 8;
