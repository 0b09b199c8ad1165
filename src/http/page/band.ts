import { isoInstant, wallTime } from "../../core/calendar/dates.ts";
import { periodSpans } from "../../core/calendar/period.ts";
import type { IsoDate } from "../../core/calendar/tariff.ts";
import { endOfCorrections } from "../../core/days/official-words.ts";
import type { DayFacts, MomentFacts, Simulation } from "../../core/facts/facts.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import { colorClass, confidenceBar, type Page, possible, sayReliability } from "./words.ts";

/** The colour in force and the next one, readable from far; invented or pretended days are named in the same band. */
export function band(page: Page): Html {
  const { moment } = page.view.facts;
  if (!moment) return momentUnknown(page);
  return html`<header class="band">${banners(page)}<div class="panels">${nowPanel(moment, page)}${nextPanel(moment, page)}</div></header>`;
}

function momentUnknown(page: Page): Html {
  const { t, view } = page;
  const at = wallTime(view.facts.at, view.tariff.time_zone);
  const [why, more] = view.factsInput.clock.right
    ? [t.vigie_failed, t.vigie_failed_more]
    : [t.clock_wrong, t.clock_wrong_more(page.longDay(at.slice(0, 10)), at.slice(11, 16))];
  return html`<header class="band">${banners(page)}<div class="panels"><section class="panel now none"><p class="over">${t.now}</p><h1 class="color">?</h1><p class="until">${why}</p><p class="reason">${more}</p></section></div></header>`;
}

function banners(page: Page): Html[] {
  const { t, view } = page;
  const { simulation } = view.facts;
  const banner = (title: string, more: string) =>
    html`<p class="banner"><strong>${title}</strong> ${more}</p>`;
  const bad = (title: string, more: Part) =>
    html`<p class="banner bad"><strong>${title}</strong> ${more}</p>`;
  const found: Html[] = [];
  const { url, away_since } = view.broker;
  if (view.brokerIsUnknown) found.push(bad(t.no_broker, t.no_broker_more));
  else if (away_since !== undefined)
    found.push(bad(t.broker_away, html`${t.broker_away_since(page.when(away_since))} ${foreign(url, 80)}.`));
  if (view.demoSpeed !== undefined) found.push(banner(t.demo, t.demo_more(view.demoSpeed)));
  if (view.factsInput.isInvented) found.push(banner(t.invented, t.invented_more));
  if (simulation) found.push(banner(t.simulation(page.when(simulation.until)), pretends(simulation, page)));
  return found;
}

/** What the simulation changes on this page. */
function pretends({ color, date }: Simulation, { t, dayAt, longDay }: Page): string {
  const real = dayAt(date);
  if (real.official && real.color === "rouge") return t.is(longDay(date), t.simulation_of_rouge);
  return t.is(longDay(date), t.simulation_more(color, real.color ?? t.unknown_f));
}

function nowPanel({ now }: MomentFacts, page: Page): Html {
  const { t, view } = page;
  const pretendedUntil =
    now.source === "simulation" ? (view.facts.simulation?.until ?? now.color_until) : now.color_until;
  const until = Math.min(now.color_until, pretendedUntil);
  return html`<section class="panel now ${colorClass(now.color, now.official)}"><p class="over">${t.now} · ${page.longDay(now.date)}</p>
<h1 class="color"><span class="sr">${t.is(t.now, "")}</span>${now.color ?? t.unknown_f}</h1>
<p class="until">${t.until(page.when(until))}${now.color && ` · ${sayReliability(now, page)}`}</p>
${now.color === null && reason(now.date, whyNotNow(page), page)}
${prices(now, page)}${dayStrip(now.date, page)}<time class="clock" data-zone="${view.tariff.time_zone}"></time></section>`;
}

/** The price in force, and the next one. */
function prices(now: MomentFacts["now"], page: Page): Html {
  const { t } = page;
  const other = now.period === "hp" ? "hc" : "hp";
  const names = { hp: t.peak, hc: t.off_peak };
  const until = now.period_until === null ? null : Math.min(now.period_until, now.color_until);
  // At the end of the tariff day the next price is that of another day.
  const isSameDay = now.period_until !== null && now.period_until < now.color_until;
  const next = isSameDay ? now.rates[other] : null;
  return html`<p class="price">${now.rate === null ? html`<span>${t.no_price}</span>` : html`<b>${page.price(now.rate)}</b><span>/kWh</span>`} <span class="period">${names[now.period]}${until !== null && ` ${t.until(page.when(until))}`}</span>${next !== null && html`<span class="then">${t.and_then(page.price(next) ?? "", `· ${names[other]}`)}</span>`}${now.rate !== null && truePrice(now, page)}</p>`;
}

/** A simulation changes no price. */
function truePrice({ date, source }: DayFacts, { t, dayAt }: Page): Html | false {
  return source === "simulation" && html`<span class="then">${t.true_price(dayAt(date).color)}</span>`;
}

