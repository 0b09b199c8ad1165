import type { CST, Document, ErrorCode, Node, YAMLError } from "yaml";
import { Composer, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, Parser } from "yaml";
import { type Path, showKey, startOfWord } from "./shown-value.ts";

/** A text in YAML: its value, where each part of it stands, or what is wrong with it. */
interface YamlText {
  value: unknown;
  faults: Fault[];
  /** Where the value (or the key) at this path stands; where it is missing, the nearest place above it. */
  find(path: Path, part: "key" | "value"): Position;
}

interface Fault {
  at: Position;
  expected: string;
  got: string;
}

/** Both count from 1. */
interface Position {
  line: number;
  column: number;
}

/** The library's own messages are not used: they quote the text, which may hold a password. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faulty = (faults: Fault[]): YamlText => ({ value: undefined, faults, find: () => positionOf(0) });

  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const nested = listTokens(tokens);
  if (nested.some(({ depth }) => depth > DEEPEST)) {
    return faulty([{ at: positionOf(0), expected: `at most ${DEEPEST} levels of nesting`, got: "more" }]);
  }
  const composer = new Composer({ prettyErrors: false, logLevel: "error" });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (!document) return faulty([]);

  const errors = [...document.errors, ...document.warnings];
  const bracket = errors.find(({ pos }) => isBracketInWord(text, pos[0]));
  if (bracket) return faulty([{ at: positionOf(bracket.pos[0]), ...BRACKET_IN_WORD }]);
  const brace = errors.find(({ pos }) => isBraceInAddress(text, pos[0]));
  if (brace) return faulty([{ at: positionOf(brace.pos[0]), ...BRACE_IN_ADDRESS }]);
  const unclosed = findUnclosed(nested);
  // What is read after a bracket that is not closed only looks wrong.
  const consequences = errors.filter(({ pos }) => unclosed && pos[0] >= unclosed.offset);
  const faults = errors
    .filter(
      (error, index) => !consequences.includes(error) && isFirstAt(error.pos[0], errors.slice(0, index)),
    )
    .map((error) => describeError(error, text))
    .map(({ offset, expected, got }) => ({ at: positionOf(offset), expected, got }));
  const [first] = consequences;
  if (unclosed && first) {
    const [opened, at] = [positionOf(unclosed.offset), positionOf(first.pos[0])];
    const isCutOff = at.line > opened.line && text.slice(first.pos[0]).trim() !== "";
    faults.push({ at, ...describeUnclosed(unclosed, opened, isCutOff) });
  }
  if (second) faults.push({ at: positionOf(second.range[0]), expected: "one document", got: "a second ---" });
  if (faults.length > 0) return faulty(firstOfEachLine(faults));
  try {
    const value: unknown = document.toJS();
    return { value, faults: [], find: (path, part) => positionOf(offsetOf(document, path, part)) };
  } catch (error) {
    // An alias without its anchor, or so many that they would fill the memory.
    if (!(error instanceof ReferenceError)) throw error;
    return faulty([{ at: positionOf(0), expected: SOUND_ALIASES, got: "another use of them" }]);
  }
}

/** The library is recursive: a deeper text, far deeper than any configuration, would overflow the stack. */
const DEEPEST = 50;

/** All tokens, with how deep each is nested; without recursion, since a text can be deeper than the stack. */
function listTokens(tokens: readonly CST.Token[]): { token: CST.Token; depth: number }[] {
  const listed = tokens.map((token) => ({ token, depth: 1 }));
  for (const { token, depth } of listed) {
    for (const inner of tokensIn(token)) listed.push({ token: inner, depth: depth + 1 });
  }
  return listed;
}

function tokensIn(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  return token.items
    .flatMap(({ key, value }) => [key, value])
    .filter((part) => part !== null && part !== undefined);
}

/** A bracket or a quote that is opened and not closed. */
interface Unclosed {
  offset: number;
  open: string;
  close: string;
}

/** The last one that is opened: it may be the reason why those before it are not closed. */
function findUnclosed(tokens: readonly { token: CST.Token }[]): Unclosed | undefined {
  const unclosed = tokens.flatMap(({ token }) => {
    const marks = marksOf(token);
    return marks ? [{ offset: token.offset, ...marks }] : [];
  });
  return unclosed.toSorted((one, other) => one.offset - other.offset).at(-1);
}

/** The mark that opens this token and the one that would close it; undefined where it is closed. */
function marksOf(token: CST.Token): Pick<Unclosed, "open" | "close"> | undefined {
  if (token.type === "flow-collection") {
    const open = token.start.source;
    const close = open === "{" ? "}" : "]";
    return token.end.some(({ source }) => source === close) ? undefined : { open, close };
  }
  if (token.type !== "double-quoted-scalar" && token.type !== "single-quoted-scalar") return undefined;
  const [quote = ""] = token.source;
  return token.source.length > 1 && token.source.endsWith(quote) ? undefined : { open: quote, close: quote };
}

/** A line with too few spaces at its beginning cuts off a bracket that is closed further down. */
function describeUnclosed({ open, close }: Unclosed, { line, column }: Position, isCutOff: boolean) {
  const indent = isCutOff ? ", or more spaces at the beginning of this line" : "";
  const expected = `a ${close} that closes the ${open} of line ${line}, column ${column}${indent}`;
  return { expected, got: "none" };
}

/** The library says of one place all that it could not be. */
function isFirstAt(offset: number, earlier: readonly YAMLError[]): boolean {
  return !earlier.some(({ pos }) => pos[0] === offset);
}

