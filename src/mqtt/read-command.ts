import { z } from "zod";
import { duration, idWord } from "../config/value-schemas.ts";
import { COLORS } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import type { SimulationRequest } from "../core/facts/simulation.ts";

/** All that may be asked of vigie over the broker. */
export type Command =
  | { kind: "refresh" }
  | { kind: "enabled"; rule: string; enabled: boolean }
  | { kind: "threshold"; rule: string; threshold: number }
  /** null: nothing is pretended any more. */
  | { kind: "simulation"; wish: SimulationRequest | null };

export function isCommandTopic(topic: string): boolean {
  return topic.endsWith("/set");
}

/** The command that was given, or what would have been one. */
export function readCommand(topic: string, payload: string): { command: Command } | { expected: string } {
  const [head, name, part, ...rest] = topic.slice(0, -SET.length).split("/");
  if (!isCommandTopic(topic) || rest.length > 0) return UNKNOWN_COMMAND;
  if (head === "refresh" && name === undefined) return readRefresh(payload);
  if (head === "simulation" && name === undefined) return readSimulation(payload);
  const rule = idWord.safeParse(name);
  if (head !== "rules" || !rule.success) return UNKNOWN_COMMAND;
  if (part === "enabled") return readEnabled(rule.data, payload);
  return part === "threshold" ? readThreshold(rule.data, payload) : UNKNOWN_COMMAND;
}

/** The topics that tell the state which a command would change. */
export function stateTopics(commandTopic: string): string[] {
  const state = commandTopic.slice(0, -SET.length);
  return state === "simulation" ? ["simulation/color", state] : [state];
}

type Reading = ReturnType<typeof readCommand>;

const SET = "/set";
const UNKNOWN_COMMAND = { expected: "a command that vigie knows" };

function readRefresh(payload: string): Reading {
  return payload === "PRESS" ? { command: { kind: "refresh" } } : { expected: "PRESS" };
}

function readEnabled(rule: string, payload: string): Reading {
  if (payload !== "ON" && payload !== "OFF") return { expected: "ON or OFF" };
  return { command: { kind: "enabled", rule, enabled: payload === "ON" } };
}

/** Home Assistant writes `60.0` for 60. */
function readThreshold(rule: string, payload: string): Reading {
  const threshold = /^\d{1,3}(\.0{1,9})?$/.test(payload) ? Number(payload) : Number.NaN;
  if (!(threshold <= 100)) return { expected: "a whole number from 0 to 100" };
  return { command: { kind: "threshold", rule, threshold } };
}

function readSimulation(payload: string): Reading {
  const word = wordSchema.safeParse(payload);
  const wish = word.success ? { color: word.data } : parseJson(payload);
  const read = wishSchema.safeParse(wish);
  if (!read.success) return { expected: describeRefusal(read.error) };
  const { color, ...rest } = read.data;
  return { command: { kind: "simulation", wish: color === "auto" ? null : { color, ...rest } } };
}

function describeRefusal({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === "unrecognized_keys") return "no other keys than color, from and for";
  if (issue && issue.path.length > 0) return `${issue.path.join(".")}: ${issue.message}`;
  return `${WORDS.join(", ")}, or JSON such as {"color":"rouge","from":"next","for":"1h"}`;
}

const WORDS = ["auto", ...COLORS] as const;
const wordSchema = z.enum(WORDS, { error: `one of ${WORDS.join(", ")}` });
const wishSchema = z.strictObject({
  color: wordSchema,
  from: z.enum(["now", "next"], { error: "now or next" }).default("now"),
  for: duration("1s", "24h").prefault("1h"),
});
