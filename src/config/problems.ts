import { z } from "zod";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { nearest } from "./nearest-word.ts";
import { listKeys, listOptions } from "./option-list.ts";
import { RULE_OF_NONE } from "./output-conflicts.ts";
import { A_LIST_OF_OUTPUTS } from "./outputs-options.ts";
import { isSecret, isShown, type Path, showKey, showValue } from "./shown-value.ts";
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
  /** The place at which the same stands already. */
  first?: Path | undefined;
}

/** `place` is where it is, as people find it: `config/vigie.yaml:3:5 mqtt.url`. */
export function sayProblem(place: string, { expected, got, advice }: Problem): string {
  return `${place}: expected ${expected}, got ${got}${advice === undefined ? "" : `. ${advice}`}`;
}

type Issue = z.core.$ZodIssue;
type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys;

/** What zod found in `given`. */
export function describeIssues(found: readonly Issue[], given: unknown): Problem[] {
  const issues = found.flatMap(issuesInside);
  const areRulesUnread = issues.some(isOfRules);
  return issues
    .filter(
      (issue, index) =>
        !isSaidBefore(issue, issues.slice(0, index)) &&
        !isWithoutSpace(issue, given) &&
        !isUnderAnotherName(issue, issues, given) &&
        !(areRulesUnread && issue.message === RULE_OF_NONE),
    )
    .flatMap((issue) => describeIssue(issue, given));
}

/** If a value is wrong in itself, only its first fault is said, and no conflict with others. */
function isSaidBefore(issue: Issue, earlier: readonly Issue[]): boolean {
  return (
    issue.code !== "unrecognized_keys" &&
    earlier.some(
      (other) => other.code !== "unrecognized_keys" && isSamePath(other, issue) && !isConflict(other),
    )
  );
}

function isSamePath(one: Issue, other: Issue): boolean {
  return one.path.join(".") === other.path.join(".");
}

/** Whether the value is wrong only beside others. */
function isConflict(issue: Issue): boolean {
  return issue.code === "custom" && issue.params?.["isConflict"] === true;
}

/** Whether the list of rules has another name or is no list: each choice of an output then names a rule of none. */
function isOfRules(issue: Issue): boolean {
  if (issue.path.length > 0) return issue.path.join(".") === "rules";
  return (
    issue.code === "unrecognized_keys" && issue.keys.some((key) => nearest(key, ["rules"]) !== undefined)
  );
}

/** To YAML `{ id:a }` has the key `id:a`: that is said, and not that `id` is missing. */
function isWithoutSpace(issue: Issue, given: unknown): boolean {
  const group = valueAt(given, issue.path.slice(0, -1));
  const names = namesOfMissing(issue, given);
  return isGroup(group) && Object.keys(group).some((key) => names.includes(keyBeforeColon(key)));
}

/**
 * Beside `quand: …` the condition `when` is not missing: that key is told to be `when`. In a group without a known key nothing is
 * missing, either: `- else: …` is no choice.
 */
function isUnderAnotherName(issue: Issue, issues: readonly Issue[], given: unknown): boolean {
  const group = issue.path.slice(0, -1);
  const isMissing = issue.path.length > 0 && valueAt(given, issue.path) === undefined;
  if (isMissing && issues.some((other) => isOfNoKnownKey(other, group, given))) return true;
  const meant = namesOfMissing(issue, given).map((name) => ` (did you mean ${String(name)}?)`);
  return issues.some(
    (other) =>
      other.code === "unrecognized_keys" &&
      other.path.join(".") === group.join(".") &&
      other.keys.some((key) => meant.includes(suggestOption([...group, key], other.message.split(" ")))),
  );
}

/** Of an option that is missing, its name and those of the options that may stand instead of it. */
function namesOfMissing({ path, ...issue }: Issue, given: unknown): unknown[] {
  if (path.length === 0 || valueAt(given, path) !== undefined) return [];
  const instead: unknown = issue.code === "custom" ? issue.params?.["instead"] : undefined;
  return [path.at(-1), ...(Array.isArray(instead) ? instead : [])];
}

/** `day` of `day:now`; undefined of another key. */
function keyBeforeColon(key: string): string | undefined {
  return /^(\w+):/.exec(key)?.[1];
}