/** One mistake makes the rest of its line look wrong, too. */
function firstOfEachLine(faults: readonly Fault[]): Fault[] {
  return faults.filter(({ at }, index) => faults.findIndex((other) => other.at.line === at.line) === index);
}

/** `path: battery[0]` between braces: to YAML the [ begins a list. */
function isBracketInWord(text: string, offset: number): boolean {
  return text[offset] === "[" && /[\w.]/.test(text[offset - 1] ?? "");
}

const BRACKET_IN_WORD = {
  expected: "quotes around a text with a bracket in it; in a path, a number joined by dots (battery.0)",
  got: "a [ right after a word",
};

/** `url: http://192.0.2.40/{payload}` between braces: to YAML the { begins a group. */
function isBraceInAddress(text: string, offset: number): boolean {
  return /:\/\/[^\s,"']*$/.test(text.slice(Math.max(0, offset - 2000), offset)) && text[offset] === "{";
}

const BRACE_IN_ADDRESS = {
  expected: "quotes around an address with a placeholder in it",
  got: "a { in an address without quotes",
};

/** What is wrong, and where; `offset` counts from the beginning of the text. */
interface FoundFault extends Pick<Fault, "expected" | "got"> {
  offset: number;
}

function describeError({ code, pos: [offset] }: YAMLError, text: string): FoundFault {
  if (code === "DUPLICATE_KEY") {
    return { offset, expected: "each key once", got: `${describeKeyAt(text.slice(offset))} again` };
  }
  if (isOfIndent(code, text.slice(offset))) return describeIndent(text, offset);
  const quotes = QUOTES_IN_TEXT.get(text[offset - 1] ?? "");
  if (quotes && /\p{L}/u.test(text[offset] ?? "")) return { offset, ...quotes };
  return { offset, expected: EXPECTED[code] ?? "YAML that can be read", got: GOT[code] ?? NOT_YAML };
}

/** What has no colon after it is no key to whoever wrote it, and may be a part of a password. */
function describeKeyAt(text: string): string {
  const word = startOfWord(text);
  return word === "" || /^\s*:/.test(text.slice(word.length)) ? showKey(word) : "a text without a colon";
}

/** Too few spaces (`   when:` below `  - id:`) are an item without its dash to the library; too many, a key in a value. */
function isOfIndent(code: ErrorCode, text: string): boolean {
  const [line = ""] = text.split("\n", 1);
  const isImplicitKey = code === "BLOCK_AS_IMPLICIT_KEY";
  if (code === "MISSING_CHAR" || isImplicitKey)
    return line.startsWith(" ") || (isImplicitKey && !line.includes(":"));
  return code === "BAD_INDENT";
}

/** The library names the value before a line that has too many spaces, and the line itself where it has too few. */
function describeIndent(text: string, offset: number): FoundFault {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const isBefore = text.slice(start, offset).trim() !== "";
  const lines = [...text.matchAll(/^( *)((?:- +)*)([^\s#].*)$/gm)];
  const index = lines.findIndex((line) => (isBefore ? line.index > offset : line.index >= start));
  const [line, above] = [lines[index], lines[index - 1]];
  if (!line) return { offset, expected: AS_MANY_SPACES, got: NOT_YAML };
  const [, indent = "", dashes = ""] = line;
  const own = `${indent.length} at the beginning of this line`;
  const [, indentAbove = "", dashesAbove = ""] = above ?? [];
  // A dash stands below a dash, a key below a key.
  const isItem = dashes !== "";
  const wanted = isItem ? indentAbove.length : indentAbove.length + dashesAbove.length;
  const other = `; ${isItem ? "" : "the first word of "}the line above begins after ${wanted}`;
  return {
    offset: line.index + indent.length,
    expected: AS_MANY_SPACES,
    got: above && wanted !== indent.length ? own + other : own,
  };
}

const AS_MANY_SPACES = "the same number of spaces before lines that belong together";
/** By the quote after which a text goes on, to YAML after its end: `'l'eau'`. */
const QUOTES_IN_TEXT = new Map([
  ["'", { expected: `double quotes around a text with an apostrophe ("l'eau")`, got: "single quotes" }],
  ['"', { expected: `single quotes around a text with double quotes ('say "on"')`, got: "double quotes" }],
]);
const NOT_YAML = "text that is not YAML";

const SOUND_ALIASES =
  "each alias (*name) to have an anchor (&name), not too many aliases, and quotes around a text that begins with *";
const EXPECTED: { [code in ErrorCode]?: string } = {
  BAD_ALIAS: "quotes around a text that begins with * or &",
  BAD_DIRECTIVE: "no line that begins with %",
  BAD_DQ_ESCAPE: "each \\ in a text in \"…\" to be doubled, or the text in '…'",
  BAD_SCALAR_START: "quotes around a text that begins with a special character",
  BLOCK_AS_IMPLICIT_KEY:
    "quotes around a text with a colon and a space in it, or the second key on a line of its own",
  MISSING_CHAR: "a closing quote or bracket, a comma, or a colon and a space after a key",
  MULTILINE_IMPLICIT_KEY: "a key on one line, followed by a colon and a space",
  TAB_AS_INDENT: "spaces at the beginning of the line, no tab",
  TAG_RESOLVE_FAILED: "quotes around a text that begins with !",
  UNEXPECTED_TOKEN: "quotes around a text with special characters",
};

const GOT: { [code in ErrorCode]?: string } = {
  BLOCK_AS_IMPLICIT_KEY: "two colons on one line",
  TAB_AS_INDENT: "a tab",
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
