import { parseJson } from "../../core/contract/parse-json.ts";
import type { OutputStatus, ShownSent } from "../../core/outputs/output-status.ts";
import { nameOf } from "./conditions.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import type { Page } from "./words.ts";

/** What was sent to each device last, when and why, and whether the device has confirmed it. */
export function devices(page: Page): Html {
  const { t, view } = page;
  const list = view.outputs.map((status) => device(status, page));
  return html`<section class="part"><h2>${t.devices}</h2>${
    list.length === 0 ? html`<p class="note">${t.no_devices}</p>` : html`<ul class="devices">${list}</ul>`
  }</section>`;
}

function device({ output, sent, would_send, next_try, ...status }: OutputStatus, page: Page): Html {
  const { t, language, view } = page;
  const away_since = sent?.away_since ?? null;
  const isDemo = view.demoSpeed !== undefined;
  const state = isDemo ? "dry" : status.state;
  const isHeldBack = state === "nothing" && !view.mayDecide;
  return html`<li class="card device is-${state}"><h3>${foreign(output.name[language], 100)}</h3>${
    sent !== undefined &&
    html`${payload(sent)}<p>${isDemo ? `${t.would_be_sent} ·` : t.sent_at} ${page.ago(sent.at)}${why(sent, page)}</p>`
  }<p class="confirmed"><span aria-hidden="true">${SIGNS[state]}</span> ${isDemo ? t.demo_output : isHeldBack ? t.output_held_back : words(state, sent, page)}${
    away_since !== null && html` · <strong>${t.away_since} ${page.when(away_since)}</strong>`
  }${answer(state, sent, page)}${next_try !== null && ` · ${t.next_try} ${page.when(next_try, t.at)}`}</p>${
    would_send !== null && !isDemo && html`<p>${t.would_send} <code>${foreign(would_send, 120)}</code></p>`
  }</li>`;
}

/** No device can have obeyed or confirmed a payload that neither the broker nor an address has taken. */
function words(state: OutputStatus["state"], sent: ShownSent | undefined, { t }: Page): string {
  const isTaken = sent === undefined || sent.acknowledged;
  return !isTaken && (state === "waiting" || state === "failed") ? t.not_taken[state] : t.output[state];
}

/** In large type the payload, or of JSON what the device is to report then, or the only value in it. */
function payload({ payload, expect }: ShownSent): Html {
  const word = isJson(payload) ? (wordIn(expect ?? "") ?? wordIn(payload)) : payload;
  const isLarge = word !== null && word.length <= LONGEST_WORD;
  return html`${isLarge && html`<p class="payload"><code>${foreign(word)}</code></p>`}${
    word !== payload || !isLarge ? html`<p><code>${foreign(payload, 120)}</code></p>` : null
  }`;
}

/** A text that is no JSON; of JSON the only value in it; null where there is none, or more than one. */
function wordIn(text: string): string | null {
  if (!isJson(text)) return text === "" ? null : text;
  let value = parseJson(text);
  while (typeof value === "object" && value !== null) {
    const [only, ...others] = Object.values(value);
    if (others.length > 0) return null;
    value = only;
  }
  return value === undefined || value === null ? null : String(value);
}

function isJson(text: string): boolean {
  return /^[[{]/.test(text) && parseJson(text) !== undefined;
}

const LONGEST_WORD = 24;

/** Behind the time at which it was sent. */
function why({ choice, because }: ShownSent, page: Page): Part {
  const { t } = page;
  if (choice === null) return because !== null && html` · ${foreign(because)}`;
  if (choice === "else") return `, ${t.because_else}`;
  if (choice === "unknown") return `, ${t.because_unknown}`;
  return html`, ${foreign(t.because_rule(nameOf(choice, page), t.on), 120)}`;
}

/** What the device said last, and how long ago; how often it was told, if it does something else. */
function answer(state: OutputStatus["state"], sent: ShownSent | undefined, { t, ago }: Page): Part {
  if (!sent) return null;
  const { last_answer, answered_at } = sent;
  const isTold = state === "waiting" || state === "failed" || state === "contrary";
  const said = last_answer !== null && (isTold || answered_at !== null);
  return html`${isTold && `, ${t.tries(sent.tries)}`}${
    said && html` · ${t.last_answer} <code>${foreign(last_answer, 80)}</code>`
  }${said && answered_at !== null && html` ${ago(answered_at)}`}`;
}

const SIGNS: Record<OutputStatus["state"], string> = {
  nothing: "○",
  sent: "→",
  waiting: "…",
  confirmed: "✓",
  contrary: "≠",
  failed: "!",
  dry: "○",
};
