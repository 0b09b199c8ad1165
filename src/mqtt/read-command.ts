import { z } from "zod";
import { duration, idWord } from "../config/value-schemas.ts";
import { COLORS } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { readPretendedDay } from "../core/facts/simulation.ts";
import type { Command } from "../core/loop/command.ts";

/** Not the JSON topics `rules/set` and `outputs/set` of a rule and an output with the id `set`. */
export function isCommandTopic(topic: string): boolean {
  return topic.endsWith(SET) && topic !== "rules/set" && topic !== "outputs/set";
}

/** The command, or why there is none. */
export function readCommand(topic: string, payload: string): { command: Command } | { problem: string } {
  const [head, name, part, ...rest] = topic.slice(0, -SET.length).split("/");
  if (!isCommandTopic(topic) || rest.length > 0) return UNKNOWN_COMMAND;
  if (head === "refresh" && name === undefined) return readRefresh(payload);
  if (head === "simulation" && name === undefined) return readSimulation(payload);
  const rule = idWord.safeParse(name);
  if (head !== "rules" || !rule.success) return UNKNOWN_COMMAND;
  if (part === "enabled") return readEnabled(rule.data, payload);
  return part === "threshold" ? readThreshold(rule.data, payload) : UNKNOWN_COMMAND;
}

/** The topics whose value a command would change. */
export function stateTopics(commandTopic: string): string[] {
  const state = commandTopic.slice(0, -SET.length);
  return state === "simulation" ? ["simulation/color", state] : [state];
}

type Reading = ReturnType<typeof readCommand>;

const SET = "/set";
const UNKNOWN_COMMAND = { problem: "vigie has no such command" };

function readRefresh(payload: string): Reading {
  return payload.toUpperCase() === "PRESS" ? { command: { kind: "poll" } } : expected("PRESS", payload);
}

function readEnabled(rule: string, payload: string): Reading {
  const state = payload.toUpperCase();
  if (state === "ON" || state === "OFF")
    return { command: { kind: "enabled", rule, enabled: state === "ON" } };
  const read = enabledSchema.safeParse(parseJson(payload));
  if (!read.success) return expected(describeExpected(read.error, ENABLED_FORMS), payload);
  return { command: { kind: "enabled", rule, ...read.data } };
}

const ENABLED_FORMS = {
  keys: "enabled and for",
  form: 'ON, OFF, or JSON such as {"enabled":false,"for":"12h"}',
};
const enabledSchema = z.strictObject({
  enabled: z.boolean({ error: "true or false" }),
  for: duration("1s", "720h"),
});

function expected(what: string, payload: string): Reading {
  return { problem: `expected ${what}, got '${payload.slice(0, 60)}'` };
}

/** Home Assistant writes `60.0` for 60. */
function readThreshold(rule: string, payload: string): Reading {
  const threshold = /^\d{1,3}(\.0{1,9})?$/.test(payload) ? Number(payload) : Number.NaN;
  if (!(threshold <= 100)) return expected("a whole number from 0 to 100", payload);
  return { command: { kind: "threshold", rule, threshold } };
}

function readSimulation(payload: string): Reading {
  const isEnd = payload.toLowerCase() === "auto";
  const request = isEnd ? { color: "auto" } : (readPretendedDay(payload) ?? parseJson(payload));
  const read = requestSchema.safeParse(request);
  if (!read.success) return expected(describeExpected(read.error, SIMULATION_FORMS), payload);
  const { color, ...rest } = read.data;
  return { command: { kind: "simulation", request: color === "auto" ? null : { color, ...rest } } };
}

/** `keys`: those of its JSON. */
function describeExpected({ issues: [issue] }: z.ZodError, { keys, form }: { keys: string; form: string }) {
  if (issue?.code === "unrecognized_keys") return `no other keys than ${keys}`;
  if (issue && issue.path.length > 0) return `${issue.path.join(".")} to be ${issue.message}`;
  return form;
}

const SIMULATION_COLORS = ["auto", ...COLORS] as const;
const SIMULATION_FORMS = {
  keys: "color, from and for",
  form: `${SIMULATION_COLORS.join(", ")}, a colour with :next such as rouge:next, or JSON such as {"color":"rouge","from":"next","for":"1h"}`,
};
const colorSchema = z.preprocess(
  (given) => (typeof given === "string" ? given.toLowerCase() : given),
  z.enum(SIMULATION_COLORS, { error: `one of ${SIMULATION_COLORS.join(", ")}` }),
);
/** How long a colour is pretended. */
export const simulationLength = duration("1s", "24h").prefault("1h");
const requestSchema = z.strictObject({
  color: colorSchema,
  from: z.enum(["now", "next"], { error: "now or next" }).default("now"),
  for: simulationLength,
});
