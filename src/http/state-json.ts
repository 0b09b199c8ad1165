import { createHash } from "node:crypto";
import { parseJson } from "../core/contract/parse-json.ts";
import { UNKNOWN_PAYLOAD } from "../core/facts/format-value.ts";
import type { PageView } from "./page-view.ts";

type Json = string | number | boolean | null | readonly Json[] | JsonObject;
interface JsonObject {
  [key: string]: Json;
}

/** The topics as one JSON object: the topic `now/color` is `now.color`. docs/state.schema.json describes it. */
export function renderState(view: Pick<PageView, "version" | "instance" | "topics">): string {
  const { version, instance, topics } = view;
  const tree: Branch = new Map();
  for (const [name, { payload }] of topics) place(tree, name.split("/"), payload);
  const state = { version, instance, ...readBranch(tree) };
  const snapshot = createHash("sha256")
    .update(JSON.stringify(state))
    .digest("base64url")
    .slice(0, NAME_LENGTH);
  return `${JSON.stringify({ snapshot, ...state })}\n`;
}

type Branch = Map<string, Twig>;
interface Twig {
  /** undefined: there are only topics below. */
  payload?: string;
  below?: Branch;
}

function place(branch: Branch, [key = "", ...rest]: readonly string[], payload: string): void {
  const twig = branch.get(key) ?? {};
  branch.set(key, twig);
  if (rest.length === 0) {
    twig.payload = payload;
    return;
  }
  twig.below ??= new Map();
  place(twig.below, rest, payload);
}

function readBranch(branch: Branch): JsonObject {
  return Object.fromEntries([...branch].map(([key, twig]) => [key, readTwig(twig)]));
}

function readTwig({ payload, below }: Twig): Json {
  const own = payload === undefined ? {} : readPayload(payload);
  return below ? join(readBranch(below), own) : own;
}

/** The parent's JSON counts where both have a key: it knows a text "ON" or "2026" from true and a number. */
function join(below: JsonObject, parent: Json): JsonObject {
  if (!isObject(parent)) return below;
  const both = Object.entries(parent).map(([key, value]): [string, Json] => {
    const other = Object.hasOwn(below, key) ? below[key] : undefined;
    return [key, isObject(other) && isObject(value) ? join(other, value) : value];
  });
  return { ...below, ...Object.fromEntries(both) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readPayload(payload: string): Json {
  if (payload === UNKNOWN_PAYLOAD) return null;
  if (payload === "ON" || payload === "OFF") return payload === "ON";
  if (NUMBER.test(payload)) return Number(payload);
  const json = /^[[{]/.test(payload) ? parseJson(payload) : undefined;
  return json === undefined ? payload : (json as Json);
}

const NAME_LENGTH = 22;

/** As JavaScript writes it: a text such as `007` is none. */
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/;
