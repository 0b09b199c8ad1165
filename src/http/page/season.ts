import { addDays, datesBetween, tariffDate, weekday } from "../../core/calendar/dates.ts";
import { COLORS, type Color, type IsoDate } from "../../core/calendar/tariff.ts";
import { type Season, seasonOf } from "../../core/calendar/tariff-season.ts";
import { officialColor } from "../../core/days/official-color.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./words.ts";

/** The colours of the season so far, what is left of them, and the rouge days beside those of the seasons before. */
export function season(page: Page): Html {
  const { t, view } = page;
  const now = tariffDate(view.facts.at, view.tariff);
  const inForce = seasonOf(now);
  return html`<section class="part"><h2>${t.season(inForce.label.replace("-", "–"))}</h2><div class="card season">${calendar(inForce, page)}${dayLegend(page)}<div class="sums">${counts(page)}${rougeDays(now, page)}</div></div></section>`;
}

function officialOn(date: IsoDate, { view }: Page): Color | undefined {
  return officialColor(view.known.knownDays.days[date])?.color;
}

/** Two halves: beside each other where there is room, else one below the other. */
function calendar({ start, end }: Season, page: Page): Html {
  const march = `${end.slice(0, 4)}-03-01`;
  return html`<div class="calendar">${half(start, addDays(march, -1), page)}${half(march, end, page)}</div>`;
}

/** One square a day, a column a week. All days that look alike are one path: a page of squares would be four times as long. */
function half(from: IsoDate, to: IsoDate, page: Page): Html {
  const { t, today } = page;
  const forecasts = new Map(page.view.facts.dated.forecast.days.map((day) => [day.date, day.color]));
  const dates = datesBetween(from, to);
  // Counted from the Monday of the first week.
  const first = weekday(from) - 1;
  const columnOf = (index: number) => Math.floor((first + index) / 7);
  const x = (index: number) => LEFT + columnOf(index) * STEP + STEP / 2;
  const y = (index: number) => TOP + ((first + index) % 7) * STEP + STEP / 2;
  const paths = new Map<string, string>();
  const counted = { bleu: 0, blanc: 0, rouge: 0 };
  for (const [index, date] of dates.entries()) {
    const color = officialOn(date, page);
    if (color) counted[color] += 1;
    const expected = forecasts.get(date);
    const kind = color ?? (expected ? `${expected} maybe` : date < today ? "lost" : "ahead");
    paths.set(kind, `${paths.get(kind) ?? ""}M${x(index)} ${y(index)}h0`);
  }
  const here = dates.indexOf(today);
  const months = dates.flatMap((date, index) =>
    date.endsWith("-01")
      ? html`<text x="${LEFT + columnOf(index) * STEP + 2}" y="10">${t.months_short[Number(date.slice(5, 7)) - 1] ?? ""}</text>`
      : [],
  );
  // Of the longest half, so that both have one scale.
  const width = LEFT + 27 * STEP;
  return html`<svg class="half" viewBox="0 0 ${width} ${TOP + 7 * STEP}" role="img" aria-label="${t.season_chart}, ${page.longDay(from)} – ${page.longDay(to)} : ${COLORS.map((color) => t.used(color, counted[color])).join(", ")}">${months}${[0, 2, 4].map((row) => html`<text x="0" y="${TOP + row * STEP + 11}">${t.weekdays_short[row] ?? ""}</text>`)}${[
    ...paths,
  ].map(([kind, path]) => squares(kind, path))}${
    here >= 0 &&
    html`<rect class="today" x="${x(here) - 7.5}" y="${y(here) - 7.5}" width="15" height="15" rx="4"/>`
  }</svg>`;
}

/** A filled square for rouge, an outline for blanc, a dot for bleu: the form says it where colours do not. */
function squares(kind: string, path: string): Html {
  const inner = kind.startsWith("blanc") && html`<path class="in ${kind}" d="${path}"/>`;
  return html`<path class="d ${kind}" d="${path}"/>${inner}`;
}

function dayLegend({ t }: Page): Html {
  const kinds: [string, string][] = [
    ["rouge", "rouge"],
    ["blanc", "blanc"],
    ["bleu", "bleu"],
    ["rouge maybe", t.forecast_day],
    ["lost", t.day_unknown],
  ];
  return html`<ul class="legend">${kinds.map(
    ([kind, words]) =>
      html`<li><svg class="key" viewBox="0 0 16 16" aria-hidden="true">${squares(kind, "M8 8h0")}</svg>${words}</li>`,
  )}</ul>`;
}

/** How many days of each colour are left, by vigie's own count or else the service's. */
function counts(page: Page): Html {
  const { t, view } = page;
  const { season: said, used, left, assumed } = view.facts.dated;
  const remaining = left ?? said?.remaining;
  const list = COLORS.toReversed().map((color) => {
    if (remaining && (left || said)) {
      const total = said?.total[color] ?? remaining[color] + (used?.[color] ?? 0);
      return countRow(
        color,
        remaining[color],
        t.left_of(remaining[color], color, total),
        1 - remaining[color] / total,
      );
    }
    return used && countRow(color, used[color], t.used_days(used[color], color), null);
  });
  const remark =
    left === null ? (remaining ? t.by_service : used ? null : t.count_unknown) : assumed ? t.assumed : null;
  return html`<div class="counts">${list}${remark !== null && html`<p class="note">${remark}</p>`}${dates(page)}</div>`;
}

