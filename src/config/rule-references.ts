import { LONGEST_SHIFT } from "../core/rules/rule.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { nearest } from "./nearest-word.ts";
import { writeLength } from "./value-schemas.ts";

/** A rule that refers to another one wrongly: where, and what is expected there. */
interface ReferenceProblem {
  path: PropertyKey[];
  expected: string;
}

/**
 * Every wrong `rule: <id>` in the conditions of a list of rules: an unknown id, a circle, a chain whose leads and lags are
 * too long together. Parts of the list may be wrong in themselves: each is read with care.
 */
export function findReferenceProblems(given: unknown): ReferenceProblem[] {
  const all = readReferring(given);
  // If two have one id, which is a problem itself, the first is meant.
  const rules = new Map<string, ReferringRule>();
  for (const rule of all) if (!rules.has(rule.id)) rules.set(rule.id, rule);
  const unknown = findUnknown(all, [...rules.keys()]);
  const circles = findCircles(rules);
  return [...unknown, ...circles, ...(circles.length === 0 ? findLongChains(rules) : [])];
}

/** Where this key stands in the condition of a rule, at any depth. */
export function findKey(rule: unknown, key: string, path: PropertyKey[] = ["when"]): PropertyKey[][] {
  const parts = [
    ...["all", "any"].flatMap((group) =>
      listAt(rule, [...path, group]).map((_, index) => [...path, group, index]),
    ),
    ...(valueAt(rule, [...path, "not"]) === undefined ? [] : [[...path, "not"]]),
  ];
  const here = [...path, key];
  return [
    ...(valueAt(rule, here) === undefined ? [] : [here]),
    ...parts.flatMap((part) => findKey(rule, key, part)),
  ];
}

interface ReferringRule {
  id: string;
  /** Its lead and its lag together, milliseconds. */
  shift: number;
  references: readonly Reference[];
}

interface Reference {
  path: PropertyKey[];
  to: string;
}

function readReferring(given: unknown): ReferringRule[] {
  return listAt(given, []).map((rule, index) => {
    const id = valueAt(rule, ["id"]);
    const references = findKey(rule, "rule").flatMap((path): Reference[] => {
      const to = valueAt(rule, path);
      return typeof to === "string" ? [{ path: [index, ...path], to }] : [];
    });
    const shift = lengthAt(rule, "lead") + lengthAt(rule, "lag");
    return { id: typeof id === "string" ? id : "", shift, references };
  });
}

function lengthAt(rule: unknown, key: string): number {
  const length = valueAt(rule, [key]);
  return typeof length === "number" ? length : 0;
}

function findUnknown(rules: readonly ReferringRule[], ids: readonly string[]): ReferenceProblem[] {
  return rules.flatMap(({ id, references }) => {
    const others = ids.filter((other) => other !== id && other !== "");
    return references
      .filter(({ to }) => !ids.includes(to))
      .map(({ path, to }) => {
        const expected =
          others.length === 0
            ? "the id of another rule, but there is no other rule"
            : `the id of another rule, such as ${nearest(to, others) ?? others.join(", ")}`;
        return { path, expected };
      });
  });
}

/** Each reference that closes a circle. */
function findCircles(rules: ReadonlyMap<string, ReferringRule>): ReferenceProblem[] {
  const problems: ReferenceProblem[] = [];
  const done = new Set<string>();
  // The ids on the way from the first rule to the present one.
  const way: string[] = [];
  const visit = (rule: ReferringRule) => {
    way.push(rule.id);
    for (const { path, to } of rule.references) {
      const referred = rules.get(to);
      if (!referred || done.has(to)) continue;
      const start = way.indexOf(to);
      if (start >= 0) problems.push({ path, expected: describeCircle([...way.slice(start), to]) });
      else visit(referred);
    }
    way.pop();
    done.add(rule.id);
  };
  for (const rule of rules.values()) if (!done.has(rule.id)) visit(rule);
  return problems;
}

function describeCircle(ids: readonly string[]): string {
  return `no circle of rules, because none of them could be decided first (${ids.join(" → ")})`;
}

/** A rule, and the chain of those that it refers to which has the longest leads and lags; null if it refers to none. */
interface LongestChain {
  rule: ReferringRule;
  rest: LongestChain | null;
  /** The sum of their leads and lags. */
  shift: number;
}

/** The references that make a chain too long; not those to a rule whose own chain is too long already. */
function findLongChains(rules: ReadonlyMap<string, ReferringRule>): ReferenceProblem[] {
  const found = new Map<string, LongestChain>();
  const chainsFrom = (rule: ReferringRule) =>
    rule.references.flatMap(({ path, to }) => {
      const referred = rules.get(to);
      const rest = referred ? longestFrom(referred) : null;
      return rest ? [{ path, chain: { rule, rest, shift: rule.shift + rest.shift } }] : [];
    });
  const longestFrom = (rule: ReferringRule): LongestChain => {
    const known = found.get(rule.id);
    if (known) return known;
    const chains = chainsFrom(rule).map(({ chain }): LongestChain => chain);
    const longest = chains.sort((one, other) => other.shift - one.shift)[0];
    const result = longest ?? { rule, rest: null, shift: rule.shift };
    found.set(rule.id, result);
    return result;
  };
  return [...rules.values()]
    .flatMap(chainsFrom)
    .filter(({ chain: { rest, shift } }) => shift > LONGEST_SHIFT && !isTooLong(rest))
    .map(({ path, chain }) => ({ path, expected: describeLongChain(chain) }));
}

/** A rule that refers to no other may have 24h of each. */
function isTooLong({ rest, shift }: LongestChain): boolean {
  return rest !== null && shift > LONGEST_SHIFT;
}

function describeLongChain(chain: LongestChain): string {
  const names: string[] = [];
  for (let one: LongestChain | null = chain; one; one = one.rest)
    names.push(`${one.rule.id} ${writeLength(one.rule.shift)}`);
  return `at most 24h of lead and lag along a chain of rules (${names.join(" → ")}: ${writeLength(chain.shift)})`;
}
