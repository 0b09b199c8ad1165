import { addDays, civilDate, datesBetween, month, tariffDate, weekday } from "../../core/calendar/dates.ts";
import { COLORS, type Color, type IsoDate } from "../../core/calendar/tariff.ts";
import { type Season, seasonOf } from "../../core/calendar/tariff-season.ts";
import { officialColor } from "../../core/days/official-color.ts";
import { countRougeDays, type RougeDays } from "../../core/facts/rouge-days.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./words.ts";

/** The colours of the season so far, what is left of them, and the rouge days beside those of the seasons before. */
export function season(page: Page): Html {
  const { t, view } = page;
  const now = tariffDate(view.facts.at, view.tariff);
  const inForce = seasonOf(now);
  const colors = officialColors(page, now);
  return html`<section class="part"><h2>${t.season(inForce.label.replace("-", "–"))}</h2><div class="card season">${calendar(inForce, colors, page)}${dayLegend(page)}<div class="sums"><div class="counts">${counts(page)}${dates(inForce, colors, page)}</div>${rougeDays(now, colors, page)}</div></div></section>`;
}

/** Of all days that have one. */
function officialColors({ view }: Page, now: IsoDate): OfficialColors {
  const colors = new Map<IsoDate, Color>();
  for (const date in view.factsInput.knownDays.days) {
    const color = officialColor(view.factsInput.knownDays.days[date], date < now)?.color;
    if (color) colors.set(date, color);
  }
  return colors;
}

/** Two halves: beside each other where there is room, else one below the other. */
function calendar({ start, end }: Season, colors: OfficialColors, page: Page): Html {
  const march = `${end.slice(0, 4)}-03-01`;
  return html`<div class="calendar">${half([start, addDays(march, -1)], colors, page)}${half([march, end], colors, page)}</div>`;
}

/** One square a day, a column a week. All days that look alike are one path: a page of squares would be four times as long. */
function half([from, to]: [IsoDate, IsoDate], colors: OfficialColors, page: Page): Html {
  const { t } = page;
  const today = knownToday(page);
  const dates = datesBetween(from, to);
  // Counted from the Monday of the first week.
  const first = weekday(from) - 1;
  const columnOf = (index: number) => Math.floor((first + index) / 7);
  const x = (index: number) => LEFT + columnOf(index) * STEP + STEP / 2;
  const y = (index: number) => TOP + ((first + index) % 7) * STEP + STEP / 2;
  const paths = new Map<string, string>();
  const counted = { bleu: 0, blanc: 0, rouge: 0 };
  for (const [index, date] of dates.entries()) {
    const color = colors.get(date);
    if (color) counted[color] += 1;
    const kind = color ?? kindWithoutColor(date, page);
    paths.set(kind, `${paths.get(kind) ?? ""}M${x(index)} ${y(index)}h0`);
  }
  const here = today === null ? -1 : dates.indexOf(today);
  const months = dates.flatMap((date, index) =>
    date.endsWith("-01")
      ? html`<text x="${LEFT + columnOf(index) * STEP + 2}" y="10">${t.months_short[month(date) - 1] ?? ""}</text>`
      : [],
  );
  // Of the longest half, so that both have one scale.
  const width = LEFT + 27 * STEP;
  return html`<svg class="half" viewBox="0 0 ${width} ${TOP + 7 * STEP + 2}" role="img" aria-label="${t.is(`${t.season_chart}, ${page.longDay(from)} – ${page.longDay(to)}`, COLORS.map((color) => t.used(color, counted[color])).join(", "))}">${months}${[0, 2, 4].map((row) => html`<text x="0" y="${TOP + row * STEP + 11}">${t.weekdays_short[row] ?? ""}</text>`)}${[
    ...paths,
  ].map(([kind, path]) => squares(kind, path))}${
    here >= 0 &&
    html`<rect class="today" x="${x(here) - 7.5}" y="${y(here) - 7.5}" width="15" height="15" rx="4"/>`
  }</svg>`;
}

/** While the clock is wrong no day is today. */
function knownToday({ today, view }: Page): IsoDate | null {
  return view.facts.moment && today;
}

function kindWithoutColor(date: IsoDate, page: Page): string {
  const { view, dayAt } = page;
  const isOver = date < tariffDate(view.facts.at, view.tariff);
  const expected = isOver ? null : dayAt(date).color;
  if (expected) return `${expected} maybe`;
  return date <= (knownToday(page) ?? "") ? "lost" : "ahead";
}

/** A filled square for rouge, an outline for blanc, a dot for bleu, a dash for unknown: the form says it where colours do not. */
function squares(kind: string, path: string): Html {
  const inner = kind.startsWith("blanc") && html`<path class="in ${kind}" d="${path}"/>`;
  return html`<path class="d ${kind}" d="${path}"/>${inner}`;
}

function dayLegend({ t }: Page): Html {
  const kinds: [string, string][] = [
    ["rouge", "rouge"],
    ["blanc", "blanc"],
    ["bleu", "bleu"],
    ["rouge maybe", t.stage.forecast],
    ["lost", t.unknown_f],
    ["ahead", t.ahead],
  ];
  return html`<ul class="legend">${kinds.map(
    ([kind, words]) =>
      html`<li><svg class="key" viewBox="0 0 16 16" aria-hidden="true">${squares(kind, "M8 8h0")}</svg>${words}</li>`,
  )}</ul>`;
}

