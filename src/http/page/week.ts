import { addDays } from "../../core/calendar/dates.ts";
import { weekdayInWords } from "../../core/calendar/day-in-words.ts";
import type { IsoDate } from "../../core/calendar/tariff.ts";
import type { DayFacts, MomentFacts } from "../../core/facts/facts.ts";
import { percent } from "../../core/facts/format-value.ts";
import { foreign, type Html, html } from "./html.ts";
import { colorClass, confidenceBar, type Page, possible, sayReliability } from "./words.ts";

/** Today and the seven days after it, and before them the one in force: colour, how far it may be relied on, and prices. */
export function week(page: Page): Html {
  const { t, view } = page;
  const { moment, dated } = view.facts;
  const days = moment ? daysFrom(moment) : dated.forecast.days;
  if (days.length === 0) return html``;
  const oldPrices = dated.prices.old_row;
  const explained = days.filter(
    ({ explanation, color, official }) => explanation !== null && color !== null && !official,
  );
  return html`<section class="part"><div class="head"><h2>${t.week}</h2><p class="note">${t.price_unit}</p></div><ol class="${days.length > 8 ? "week nine" : "week"}">${days.map((day) => dayCard(day, page))}</ol>${view.factsInput.service === null && html`<p class="note below">${t.no_forecasts}</p>`}${oldPrices !== null && html`<p class="note below">${t.old_prices(`${page.longDay(oldPrices)} ${oldPrices.slice(0, 4)}`)}</p>`}${
    explained.length > 0 &&
    html`<details class="fold" id="why"><summary>${t.why_forecast}</summary><dl class="why">${explained.map(
      ({ date, explanation }) => html`<dt>${page.shortDay(date)}</dt><dd>${foreign(explanation ?? "")}</dd>`,
    )}</dl></details>`
  }</section>`;
}

/** Between midnight and 06:00 the day in force has yesterday's date. */
function daysFrom({ now, days }: MomentFacts): readonly DayFacts[] {
  const all = Object.values(days);
  return now.date === days.today.date ? all : [now, ...all];
}

function dayCard(day: DayFacts, page: Page): Html {
  const { t } = page;
  const { date, color, official, stage, confidence, rates } = day;
  const share = stage === "forecast" ? percent(confidence) : null;
  // Of a day without a colour they are known by the laws of the tariff.
  const arePricesKnown = color !== null || rates.hp !== null || rates.hc !== null;
  const price = (value: number | null) => page.rate(value) ?? "—";
  return html`<li class="day"><p class="chip ${colorClass(color, official)}">${color ?? "?"}</p><div class="what"><p class="name">${dayName(date, page)}</p><p class="date">${page.shortDay(date).replace(/^\S+ /, "")}</p></div><div class="how"><p>${stage === "forecast" ? t.stage.forecast : sayReliability(day, page)}</p>${
    color === null
      ? html`<p class="only">${possible(date, t.only, page)}</p>`
      : html`<p class="sure">${confidenceBar(official ? 1 : confidence)}${share !== null && `${share}\u00a0%`}</p>`
  }</div>${
    arePricesKnown &&
    html`<dl class="rates"><div><dt>${t.peak_short}</dt><dd>${price(rates.hp)}</dd></div><div><dt>${t.off_peak_short}</dt><dd>${price(rates.hc)}</dd></div></dl>`
  }</li>`;
}

/** While the clock is wrong nothing is "today". */
function dayName(date: IsoDate, { t, today, view, language }: Page): string {
  if (view.facts.moment && date < today) return t.in_force;
  if (view.facts.moment && date === today) return t.today;
  if (view.facts.moment && date === addDays(today, 1)) return t.tomorrow;
  return weekdayInWords(date, language);
}