function isGroup(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function describeIssue(issue: Issue, given: unknown): Problem[] {
  if (issue.code === "unrecognized_keys") return describeUnknownOptions(issue, given);
  const value = valueAt(given, issue.path);
  const meant =
    suggestMainOption(value, issue.path) ?? suggestRule(value, issue, given) ?? suggest(value, issue);
  const advice: unknown = issue.code === "custom" ? issue.params?.["advice"] : adviceFor(value, issue);
  return [
    {
      path: issue.path,
      part: "value",
      expected: issue.message,
      got: showValue(value, issue.path) + (meant === undefined ? "" : ` (did you mean ${meant}?)`),
      advice: typeof advice === "string" ? advice : undefined,
      first:
        issue.code === "custom" && Array.isArray(issue.params?.["first"]) ? issue.params["first"] : undefined,
    },
  ];
}

/** Those of one group together, because they are often one mistake: `host` and `port`. Sections have places of their own. */
function describeUnknownOptions(issue: UnknownKeys, given: unknown): Problem[] {
  const { path, keys } = issue;
  if (path.join(".") === "outputs" && isOfNoKnownKey(issue, path, given))
    return [{ path, part: "value", expected: A_LIST_OF_OUTPUTS, got: showValue(valueAt(given, path), path) }];
  const problems = keys.map((key) =>
    describeUnknownOption([...path, key], issue.message.split(" "), valueAt(given, path)),
  );
  const [first, ...others] = problems;
  const isOne = path.length > 0 && others.every(({ expected }) => expected === first?.expected);
  if (!first || !isOne) return problems;
  return [{ ...first, got: problems.map(({ got }) => got).join(", ") }];
}

function suggest(value: unknown, issue: Issue): string | undefined {
  return isShown(value, issue.path) ? suggestValue(value, issue.message, allowedWords(issue)) : undefined;
}

/** `{ rule: rouge_peak }` of the id of another rule in place of a condition. */
function suggestRule(value: unknown, { path, message }: Issue, given: unknown): string | undefined {
  if (typeof value !== "string" || !message.startsWith("a condition")) return undefined;
  const others = listAt(given, ["rules"])
    .filter((_, index) => index !== path[1])
    .map((rule) => String(valueAt(rule, ["id"])));
  const meant = nearest(value, others);
  const listed = meant === undefined && value.includes("_") ? others : [];
  return meant === undefined && listed.length === 0 ? undefined : `{ rule: ${meant ?? listed.join(" or ")} }`;
}

/** `{ base_url: https://… }` of `service: https://…`: the first option of a section is its main one. */
function suggestMainOption(value: unknown, [section, ...rest]: Path): string | undefined {
  const main = listOptions().find(({ path }) => path.length === 2 && path[0] === section);
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  if (!main || section === undefined || rest.length > 0 || !isScalar) return undefined;
  const [issue] = main.schema.safeParse(value, { error: describeExpectation }).error?.issues ?? [];
  const given = isSecret([section]) ? "…" : String(value);
  const meant = issue ? suggest(value, { ...issue, path: [section] }) : given;
  return meant === undefined ? undefined : `{ ${main.path.at(-1)}: ${meant} }`;
}

/** `url:mqtt://broker` is one text in YAML. */
function adviceFor(value: unknown, { message }: Issue): string | undefined {
  const isKeyWithoutSpace = typeof value === "string" && /^\w+:(?!\/\/)\S/.test(value);
  return isKeyWithoutSpace && (message.startsWith(PAIRS) || message.includes("{ "))
    ? "Write a space after the colon of each key"
    : undefined;
}

/** Where one of several forms is a group of options and a group was given: what is wrong inside of it. */
function issuesInside(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isInside = (one: Issue) => one.path.length > 0 || one.code === "unrecognized_keys";
  const form = issue.errors.find((issues) => issues.every(isInside)) ?? [];
  if (form.length === 0) return [issue];
  return form.flatMap((one) => issuesInside({ ...one, path: [...issue.path, ...one.path] }));
}

/** Whether not a single key of this group is known. */
function isOfNoKnownKey(issue: Issue, group: Path, given: unknown): boolean {
  return (
    issue.code === "unrecognized_keys" &&
    issue.path.join(".") === group.join(".") &&
    issue.keys.length === Object.keys(valueAt(given, group) ?? {}).length
  );
}

function allowedWords(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code === "invalid_type" && issue.expected === "boolean") return ["true", "false"];
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(allowedWords) : [];
}

function describeUnknownOption(path: Path, known: readonly string[], group: unknown): Problem {
  const words = known.join(", ");
  const key = String(path.at(-1));
  const word = keyBeforeColon(key);
  if (word !== undefined)
    return { path, part: "key", expected: `a space after the colon (${word}: …)`, got: "none" };
  // `{ hp: 0,7295 }` is { hp: 0, 7295: nothing } in YAML.
  const got = showKey(key) + (/^\d+$/.test(key) ? " (a number has a point, not a comma: 0.1654)" : "");
  if (isOfOutput(path))
    return { path, part: "key", expected: `a known option (${words})`, got, advice: DEVICES };
  const near = suggestOption(path, known);
  if (!known.includes("any"))
    return { path, part: "key", expected: `a known option (${words})`, got: got + near };
  const expected = `one of ${words}`;
  const meant = suggestVerdict(valueAt(group, ["rule"]), valueAt(group, [key])) ?? near;
  return { path, part: "key", expected, got: `${got}: vigie has no such condition${meant}` };
}

/** Whether this option stands in a rule, but belongs to an output. */
function isOfOutput([section, , key, ...more]: Path): boolean {
  return (
    section === "rules" &&
    more.length === 0 &&
    listKeys().some((path) => path.length === 3 && path[0] === "outputs" && path[2] === key)
  );
}

const DEVICES =
  "What a device is sent stands below outputs: - { topic: …, choose: [{ when: the id of this rule, payload: … }] }";

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