/** Peak hours high and off-peak hours low, from the start of the tariff day to its end. The script shows where we are. */
function dayStrip(date: IsoDate, page: Page): Html {
  const { t, view } = page;
  const spans = periodSpans(date, view.tariff);
  const [start, end] = [spans[0]?.start ?? 0, spans.at(-1)?.end ?? 1];
  const place = (at: number) => Math.round(((at - start) / (end - start)) * 1000) / 10;
  const clock = (at: number) => wallTime(at, view.tariff.time_zone).slice(11, 16);
  const label = spans.map(
    (span) => `${span.period === "hp" ? t.peak : t.off_peak} ${clock(span.start)}–${clock(span.end)}`,
  );
  const times = placeTimes(spans.map((span) => place(span.start)));
  const isHigh = times.some(({ y }) => y > FIRST_LINE);
  return html`<svg class="${isHigh ? "strip high" : "strip"}" role="img" aria-label="${t.is(t.day_strip, label.join(", "))}" data-from="${isoInstant(start)}" data-to="${isoInstant(end)}">${spans.map(
    (span) =>
      html`<rect class="${span.period}" x="${place(span.start)}%" width="${place(span.end) - place(span.start)}%" y="${span.period === "hp" ? 6 : 16}" height="${span.period === "hp" ? 18 : 8}"/>`,
  )}${times.map(
    ({ index, x, y, isEnd }) =>
      html`<text${isEnd && html` class="end"`} x="${x}%" y="${y}">${clock(spans[index]?.start ?? start)}</text>`,
  )}<text class="end" x="100%" y="${FIRST_LINE}">${clock(end)}</text><line class="here" x1="0" x2="0" y1="0" y2="28"/></svg>`;
}

/** A time below the strip. */
interface TimePlace {
  /** Of its span. */
  index: number;
  /** In percent. */
  x: number;
  y: number;
  /** It stands before this place. */
  isEnd: boolean;
}

/** One that would touch another time stands in a second line, and is left out if it has no room there, either. */
function placeTimes(places: readonly number[]): TimePlace[] {
  // At the end of the first line stands the end of the day.
  const lines = [
    { y: FIRST_LINE, free: 0, end: 100 - ROOM },
    { y: SECOND_LINE, free: 0, end: 100 },
  ];
  return places.flatMap((x, index) => {
    const isEnd = x > 100 - ROOM;
    const [from, to] = isEnd ? [x - ROOM, x] : [x, x + ROOM];
    const line = lines.find(({ free, end }) => from >= free && to <= end);
    if (!line) return [];
    line.free = to;
    return [{ index, x, y: line.y, isEnd }];
  });
}

const FIRST_LINE = 40;
const SECOND_LINE = 55;
/** What a time takes of the strip of a narrow telephone, in percent. */
const ROOM = 12;

function nextPanel({ next }: MomentFacts, page: Page): Html {
  const { t, price } = page;
  const isForecast = next.stage === "forecast";
  const { hp, hc } = next.rates;
  return html`<section class="panel next ${colorClass(next.color, next.official)}"><p class="over">${t.next} · ${page.longDay(next.date)}</p>
<h2 class="color"><span class="sr">${t.is(t.next, "")}</span>${next.color ?? t.unknown_f}</h2>
<p class="until">${t.from(page.when(next.at))}${next.color && ` · ${sayReliability(next, page)}`}</p>
${isForecast && confidenceBar(next.confidence)}
${next.color === null && reason(next.date, whyNotNext(next.date, page), page)}
${(hp !== null || hc !== null) && html`<p class="pair"><span>${t.peak} <b>${price(hp) ?? "—"}</b></span> <span>${t.off_peak} <b>${price(hc) ?? "—"}</b></span>${truePrice(next, page)}</p>`}
${isForecast && next.explanation !== null && html`<p class="reason">${foreign(next.explanation, 140)}</p>`}</section>`;
}

function whyNotNow({ t, view }: Page): string {
  const { service, official } = view.factsInput;
  return (service?.answered_at ?? official?.answered_at ?? null) === null ? t.nothing_known : t.not_learnt;
}

function whyNotNext(date: IsoDate, { t, view }: Page): string {
  const { laws } = view.tariff;
  const isAwaited = laws === "tempo" && view.facts.at < endOfCorrections(date, view.tariff);
  return isAwaited ? t.awaited : t.not_known_yet;
}

/** Why a colour is not known, and what it can only be. */
function reason(date: IsoDate, why: string, page: Page): Html {
  const only = possible(date, page.t.only_by_laws, page);
  const sentence = only === null ? null : `${only[0]?.toUpperCase()}${only.slice(1)}. `;
  return html`<p class="reason">${sentence}${why}</p>`;
}
