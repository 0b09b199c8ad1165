import type { OutputStatus } from "../../core/outputs/output-status.ts";
import type { Sent } from "../../core/outputs/outputs-state.ts";
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

function device({ output, state, sent, would_send }: OutputStatus, page: Page): Html {
  const { t, language } = page;
  const sign = SIGNS[state];
  return html`<li class="card device is-${state}"><h3>${foreign(output.name[language], 100)}</h3>${
    sent !== undefined &&
    html`<p class="payload"><code>${foreign(sent.payload, 120)}</code></p><p>${t.sent_at} ${page.ago(sent.at)} · ${why(sent, page)}</p>`
  }<p class="confirmed"><span aria-hidden="true">${sign}</span> ${t.output[state]}${answer(state, sent, page)}</p>${
    would_send !== null && html`<p>${t.would_send} <code>${foreign(would_send, 120)}</code></p>`
  }</li>`;
}

function why({ choice, because }: Sent, page: Page): Part {
  const { t } = page;
  if (choice === null) return because === null ? null : foreign(because);
  if (choice === "else") return t.because_else;
  if (choice === "unknown") return t.because_unknown;
  return foreign(t.because_rule(nameOf(choice, page), t.on), 120);
}

/** What the device says instead of what is expected. */
function answer(state: OutputStatus["state"], sent: Sent | undefined, { t }: Page): Part {
  if (!sent || (state !== "waiting" && state !== "failed")) return null;
  const { last_answer } = sent;
  return html`, ${t.tries(sent.tries)}${last_answer !== null && html` · ${t.last_answer} <code>${foreign(last_answer, 80)}</code>`}`;
}

const SIGNS: Record<OutputStatus["state"], string> = {
  nothing: "○",
  sent: "→",
  waiting: "…",
  confirmed: "✓",
  failed: "!",
  dry: "○",
};
