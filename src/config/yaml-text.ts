import type { CST, ErrorCode, YAMLError } from "yaml";
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
} from "yaml";
import { type Path, showKey } from "./shown-value.ts";

/** A text in YAML: what it says, where it says it, or what keeps it from being read. Offsets count from its beginning. */
export interface YamlText {
  value: unknown;
  faults: Fault[];
  /** Where the value at this path stands (or its key); the nearest place above it where it is not there. */
  find(path: Path, part: "key" | "value"): Position;
}

interface Fault {
  at: Position;
  expected: string;
  got: string;
}

interface Position {
  line: number;
  column: number;
}

/** The words of the library are not used: they quote the text, which may hold a password. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const failed = (faults: Fault[]): YamlText => ({
    value: undefined,
    faults,
    find: () => ({ line: 1, column: 1 }),
  });
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  if (depthOf(tokens) > DEEPEST)
    return failed([{ at: position(0), expected: `at most ${DEEPEST} levels`, got: "more" }]);
  const composer = new Composer({ prettyErrors: false, logLevel: "error" });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (!document) return failed([]);
  const errors = [...document.errors, ...document.warnings];
  const faults = errors.map((error) => ({ at: position(error.pos[0]), ...describe(error, text) }));
  if (second) faults.push({ at: position(second.range[0]), expected: "one document", got: "a second ---" });
  if (faults.length > 0) return failed(firstOfEachLine(faults));
  return expand(document, failed, (path, part) => position(offsetOf(document, path, part)));
}

function expand(
  document: Document.Parsed,
  failed: (faults: Fault[]) => YamlText,
  find: YamlText["find"],
): YamlText {
  try {
    return { value: document.toJS() as unknown, faults: [], find };
  } catch (error) {
    // An alias without its anchor, or so many that they would fill the memory.
    if (!(error instanceof ReferenceError)) throw error;
    const expected =
      "aliases (*name) that have an anchor (&name), and not too many; a text with a * goes in quotes";
    const got = "another use of them";
    return failed([{ at: { line: 1, column: 1 }, expected, got }]);
  }
}

/** Deeper than any configuration is; the library calls itself for each level, and ends the program with the stack. */
const DEEPEST = 50;

function depthOf(tokens: readonly CST.Token[]): number {
  let deepest = 0;
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const depth = next.depth + 1;
    deepest = Math.max(deepest, depth);
    for (const token of tokensIn(next.token)) waiting.push({ token, depth });
  }
  return deepest;
}

function tokensIn(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  return token.items
    .flatMap(({ key, value }) => [key, value])
    .filter((part) => part !== null && part !== undefined);
}

/** One slip makes the rest of its line look wrong, too. */
function firstOfEachLine(faults: readonly Fault[]): Fault[] {
  return faults.filter(({ at }, index) => faults.findIndex((other) => other.at.line === at.line) === index);
}

function describe({ code, pos }: YAMLError, text: string): { expected: string; got: string } {
  if (code !== "DUPLICATE_KEY") {
    return { expected: EXPECTED[code] ?? "YAML that can be read", got: "text that is not YAML" };
  }
  const [key = ""] = /^[\w$.-]*/.exec(text.slice(pos[0])) ?? [];
  return { expected: "each key once", got: `${showKey(key)} again` };
}

const EXPECTED: { [code in ErrorCode]?: string } = {
  BAD_ALIAS: "a text that begins with * or & in quotes",
  BAD_DIRECTIVE: "no line that begins with %",
  BAD_DQ_ESCAPE: "a \\ in a text in \"…\" to be doubled, or the text in '…'",
  BAD_INDENT: "the same indentation for what belongs together, and closing brackets indented",
  BAD_SCALAR_START: "a text that begins with a special character in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a text with a colon in quotes, or the value on a line of its own",
  MISSING_CHAR: "a closing quote or bracket, a comma, or a colon and a space after a key",
  MULTILINE_IMPLICIT_KEY: "a key on one line, followed by a colon and a space",
  TAB_AS_INDENT: "spaces at the beginning of the line, no tab",
  TAG_RESOLVE_FAILED: "a text that begins with ! in quotes",
  UNEXPECTED_TOKEN: "a text with special characters in quotes",
};

function offsetOf(document: Document.Parsed, path: Path, part: "key" | "value"): number {
  let node: Node | null = document.contents;
  let offset = startOf(node, 0);
  for (const [index, key] of path.entries()) {
    const inner = partsAt(isAlias(node) ? node.resolve(document) : node, key);
    if (!inner) return offset;
    const wantsKey = part === "key" && index === path.length - 1;
    offset = startOf(wantsKey ? inner.key : inner.value, startOf(inner.key, offset));
    node = inner.value;
  }
  return offset;
}

function partsAt(node: unknown, key: PropertyKey): { key: Node | null; value: Node | null } | undefined {
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
