import type { Instant } from "../../core/calendar/tariff.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import type { Page } from "./words.ts";

/** How vigie itself does: whom it hears, and when this was so. */
export function state(page: Page): Html {
  const { t, view } = page;
  const { service, official } = view.facts;
  const { broker, homeAssistant, known, lastSuccess } = view;
  const serviceMark = { ok: "ok", degraded: "warn", down: "bad", simulated: "warn", off: "quiet" } as const;
  const officialMark = { ok: "ok", degraded: "warn", down: "bad", off: "quiet" } as const;
  const heard = (at: Instant | null) =>
    at === null ? null : html`, ${t.last_success} ${page.time(at, "ago")}`;
  return html`<section class="part state"><h2>${t.state}</h2><dl>${[
    entry(t.service, serviceMark[service.status], [
      isUnanswered(service.status, lastSuccess.service) ? t.no_answer_yet : t.service_status[service.status],
      heard(lastSuccess.service),
    ]),
    entry(t.official_source, officialMark[official.status], [sayOfficial(page), heard(lastSuccess.official)]),
    entry(t.broker, broker.connected ? "ok" : "bad", [
      broker.connected ? t.connected : t.disconnected,
      html` · ${foreign(broker.url, 80)}`,
    ]),
    entry(
      t.home_assistant,
      homeAssistant === "online" ? "ok" : homeAssistant === "offline" ? "warn" : "quiet",
      homeAssistant === null ? t.not_heard : t[homeAssistant],
    ),
    entry(t.clock, known.clock.right ? "ok" : "bad", known.clock.right ? t.clock_right : t.clock_is_wrong),
    entry(t.version, "quiet", [foreign(view.version, 40), ` · ${t.instance} `, foreign(view.instance, 60)]),
  ]}</dl><p class="note">${t.as_of} ${page.longDay(page.today)} ${page.time(view.facts.at)}</p></section>`;
}

function sayOfficial({ t, view }: Page): string {
  const { status } = view.facts.official;
  const { light, season } = view.known.official ?? {};
  if (isUnanswered(status, view.lastSuccess.official)) return t.no_answer_yet;
  return status === "degraded" && season && !light ? t.season_unanswered : t.official_status[status];
}

/** It never answered, so it does not fail to answer "any more". */
function isUnanswered(status: string, last: Instant | null): boolean {
  return last === null && ["degraded", "down"].includes(status);
}

const SIGNS = { ok: "●", warn: "▲", bad: "■", quiet: "○" };

function entry(name: string, mark: keyof typeof SIGNS, words: Part): Html {
  return html`<div><dt><span class="dot ${mark}" aria-hidden="true">${SIGNS[mark]}</span>${name}</dt><dd>${words}</dd></div>`;
}