/** How many days of each colour are left, by vigie's own count or else the service's. */
function counts(page: Page): Html {
  const { t, view } = page;
  // The season may be another one than the guess of the time says.
  if (!view.facts.moment) return html`<p class="note">${t.count_unknown(t.clock_unsure)}</p>`;
  const { season: said, used, left, assumed } = view.facts.dated;
  const remaining = left ?? said?.remaining;
  const rows = COLORS.toReversed().map((color) => {
    if (!remaining) return used && countRow(color, used[color], t.used_days(used[color], color), null);
    const days = remaining[color];
    const total = said?.total[color] ?? days + (used?.[color] ?? 0);
    const share = total > 0 ? Math.min(1, Math.max(0, days / total)) : null;
    return countRow(color, days, t.left_of(days, color, total), share);
  });
  const remark = remarkOnCounts(
    { isOwn: left !== null, isAssumed: assumed, isUnknown: !remaining && !used },
    page,
  );
  return html`${rows}${remark !== null && html`<p class="note">${remark}</p>`}`;
}

function remarkOnCounts(
  { isOwn, isAssumed, isUnknown }: { isOwn: boolean; isAssumed: boolean; isUnknown: boolean },
  { t, view, longDay }: Page,
): string | null {
  if (isOwn) return isAssumed ? t.assumed : null;
  if (isUnknown) return t.count_unknown(t.days_missing);
  const { season: said } = view.facts.dated;
  return said && t.by_service(longDay(civilDate(said.seen_at, view.tariff.time_zone)));
}

/** `share`: of all days of this colour, what is left. */
function countRow(color: Color, days: number, words: string, share: number | null): Html {
  const bar =
    share !== null &&
    html`<svg class="share" aria-hidden="true"><rect class="rail" width="100%" rx="4"/><rect class="fill" width="${Math.round(share * 100)}%" rx="4"/></svg>`;
  return html`<div class="count ${color}"><p><b>${days}</b> ${words}</p>${bar}</div>`;
}

/** For those who cannot see the squares, or want to look a date up. */
function dates({ start, end }: Season, colors: OfficialColors, page: Page): Html {
  const { t, view } = page;
  const all = datesBetween(start, end);
  const none = view.facts.dated.used === null ? t.unknown : t.none;
  const lists = (["rouge", "blanc"] as const).map((color) => {
    const found = all.filter((date) => colors.get(date) === color);
    return html`<dt>${color}</dt><dd>${found.length === 0 ? none : found.map(page.shortDay).join(", ")}</dd>`;
  });
  return html`<details class="fold" id="dates"><summary>${t.dates}</summary><dl class="why">${lists}</dl></details>`;
}

/** How fast the rouge days of this season go: one line a season, from November to March. */
function rougeDays(now: IsoDate, colors: OfficialColors, page: Page): Html {
  const { t, view } = page;
  let first = now;
  for (const date in view.factsInput.knownDays.days) if (date < first) first = date;
  const seasons: Season[] = [];
  for (let one = seasonOf(now); one.end >= first && seasons.length < SEASONS_SHOWN; one = before(one)) {
    seasons.push(one);
  }
  const lines = seasons.map((one) => rougeLine(one, now, colors, page)).filter((line) => line !== null);
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
function rougeLine(one: Season, now: IsoDate, colors: OfficialColors, page: Page): Html | null {
  const { view } = page;
  const found = countRougeDays(one, colors, now, view.tariff.laws);
  const { dates, known, sameDate } = found;
  const isThis = sameDate === now;
  if (!isThis && known === 0) return null;
  const x = (index: number) => Math.round((index / dates.length) * 1000) / 10;
  const mark = (kind: string, index: number) =>
    html`<rect class="${kind}" x="${x(index)}%" width="${x(1)}%"/>`;
  const marks = dates.map((date, index) => {
    const color = colors.get(date);
    if (color === "rouge") return mark("rouge", index);
    return color === undefined && date <= now && mark("unknown", index);
  });
  const here = view.facts.moment ? dates.findIndex((date) => date >= sameDate) : 0;
  return html`<li class="${isThis ? "this" : "before"}"><span class="label">${one.label.replace("-", "–")}</span><svg class="ticks" aria-hidden="true"><rect class="rail" width="100%"/>${marks}${
    here > 0 && html`<line x1="${x(here)}%" x2="${x(here)}%" y2="100%"/>`
  }</svg><span class="words">${paceWords(found, isThis, page)}</span></li>`;
}

function paceWords({ known, all, soFar, hasGap }: RougeDays, isThis: boolean, { t, view }: Page): string {
  if (hasGap) return known === 0 ? t.unknown : t.rouge_part(all);
  // While the clock is wrong nothing is "so far".
  if (!view.facts.moment) return isThis ? t.rouge_known(all) : t.rouge_all(all);
  return isThis ? t.rouge_so_far(soFar) : t.rouge_then(soFar, all);
}

function before({ start }: Season): Season {
  return seasonOf(addDays(start, -1));
}

type OfficialColors = ReadonlyMap<IsoDate, Color>;

const LEFT = 30;
const TOP = 16;
const STEP = 14;
const SEASONS_SHOWN = 3;
const WINTER = [11, 12, 1, 2, 3];
const YEAR = [9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8];
