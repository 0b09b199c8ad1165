import type { Output, Payload, Template } from "../../../src/core/outputs/output.ts";
import { BASE } from "./topics.ts";

/** What an output should send: this payload, nothing, or what it sent last goes on counting. */
export type Chosen =
  | { kind: "choice"; rule: string; payload: string }
  | { kind: "else" | "unknown"; payload: string }
  | { kind: "nothing" }
  | { kind: "stands" };

/** As docs/outputs.md says, from what vigie itself has published of its rules and of the days. */
export function choosePayload(output: Output, read: (topic: string) => string | undefined): Chosen {
  for (const choice of output.choose) {
    const state = read(stateTopic(choice.when));
    if (state === "OFF") continue;
    if (state === "ON") return { kind: "choice", rule: choice.when, payload: fill(choice, read) };
    return output.unknown ? { kind: "unknown", payload: fill(output.unknown, read) } : { kind: "stands" };
  }
  return output.else ? { kind: "else", payload: fill(output.else, read) } : { kind: "nothing" };
}

/** The topics from which it is chosen. */
export function decidingTopics(output: Output): string[] {
  const payloads = [...output.choose, output.else, output.unknown].filter((one) => one !== undefined);
  const names = payloads.flatMap(({ payload }) =>
    [...textOf(payload).matchAll(PLACEHOLDER)].map(([, name]) => name),
  );
  return [
    ...output.choose.map(({ when }) => stateTopic(when)),
    ...names.map((name) => factTopic(name ?? "")),
  ];
}

function stateTopic(rule: string): string {
  return `${BASE}/rules/${rule}/state`;
}

function fill({ payload }: Payload, read: (topic: string) => string | undefined): string {
  return textOf(payload).replaceAll(PLACEHOLDER, (_, name: string) => read(factTopic(name)) ?? "None");
}

/** `{left.rouge}` is on `season/left/rouge`. */
function factTopic(name: string): string {
  const path = name.replaceAll(".", "/");
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

/** Households have placeholders in texts only. */
const PLACEHOLDER = /\{([a-z_]+\.[a-z_]+)\}/g;
const ANY_PLACEHOLDER = /\{[a-z_]+\.[a-z_]+\}/;