function countRow(color: Color, days: number, words: string, gone: number | null): Html {
  const bar =
    gone !== null &&
    html`<svg class="share" aria-hidden="true"><rect class="rail" width="100%" height="100%" rx="4"/><rect class="fill" width="${Math.round(gone * 100)}%" height="100%" rx="4"/></svg>`;
  return html`<div class="count ${color}"><p><b>${days}</b> ${words}</p>${bar}</div>`;
}

/** For those who cannot see the squares, or want to look a date up. */
function dates(page: Page): Html {
  const { t, view } = page;
  const now = tariffDate(view.facts.at, view.tariff);
  const { start, end } = seasonOf(now);
  const all = datesBetween(start, end);
  const lists = (["rouge", "blanc"] as const).map((color) => {
    const found = all.filter((date) => officialOn(date, page) === color);
    const none = view.facts.dated.used === null ? t.not_known : t.none;
    return html`<dt>${color}</dt><dd>${found.length === 0 ? none : found.map(page.shortDay).join(", ")}</dd>`;
  });
  return html`<details class="fold" id="dates"><summary>${t.dates}</summary><dl class="why">${lists}</dl></details>`;
}

/** How fast the rouge days of this season go: one line a season, from November to March. */
function rougeDays(now: IsoDate, page: Page): Html {
  const { t, view } = page;
  let first = now;
  for (const date in view.known.knownDays.days) if (date < first) first = date;
  const seasons: Season[] = [];
  for (let one = seasonOf(now); one.end >= first && seasons.length < SEASONS_SHOWN; one = before(one)) {
    seasons.push(one);
  }
  const lines = seasons.map((one) => rougeLine(one, now, page)).filter((line) => line !== null);
  const months = view.tariff.laws === "tempo" ? WINTER : YEAR;
  const names = months.map(
    (month, index) =>
      html`<text x="${((index + 0.5) / months.length) * 100}%" y="10">${t.months_short[month - 1] ?? ""}</text>`,
  );
  return html`<div class="pace"><h3>${t.rouge_days}</h3><svg class="months" aria-hidden="true">${names}</svg><ul>${lines}</ul>${
    lines.length === 1 && html`<p class="note">${t.no_history}</p>`
  }</div>`;
}

/** null for a season before of which no day is known. */
function rougeLine(one: Season, now: IsoDate, page: Page): Html | null {
  const { t, view } = page;
  const isWinterOnly = view.tariff.laws === "tempo";
  const from = isWinterOnly ? `${one.start.slice(0, 4)}-11-01` : one.start;
  const to = isWinterOnly ? addDays(`${one.end.slice(0, 4)}-04-01`, -1) : one.end;
  const isThis = seasonOf(now).label === one.label;
  const days = datesBetween(from, to);
  const x = (index: number) => Math.round((index / days.length) * 1000) / 10;
  const width = x(1);
  const colors = days.map((date) => officialOn(date, page));
  const known = days.filter((_, index) => colors[index] !== undefined);
  if (!isThis && known.length === 0) return null;
  const rouges = days.filter((_, index) => colors[index] === "rouge");
  const marks = days.map((date, index) => {
    if (colors[index] === "rouge")
      return html`<rect class="rouge" x="${x(index)}%" width="${width}%" height="100%"/>`;
    const isLost = colors[index] === undefined && date <= now;
    return isLost && html`<rect class="unknown" x="${x(index)}%" width="${width}%" height="100%"/>`;
  });
  const sameDate = `${Number(now.slice(0, 4)) - (Number(seasonOf(now).start.slice(0, 4)) - Number(one.start.slice(0, 4)))}${now.slice(4)}`;
  const here = days.findIndex((date) => date >= sameDate);
  const hasGap = days.some((date, index) => colors[index] === undefined && date <= (isThis ? now : to));
  const soFar = rouges.filter((date) => date <= sameDate).length;
  const words = hasGap
    ? known.length === 0
      ? t.not_known
      : t.rouge_part(rouges.length)
    : isThis
      ? t.rouge_so_far(soFar)
      : t.rouge_then(soFar, rouges.length);
  return html`<li class="${isThis ? "this" : "before"}"><span class="label">${one.label.replace("-", "–")}</span><svg class="ticks" aria-hidden="true"><rect class="rail" width="100%" height="100%"/>${marks}${
    here > 0 && html`<line x1="${x(here)}%" x2="${x(here)}%" y2="100%"/>`
  }</svg><span class="words">${words}</span></li>`;
}

function before({ start }: Season): Season {
  return seasonOf(addDays(start, -1));
}

const LEFT = 30;
const TOP = 16;
const STEP = 14;
const SEASONS_SHOWN = 3;
const WINTER = [11, 12, 1, 2, 3];
const YEAR = [9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8];
