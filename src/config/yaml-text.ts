import type { Document, Node } from "yaml";
import { Composer, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, Parser, visit } from "yaml";
import type { Path } from "./shown-value.ts";
import {
  type Fault,
  type FoundFault,
  findFaults,
  findTextFaults,
  listTokens,
  type Position,
} from "./yaml-faults.ts";

/** A text in YAML: its value, where each part of it stands, or what is wrong with it. */
interface YamlText {
  value: unknown;
  faults: Fault[];
  /** Where the value (or the key) at this path stands; where it is missing, the nearest place above it. */
  find(path: Path, part: "key" | "value"): Position;
}

/** The library's own messages are not used: they quote the text, which may hold a password. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faulty = (found: readonly FoundFault[]): YamlText => ({
    value: undefined,
    faults: inOrder(found.map(({ offset, ...words }) => ({ at: positionOf(offset), ...words }))),
    find: () => positionOf(0),
  });

  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const nested = listTokens(tokens);
  if (nested.some(({ depth }) => depth > DEEPEST))
    return faulty([{ offset: 0, expected: `at most ${DEEPEST} levels of nesting`, got: "more" }]);
  const composer = new Composer({ prettyErrors: false, logLevel: "error" });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (!document) return faulty([]);

  // A text that is surely meant otherwise makes what follows look wrong.
  const inTexts = findTextFaults(nested);
  if (inTexts.length > 0) return faulty(inTexts);
  const faults = findFaults(text, nested, [...document.errors, ...document.warnings]);
  if (second) faults.push({ offset: second.range[0], expected: "one document", got: "a second ---" });
  if (faults.length > 0) return faulty(faults);
  const lost = findLostAliases(document);
  if (lost.length > 0) return faulty(lost);
  try {
    const value: unknown = document.toJS();
    return { value, faults: [], find: (path, part) => positionOf(offsetOf(document, path, part)) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return faulty([{ offset: 0, ...TOO_MANY_ALIASES }]);
  }
}

/** The library is recursive: a deeper text, far deeper than any configuration, would overflow the stack. */
const DEEPEST = 50;

/** By their place; one mistake makes the rest of its line look wrong, too. */
function inOrder(faults: readonly Fault[]): Fault[] {
  const sorted = faults.toSorted(
    ({ at: one }, { at: other }) => one.line - other.line || one.column - other.column,
  );
  return sorted.filter(({ at }, index) => sorted.findIndex((other) => other.at.line === at.line) === index);
}

function findLostAliases(document: Document.Parsed): FoundFault[] {
  const lost: FoundFault[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document)) lost.push({ offset: startOf(alias, 0), ...ALIAS_WITHOUT_ANCHOR });
    },
  });
  return lost;
}

const ALIAS_WITHOUT_ANCHOR = {
  expected: "quotes around a text that begins with *",
  got: "none: to YAML it repeats what is marked with & and the same name, and nothing is",
};
/** They would fill the memory. */
const TOO_MANY_ALIASES = {
  expected: "each alias (*name) to repeat a small part of the file",
  got: "aliases that together repeat too much",
};

function offsetOf(document: Document.Parsed, path: Path, part: "key" | "value"): number {
  let node: Node | null = document.contents;
  let offset = startOf(node, 0);
  for (const [index, key] of path.entries()) {
    const pair = pairAt(isAlias(node) ? node.resolve(document) : node, key);
    if (!pair) return offset;
    const wantsKey = part === "key" && index === path.length - 1;
    offset = startOf(wantsKey ? pair.key : pair.value, startOf(pair.key, offset));
    node = pair.value;
  }
  return offset;
}

/** An item of a list is its own key. */
function pairAt(node: unknown, key: PropertyKey): { key: Node | null; value: Node | null } | undefined {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(key)];
    return isNode(item) ? { key: item, value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key));
  return pair && { key: isNode(pair.key) ? pair.key : null, value: isNode(pair.value) ? pair.value : null };
}

function startOf(node: Node | null, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}
