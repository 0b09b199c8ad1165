import type { z } from "zod";
import { valueAt } from "../runtime/value-at.ts";
import { maskAddress } from "./address.ts";
import { isSecret, keysAt, listOptions, type Path } from "./list-options.ts";
import { nearest } from "./nearest-word.ts";
import { plainStart, quoted, shownWord } from "./shown-word.ts";

/** The configuration is refused whole, with all that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: string[];
  /** The files that were read: a change of one may set it right. */
  readonly read: string[];

  constructor(problems: string[], read: string[]) {
    super(`The configuration is wrong:\n${problems.join("\n")}`);
    this.problems = problems;
    this.read = read;
  }
}

/** One thing that is wrong; no part of it holds a secret. */
export interface Problem {
  path: Path;
  /** What of the path is wrong: the word itself, or what it is set to. */
  part: "key" | "value";
  expected: string;
  got: string;
}

/** In an owner's words. */
export function describeIssues(issues: readonly Issue[], given: unknown): Problem[] {
  return issues.flatMap((issue) => describeIssue(issue, given));
}

type Issue = z.core.$ZodIssue;

function describeIssue(issue: Issue, given: unknown): Problem[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => describeUnknown([...issue.path, key]));
  const inner = issue.code === "invalid_union" ? groupIssues(issue) : [];
  if (inner.length > 0) return describeIssues(inner, given);
  const value = valueAt(given, issue.path);
  const near = hint(value, knownWords(issue));
  return [{ path: issue.path, part: "value", expected: issue.message, got: shown(value, issue.path) + near }];
}

/** Words that could have been meant; where one of several forms is a word, those of that form. */
function knownWords(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(knownWords) : [];
}

function describeUnknown(path: Path): Problem {
  const word = String(path.at(-1));
  const siblings = keysAt(path.slice(0, -1));
  const elsewhere = listOptions().find((option) => option.path.at(-1) === word);
  const meant = nearest(plainStart(word), siblings) ?? elsewhere?.path.join(".");
  const got = shownWord(word) + (meant === undefined ? "" : ` (did you mean ${meant}?)`);
  return { path, part: "key", expected: "a known option", got };
}

/** Where one of several forms is a group and a group was given, what is wrong inside it. */
function groupIssues(issue: z.core.$ZodIssueInvalidUnion): Issue[] {
  const isInside = (one: Issue) => one.path.length > 0 || one.code === "unrecognized_keys";
  const branch = issue.errors.find((issues) => issues.every(isInside)) ?? [];
  return branch.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

/** What is expected where the schema has no words of its own for it. */
export function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? "something else";
    case "invalid_value":
      return `${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return "a known option";
    case "invalid_key":
      return "a word";
    default:
      return "another value";
  }
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a group of options",
  record: "a group of options",
};

/** A value as a message may show it. */
export function shown(value: unknown, path: Path): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a group of options";
  if (isSecret(path)) return `a ${typeof value === "string" ? "text" : typeof value}`;
  if (typeof value !== "string") return String(value);
  return quoted(isAddress(path) || /@|:\/\//.test(value) ? maskAddress(value) : value);
}

function isAddress(path: Path): boolean {
  return path.at(-1) === "url" || path.at(-1) === "base_url";
}

function hint(value: unknown, words: readonly string[]): string {
  const near = typeof value === "string" ? nearest(value.slice(0, 40), words) : undefined;
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

/** `tariff.rates[0].from`. */
export function pathText(path: Path): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      const word = String(key);
      const isWord = word !== "" && plainStart(word) === word;
      return (index > 0 ? "." : "") + (isWord ? word : `${plainStart(word)}…`);
    })
    .join("");
}
