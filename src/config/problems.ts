import { z } from "zod";
import { valueAt } from "../runtime/value-at.ts";
import { isSecret, type Path, showKey, showValue } from "./shown-value.ts";
import { suggestOption } from "./suggest-option.ts";
import { suggestValue } from "./suggest-value.ts";

/** The configuration is refused as a whole, with everything that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The configuration is wrong:\n${problems.join("\n")}`);
    this.problems = problems;
  }
}

/** One thing that is wrong, in the words of the configuration; contains no secret. */
export interface Problem {
  path: Path;
  /** What is wrong: the name of the option, or its value. */
  part: "key" | "value";
  expected: string;
  got: string;
  /** What else can be done, as a sentence without a full stop. */
  advice?: string | undefined;
}

type Issue = z.core.$ZodIssue;

/** What zod found in `given`. */
export function describeIssues(issues: readonly Issue[], given: unknown): Problem[] {
  return issues.flatMap((issue) => describeIssue(issue, given));
}

function describeIssue(issue: Issue, given: unknown): Problem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      describeUnknownOption([...issue.path, key], issue.message.split(" "), valueAt(given, issue.path)),
    );
  }
  const inner = issue.code === "invalid_union" ? issuesInsideGroup(issue) : [];
  if (inner.length > 0) return describeIssues(inner, given);
  const value = valueAt(given, issue.path);
  const meant = isSecret(issue.path) ? "" : suggestValue(value, issue.message, allowedWords(issue));
  const advice: unknown = issue.code === "custom" ? issue.params?.["advice"] : adviceFor(value, issue);
  return [
    {
      path: issue.path,
      part: "value",
      expected: issue.message,
      got: showValue(value, issue.path) + meant,
      advice: typeof advice === "string" ? advice : undefined,
    },
  ];
}

/** `url:mqtt://broker` is one text in YAML. */
function adviceFor(value: unknown, { message }: Issue): string | undefined {
  const isKeyWithoutSpace = typeof value === "string" && /^\w+:\S/.test(value);
  return isKeyWithoutSpace && message.startsWith(PAIRS)
    ? "Write a space after the colon of each key"
    : undefined;
}

/** Where one of several forms is a group of options and a group was given: what is wrong inside of it. */
function issuesInsideGroup(issue: z.core.$ZodIssueInvalidUnion): Issue[] {
  const isInside = (one: Issue) => one.path.length > 0 || one.code === "unrecognized_keys";
  const form = issue.errors.find((issues) => issues.every(isInside)) ?? [];
  return form.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

function allowedWords(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code === "invalid_type" && issue.expected === "boolean") return ["true", "false"];
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(allowedWords) : [];
}

function describeUnknownOption(path: Path, known: readonly string[], group: unknown): Problem {
  const words = known.join(", ");
  const key = String(path.at(-1));
  // `{ hp: 0,7295 }` is { hp: 0, 7295: nothing } in YAML.
  const got = showKey(key) + (/^\d+$/.test(key) ? " (a number has a point, not a comma: 0.1654)" : "");
  const near = suggestOption(path, known);
  if (!known.includes("any"))
    return { path, part: "key", expected: `a known option (${words})`, got: got + near };
  const expected = `one of ${words}`;
  const meant = suggestVerdict(valueAt(group, ["rule"]), valueAt(group, [key])) ?? near;
  return { path, part: "key", expected, got: `${got}: vigie has no such condition${meant}` };
}

/** `{ rule: x, state: off }`: a condition on a rule asks whether it is ON. */
function suggestVerdict(rule: unknown, wanted: unknown): string | undefined {
  const isOn = ["on", "true"].includes(String(wanted).toLowerCase());
  const isOff = ["off", "false"].includes(String(wanted).toLowerCase());
  if (typeof rule !== "string" || !(isOn || isOff)) return undefined;
  return isOn ? ` (did you mean { rule: ${rule} }?)` : ` (did you mean { not: { rule: ${rule} } }?)`;
}

/** What is expected, where the schema itself does not say it; beside an unknown key, the keys that are known there. */
export function describeExpectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue);
    case "invalid_value":
      return `${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return keysOf(issue.inst).join(" ");
    case "invalid_key":
      return "a word";
    default:
      return "another value";
  }
}

function describeType({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const keys = keysOf(inst);
  return `${TYPES[expected] ?? "something else"}${keys.length === 0 ? "" : ` (${keys.join(", ")})`}`;
}

function keysOf(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

const PAIRS = "key: value pairs";
const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: PAIRS,
  record: PAIRS,
};
