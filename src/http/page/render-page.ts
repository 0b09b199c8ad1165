import type { Language } from "../../core/calendar/day-in-words.ts";
import type { PageView } from "../page-view.ts";
import { band } from "./band.ts";
import { devices } from "./devices.ts";
import { html, type Part } from "./html.ts";
import { listProblems, notices } from "./notices.ts";
import { PAGE_FILES } from "./page-files.ts";
import { rules } from "./rules.ts";
import { season } from "./season.ts";
import { state } from "./state.ts";
import { TEXTS } from "./texts.ts";
import { week } from "./week.ts";
import { openPage } from "./words.ts";

/** The page as a whole document. All links are relative; the script replaces `<main>` by that of a newer page. */
export function renderPage(view: PageView, { language }: { language: Language }): string {
  const page = openPage(view, language);
  const { t } = page;
  const isInvented = view.factsInput.isInvented;
  const now = view.facts.moment?.now;
  const title = isInvented || now?.source === "simulation" ? t.title_simulation : t.title;
  // There is no room in an icon to say that a colour is pretended.
  const icon = `${(!isInvented && view.real.facts.moment?.now.color) || "unknown"}.svg` as const;
  // In the order in which an owner asks.
  const parts = [band, notices, week, rules, devices, season, state].map((part) => part(page));
  return document(language, {
    title: title(now?.color ?? t.unknown_f),
    icon,
    pause: view.demoSpeed === undefined ? PAUSE : PAUSE_IN_DEMO,
    main: [PATTERNS, parts],
  });
}

/** While no configuration is in force: what is wrong with it. The script puts the page in its place as soon as there is one. */
export function renderNothingInForce(problems: readonly string[], language: Language): string {
  const t = TEXTS[language];
  const main = html`<section class="part nothing-in-force"><h1>${t.nothing_in_force}</h1><p>${t.nothing_in_force_more}</p>${listProblems(problems)}</section>`;
  return document(language, { title: "vigie", icon: "unknown.svg", pause: PAUSE, main });
}

interface DocumentParts {
  title: string;
  icon: keyof typeof PAGE_FILES;
  /** Milliseconds. */
  pause: number;
  main: Part;
}

function document(language: Language, { title, icon, pause, main }: DocumentParts): string {
  const t = TEXTS[language];
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${PAGE_FILES[icon].link}">
<link rel="stylesheet" href="${PAGE_FILES["page.css"].link}">
<script src="${PAGE_FILES["page.js"].link}" defer></script>
</head>
<body data-pause="${pause}">
<p id="stale" role="alert" data-now="${t.just_now}" hidden><strong>${t.stale} <time></time>.</strong> ${t.stale_more}</p>
<main>${main}</main>
</body>
</html>
`.toString();
}

/** Milliseconds after which an open page asks again. A demonstration shows a day in minutes. */
const PAUSE = 5_000;
const PAUSE_IN_DEMO = 1_000;

/** Hatching, dots, and a dash for each square of the season, in SVG; CSS gives them their colours. Wide and faint: they have to be told apart, not to be read. */
const PATTERNS = html`<svg class="patterns" aria-hidden="true"><defs>${[
  "ink",
  "rouge",
  "bleu",
  "blanc",
  "lost",
].map(
  (name) =>
    html`<pattern id="h-${name}" class="h ${name}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="a" width="6" height="6"/><rect class="b" width="2.5" height="6"/></pattern>`,
)}<pattern id="h-off" class="h off" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="a" width="6" height="6"/><circle class="b" cx="3" cy="3" r="1.3"/></pattern><pattern id="h-dash" x="2" y="2" width="14" height="14" patternUnits="userSpaceOnUse"><rect class="h-dash" x="4" y="6" width="6" height="2"/></pattern></defs></svg>`;
