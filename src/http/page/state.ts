import { wallTime } from "../../core/calendar/dates.ts";
import type { SourceId } from "../../core/facts/source-record.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import { isSaved, isUnheard, lastAnswer, type Page } from "./words.ts";

/** How vigie itself does: whom it hears, and when this was so. */
export function state(page: Page): Html {
  const { t, view } = page;
  const { broker } = view;
  // What it said before the connection was lost may be over.
  const homeAssistant = broker.connected ? view.homeAssistant : undefined;
  const at = wallTime(view.facts.at, view.tariff.time_zone).slice(11, 16);
  return html`<section class="part state" id="state"><h2>${t.state}</h2><dl>${[
    source("service", t.service, page),
    source("official", t.official_source, page),
    entry(t.broker, broker.connected ? "ok" : "bad", [
      broker.connected ? t.connected : t.disconnected,
      html` · ${foreign(broker.url, 80)}`,
    ]),
    entry(
      t.home_assistant,
      homeAssistant === "online" ? "ok" : homeAssistant === "offline" ? "warn" : "quiet",
      homeAssistant === undefined ? t.unknown : homeAssistant === null ? t.not_heard : t[homeAssistant],
    ),
    clock(page),
    entry(t.version, "quiet", [foreign(view.version, 40), ` · ${t.instance} `, foreign(view.instance, 60)]),
  ]}</dl><p class="note">${t.as_of(page.longDay(page.today), at)}</p></section>`;
}

function clock({ t, view }: Page): Html {
  const { right, doubted_by } = view.factsInput.clock;
  if (!right) return entry(t.clock, "bad", t.clock_is_wrong);
  const isDoubted = doubted_by !== undefined;
  return entry(t.clock, isDoubted ? "warn" : "ok", isDoubted ? t.clock_is_doubted : t.clock_right);
}

function source(name: SourceId, title: string, page: Page): Html {
  const { t, ago, when } = page;
  const status = statusOf(name, page);
  const last = lastAnswer(name, page);
  const instant = last !== null && (isSaved(name, page) ? t.or_later(when(last, t.at)) : ago(last));
  const heard = last !== null && html`, ${t.last_success} ${instant}`;
  return entry(title, isUnheard(name, page) ? "quiet" : MARKS[status], [sayAnswers(name, page), heard]);
}

/** A simulator invents what either says. */
function statusOf(name: SourceId, { view }: Page): keyof typeof MARKS {
  const { status } = view.facts[name];
  return status === "ok" && view.factsInput.isInvented ? "simulated" : status;
}

function sayAnswers(name: SourceId, page: Page): string {
  const { t, view } = page;
  const status = statusOf(name, page);
  if (isUnheard(name, page)) return t.answers.not_since_start;
  if (status === "off") return t.no_source[name];
  if (status === "ok" || status === "simulated") return t.answers[status];
  if (lastAnswer(name, page) === null) return t.answers.never;
  if (status === "down") return t.answers.down;
  const { last_error } = view.facts[name];
  if (last_error === null) return t.answers.old;
  const isPartly = name === "official" && !view.factsInput.official?.failing;
  return isPartly ? t.answers.partly : t.answers.failed;
}

const MARKS = { ok: "ok", degraded: "warn", down: "bad", simulated: "warn", off: "quiet" } as const;
const SIGNS = { ok: "●", warn: "▲", bad: "■", quiet: "○" };

function entry(name: string, mark: keyof typeof SIGNS, words: Part): Html {
  return html`<div><dt><span class="dot ${mark}" aria-hidden="true">${SIGNS[mark]}</span>${name}</dt><dd>${words}</dd></div>`;
}
