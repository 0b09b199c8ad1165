import { addDays, civilDate, isoInstant, month, wallTime, weekday } from "../../core/calendar/dates.ts";
import { dayInWords, dayOfMonth, type Language } from "../../core/calendar/day-in-words.ts";
import { COLORS, type Color, type Instant, type IsoDate } from "../../core/calendar/tariff.ts";
import { allowedColors } from "../../core/calendar/tariff-laws.ts";
import { daysAt } from "../../core/facts/days-view.ts";
import type { DayFacts } from "../../core/facts/facts.ts";
import { percent } from "../../core/facts/format-value.ts";
import type { SourceId } from "../../core/facts/source-record.ts";
import type { Truth } from "../../core/rules/truth.ts";
import type { PageView } from "../page-view.ts";
import { type Html, html } from "./html.ts";
import { type SayTime, TEXTS, type Texts } from "./texts.ts";

/** What each part of the page is made from: the view, and how to say dates, times and prices in one language. */
export interface Page {
  view: PageView;
  language: Language;
  t: Texts;
  /** The civil date of the view. */
  today: IsoDate;
  /** What is known of a date in truth, without a colour that is pretended. */
  dayAt: (date: IsoDate) => DayFacts;
  /** `lundi 13 janvier`. */
  longDay: (date: IsoDate) => string;
  /** `lun. 13 janv.` */
  shortDay: (date: IsoDate) => string;
  /** `06:00`, with the day if it is not today; `say` puts both together in another way. */
  when: (at: Instant, say?: SayTime) => string;
  /** `at 06:00`, as an element that the script turns into "3 minutes ago"; not while its clock, which is vigie's, is wrong. */
  ago: (at: Instant) => Html;
  /** `0,1612`; null if it is not known. */
  rate: (value: number | null) => string | null;
  /** `0,1612 €`. */
  price: (value: number | null) => string | null;
  number: (value: number) => string;
  state: (state: Truth) => string;
}

export function openPage(view: PageView, language: Language): Page {
  const t = TEXTS[language];
  const zone = view.tariff.time_zone;
  const today = civilDate(view.facts.at, zone);
  const shortDay = (date: IsoDate) =>
    `${t.weekdays_short[weekday(date) - 1]} ${dayOfMonth(date, language)} ${t.months_short[month(date) - 1]}`;
  const nameDay = (date: IsoDate): string | null => {
    // While the clock is wrong no day is today or tomorrow.
    if (!view.facts.moment) return shortDay(date);
    if (date === today) return null;
    if (date === addDays(today, 1)) return t.tomorrow;
    const isNear = date > today && date < addDays(today, 7);
    const day = isNear ? (t.weekdays_short[weekday(date) - 1] ?? "") : shortDay(date);
    return date.slice(0, 4) === today.slice(0, 4) || isNear ? day : `${day} ${date.slice(0, 4)}`;
  };
  const when = (at: Instant, say: SayTime = sayPlainly) => {
    const [date = "", time = ""] = wallTime(at, zone).split("T");
    return say(time.slice(0, 5), nameDay(date));
  };
  const rate = (value: number | null) =>
    value === null ? null : value.toFixed(5).replace(/0$/, "").replace(".", t.decimal);
  const number = (value: number) => String(value).replace(".", t.decimal);
  return {
    view,
    language,
    t,
    today,
    dayAt: daysAt(view.factsInput.knownDays, view.facts.at, view.tariff).day,
    longDay: (date) => dayInWords(date, language),
    shortDay,
    when,
    ago: (at) =>
      html`<time datetime="${isoInstant(at)}"${view.facts.moment && html` data-ago`}>${when(at, t.at)}</time>`,
    rate,
    price: (value) => (value === null ? null : `${rate(value)}\u00a0€`),
    number,
    state: (state) => (state === null ? t.unknown_f : state ? t.on : t.off),
  };
}

function sayPlainly(time: string, day: string | null): string {
  return day === null ? time : `${day} ${time}`;
}

/** null: it has not answered, or there is none. */
export function lastAnswer(source: SourceId, { view }: Page): Instant | null {
  return view.factsInput[source]?.answered_at ?? null;
}

/** Whether the last answer of a source is known from the state file only: it may have answered later. */
export function isSaved(source: SourceId, { view }: Page): boolean {
  return view.sinceStart.unpolled.includes(source);
}

/** Whether nothing since the start shows how a source is. */
export function isUnheard(source: SourceId, page: Page): boolean {
  const { status, last_error } = page.view.facts[source];
  const isAsked = status !== "off" && status !== "simulated";
  return isAsked && isSaved(source, page) && last_error === null;
}

/** The class that gives a day its colour, and its hatching if nothing official is known of it. */
export function colorClass(color: Color | null, official: boolean): string {
  return color === null ? "none" : official ? color : `${color} maybe`;
}

/** How much of a line is filled. */
export function confidenceBar(confidence: number | null): Html {
  const share = percent(confidence) ?? 0;
  return html`<svg class="share" aria-hidden="true"><rect class="rail" width="100%" rx="3"/><rect class="fill" width="${share}%" rx="3"/></svg>`;
}

/** How far the colour of a day may be relied on. */
export function sayReliability({ stage, source, confidence }: DayFacts, { t }: Page): string {
  if (source === "simulation") return t.pretended;
  if (stage === null) return t.unknown_f;
  if (stage !== "forecast") return t.stage[stage];
  const share = percent(confidence);
  return share === null ? `${t.stage.forecast}, ${t.no_confidence}` : `${t.stage.forecast} ${share}\u00a0%`;
}

/** What an unknown day can only be; null if the tariff leaves it open. */
export function possible(date: IsoDate, say: Texts["only"], { t, view }: Page): string | null {
  const allowed = allowedColors(date, view.tariff.laws);
  return allowed.length < COLORS.length ? say(allowed.join(t.or)) : null;
}
