import { within } from "../trace.ts";
import type { House } from "./house.ts";
import type { OutputText, PayloadText, Template } from "./house-outputs.ts";
import { BASE, type TopicHistory } from "./topics.ts";

/** What an output should send: this payload, nothing, or what it sent last goes on counting. */
export type Chosen =
  | { kind: "choice"; rule: string; payload: string }
  | { kind: "else" | "unknown"; payload: string }
  | { kind: "nothing" }
  | { kind: "stands" };

/** As docs/outputs.md says, from what vigie itself has published of its rules and of the days. */
export function choosePayload(output: OutputText, read: (topic: string) => string | undefined): Chosen {
  for (const choice of output.choose) {
    const state = read(stateTopic(choice.when));
    if (state === "OFF") continue;
    if (state === "ON") return { kind: "choice", rule: choice.when, payload: fill(choice, output, read) };
    return output.unknown
      ? { kind: "unknown", payload: fill(output.unknown, output, read) }
      : { kind: "stands" };
  }
  return output.else ? { kind: "else", payload: fill(output.else, output, read) } : { kind: "nothing" };
}

/** The topics from which it is chosen. */
export function decidingTopics(output: OutputText): string[] {
  const payloads = [...output.choose, output.else, output.unknown].filter((one) => one !== undefined);
  const names = payloads.flatMap(({ payload }) =>
    [...textOf(payload).matchAll(PLACEHOLDER)].map(([, name]) => name),
  );
  return [
    ...output.choose.map(({ when }) => stateTopic(when)),
    ...names.map((name) => factTopic(name ?? "")),
  ];
}

/**
 * Whether devices may get nothing of what the rules say in this time: a colour is pretended, or was, and a rule goes on
 * because of its `lag` or its `hold`.
 */
export function isHeldBack(
  { ignoresSimulation, rules }: House,
  topics: TopicHistory,
  from: number,
  to: number,
): boolean {
  if (!ignoresSimulation) return false;
  const goesOn = rules.reduce((sum, { lag, hold }) => sum + lag + hold, 0);
  return wasPretended(topics, from - goesOn, to);
}

/** Whether vigie published that a colour was pretended at some time between. */
export function wasPretended(topics: TopicHistory, from: number, to: number): boolean {
  const shown = [topics.last(SIMULATION, from), ...within(topics.published(SIMULATION), from, to)];
  return shown.some((one) => one !== undefined && one.payload !== "auto");
}

function stateTopic(rule: string): string {
  return `${BASE}/rules/${rule}/state`;
}

function fill(
  { payload }: PayloadText,
  { language }: OutputText,
  read: (topic: string) => string | undefined,
): string {
  const say = (name: string) => {
    const value = read(factTopic(name)) ?? "None";
    return name.endsWith(".day") && value !== "None" ? sayDay(value, language) : value;
  };
  const text = textOf(payload);
  const typed =
    typeof payload === "string" ? text : text.replaceAll(ALONE, (_, name: string) => inJson(name, say(name)));
  return typed.replaceAll(PLACEHOLDER, (_, name: string) => say(name));
}

/** A value that stands alone in an object. */
function inJson(name: string, value: string): string {
  if (value === "None") return "null";
  return NUMBERS.test(name) ? value : JSON.stringify(value);
}

/** `mercredi 25 novembre`, by the names that Unicode has. */
function sayDay(date: string, language: "fr" | "en"): string {
  return new Date(date)
    .toLocaleDateString(language === "fr" ? "fr-FR" : "en-GB", {
      weekday: "long",
      day: "numeric",
      month: "long",
      timeZone: "UTC",
    })
    .replace(",", "")
    .replace(/ 1 /, language === "fr" ? " 1er " : " 1 ");
}

/** `{left.rouge}` is on `season/left/rouge`, and the day of which `{next.day}` speaks on `next/date`. */
function factTopic(name: string): string {
  const path = name.replaceAll(".", "/").replace(/\/day$/, "/date");
  return /^(left|remaining)\./.test(name) ? `${BASE}/season/${path}` : `${BASE}/${path}`;
}

/** Whether this payload may be the text of this template. */
export function isTextOf(template: Template, payload: string): boolean {
  const parts = textOf(template).split(ANY_PLACEHOLDER);
  const escaped = parts.map((part) => part.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`).test(payload);
}

export function textOf(template: Template): string {
  return typeof template === "string" ? template : JSON.stringify(template);
}

export const SIMULATION = `${BASE}/simulation/color`;
const PLACEHOLDER = /\{([a-z0-9_]+\.[a-z_]+)\}/g;
/** A text of JSON that is one placeholder. */
const ALONE = /"\{([a-z0-9_]+\.[a-z_]+)\}"/g;
const NUMBERS = /^(left|remaining)\.|\.(confidence|rate)$/;
const ANY_PLACEHOLDER = /\{[a-z0-9_]+\.[a-z_]+\}/;
