import type { CST, ErrorCode, YAMLError } from "yaml";
import { showKey, startOfWord } from "./shown-value.ts";

/** What is wrong with a text in YAML, and where. */
export interface Fault {
  at: Position;
  expected: string;
  got: string;
}

/** Both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** What is wrong; `offset` counts from the beginning of the text. */
export interface FoundFault extends Pick<Fault, "expected" | "got"> {
  offset: number;
}

interface ListedToken {
  token: CST.Token;
  depth: number;
  isKey: boolean;
}

/** All tokens, with how deep each is nested; without recursion, since a text can be deeper than the stack. */
export function listTokens(tokens: readonly CST.Token[]): ListedToken[] {
  const listed = tokens.map((token) => ({ token, depth: 1, isKey: false }));
  for (const { token, depth } of listed) {
    for (const inner of tokensIn(token)) listed.push({ ...inner, depth: depth + 1 });
  }
  return listed;
}

function tokensIn(token: CST.Token): Pick<ListedToken, "token" | "isKey">[] {
  if (token.type === "document") return token.value ? [{ token: token.value, isKey: false }] : [];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [
    ...(key ? [{ token: key, isKey: true }] : []),
    ...(value ? [{ token: value, isKey: false }] : []),
  ]);
}

/** Texts without quotes that YAML reads, but hardly ever as their owner means them. */
export function findTextFaults(tokens: readonly ListedToken[]): FoundFault[] {
  return tokens.flatMap(({ token, isKey }) => {
    if (token.type !== "scalar") return [];
    const { offset, source } = token;
    for (const { fits, ofKeys = false, ...words } of IN_TEXTS) {
      const found = isKey || !ofKeys ? fits.exec(source) : null;
      if (found) {
        const { expected, got } = faultAt(source, found.index, words);
        return [{ offset: offset + found.index, expected, got }];
      }
    }
    return [];
  });
}

interface Words {
  expected: string;
  /** Or how the character that stands there is named. */
  got: string | ((character: string) => string);
}

function faultAt(text: string, offset: number, { expected, got }: Words): FoundFault {
  return { offset, expected, got: typeof got === "string" ? got : got(text.charAt(offset)) };
}

const OTHER_SPACES = "\u00a0\u2000-\u200b\u202f\u2060\u3000\ufeff";
const OTHER_SPACE = {
  expected: "spaces that are typed with the space bar",
  got: (character: string) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const isNoBreak = /[\u00a0\u2007\u202f]/.test(character);
    return `U+${code}, ${isNoBreak ? "a no-break space" : "which is no such space"}, as texts from web pages have it`;
  },
};
const COMMA_BETWEEN = {
  expected: "a comma before this, as between all parts of { … } and of [ … ]",
  got: "none",
};
const SPACE_AFTER_COLON = { expected: "a space after the colon of this key", got: "none" };

/** The first row that fits counts. */
const IN_TEXTS: readonly (Words & { fits: RegExp; ofKeys?: boolean })[] = [
  // At the beginning of a line, after a dash, at the end, and after the colon of a key.
  { fits: new RegExp(`(?<=^[\\s-]*)[${OTHER_SPACES}]|[${OTHER_SPACES}]+$`, "m"), ...OTHER_SPACE },
  { fits: new RegExp(`(?<=^\\w+:)[${OTHER_SPACES}]`), ofKeys: true, ...OTHER_SPACE },
  { fits: /^-(?=\w)/, ofKeys: true, expected: "a space after the dash", got: "none" },
  {
    fits: /^<<$/,
    ofKeys: true,
    expected: "each option written out where it belongs",
    got: "<<, which vigie does not know",
  },
  // With the next key it is one text over two lines.
  { fits: /(?<=^\w+:)(?=\S[^\n]*\n)/, ofKeys: true, ...SPACE_AFTER_COLON },
];

/** What the line has before the place of an error, and from there on; the first row that fits counts. */
const AT_ERRORS: readonly (Words & { before?: RegExp; after: RegExp })[] = [
  {
    before: /[\w.]$/,
    after: /^\[/,
    expected: "quotes around a text with a bracket in it; in a path, a number joined by dots (battery.0)",
    got: "a [ right after a word",
  },
  {
    before: /:\/\/[^\s,"']*$/,
    after: /^\{/,
    expected: "quotes around an address with a placeholder in it",
    got: "a { in an address without quotes",
  },
  {
    before: /'$/,
    after: /^\p{L}/u,
    expected: `double quotes around a text with an apostrophe ("l'eau")`,
    got: "single quotes",
  },
  {
    before: /"$/,
    after: /^\p{L}/u,
    expected: `single quotes around a text with double quotes ('say "on"')`,
    got: "double quotes",
  },
  { after: /^,\s*(?:#.*)?$/, expected: "no comma at the end of this line", got: "one" },
  {
    before: /^[\s-]*\S+:\s+$/,
    after: /^- /,
    expected: "this dash on the next line, below its key",
    got: "it on the line of the key",
  },
  {
    after: /^!(?:secret|include|env_var)\b/,
    expected:
      "the value, or an option or a variable that names the file with it (password_file, secret_file, VIGIE_MQTT_PASSWORD_FILE)",
    got: "a tag that only Home Assistant knows (!secret, !include, !env_var)",
  },
  {
    before: /[{,][^{}[\]]*:\s+$/,
    after: /^[^\s,{}[\]]+\s+(\w+:)\s/,
    ...COMMA_BETWEEN,
  },
  { before: /[}\]]\s+$/, after: /^(?:\w+:\s|\{)/, ...COMMA_BETWEEN },
  { before: /^[\s-]*$/, after: /^\w+:([^\s/])/, ...SPACE_AFTER_COLON },
  { after: new RegExp(`^[${OTHER_SPACES}]`), ...OTHER_SPACE },
];

function startOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

function findMistake(text: string, offset: number): FoundFault | undefined {
  const start = startOfLine(text, offset);
  const [line = ""] = text.slice(start).split(/\r?\n/, 1);
  for (const { before, after, ...words } of AT_ERRORS) {
    const found = after.exec(line.slice(offset - start));
    // The place is that of the group, if there is one.
    const place = found?.[0].lastIndexOf(found[1] ?? found[0]) ?? 0;
    if (found && (before?.test(line.slice(0, offset - start)) ?? true))
      return faultAt(text, offset + place, words);
  }
  return undefined;
}

/** What the library found wrong, but for what only follows from something else. */
export function findFaults(
  text: string,
  tokens: readonly ListedToken[],
  errors: readonly YAMLError[],
): FoundFault[] {
  const recognised = errors.filter(({ pos }) => findMistake(text, pos[0]));
  const mistakes = recognised.flatMap(({ pos }) => findMistake(text, pos[0]) ?? []);
  const unclosed = findUnclosed(tokens);
  // What is read after a mistake, or after a bracket that is not closed, only looks wrong.
  const end = Math.min(
    ...recognised.map(({ pos }) => startOfLine(text, pos[0])),
    unclosed?.offset ?? text.length + 1,
  );
  const before = errors.filter(({ pos }) => pos[0] < end);
  const firstOfLines = before.filter((error, index) => !isSameLine(error, before.slice(0, index), text));
  const described = firstOfLines
    .filter((error, index) => !isInItemWithoutDash(error, firstOfLines.slice(0, index), text))
    .map((error) => describeError(error, text));
  const first = errors.find(({ pos }) => unclosed && pos[0] >= unclosed.offset);
  const open =
    unclosed && first && mistakes.length === 0 ? [describeUnclosed(unclosed, first.pos[0], text)] : [];
  return [...mistakes, ...described, ...open];
}

/** The library says of one mistake all that it could not be, and the rest of its line. */
function isSameLine({ pos: [offset] }: YAMLError, earlier: readonly YAMLError[], text: string): boolean {
  const start = startOfLine(text, offset);
  return earlier.some(({ pos }) => pos[0] >= start && pos[0] <= offset);
}

/** Without the dash of an item, each of its keys comes again; only the first of them is said. */
function isInItemWithoutDash(error: YAMLError, earlier: readonly YAMLError[], text: string): boolean {
  const above = lineAround(text, error.pos[0]);
  return earlier.some(
    (other) => isItemWithoutDash(other, text) && lineAround(text, other.pos[0])?.index === above?.index,
  );
}

/** Whether the first key of an item comes again: `id` in the middle of a rule. */
function isItemWithoutDash({ code, pos: [offset] }: YAMLError, text: string): boolean {
  const above = lineAround(text, offset);
  if (code !== "DUPLICATE_KEY" || !above?.dashes) return false;
  const word = startOfWord(text.slice(offset));
  return word !== "" && startOfWord(above.content) === word;
}

/** One line: spaces, dashes, and what follows. */
interface Line {
  index: number;
  indent: number;
  /** With the spaces after them. */
  dashes: string;
  content: string;
}

/** Those that are not empty and no comments. */
function linesOf(text: string): Line[] {
  return [...text.matchAll(/^( *)((?:- +)*)([^\s#].*)$/gm)].map(
    ({ index, 1: spaces = "", 2: dashes = "", 3: content = "" }) => ({
      index,
      indent: spaces.length,
      dashes,
      content,
    }),
  );
}

/** The last line above that begins further left: that of the item, or of the key, in which this one stands. */
function lineAround(text: string, offset: number): Line | undefined {
  const start = startOfLine(text, offset);
  return linesOf(text.slice(0, start)).findLast(({ indent }) => indent < offset - start);
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

/** The mark that opens this token and the one that would close it; undefined if it is closed. */
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

/**
 * A line with too few spaces at its beginning cuts off a bracket that is closed further down, and so does a # that begins a
 * comment.
 */
function describeUnclosed(
  { offset: opened, open, close }: Unclosed,
  offset: number,
  text: string,
): FoundFault {
  const before = text.slice(0, opened);
  const comment = new RegExp(`[:,[{]\\s+#[^\\n]*\\${close}`).exec(text.slice(opened, offset));
  if (comment)
    return {
      offset: opened + comment.index + comment[0].indexOf("#"),
      expected: "quotes around a text that begins with #",
      got: "none: # begins a comment, and the rest of the line with it",
    };
  const line = before.split("\n").length;
  const isCutOff = text.slice(opened, offset).includes("\n") && text.slice(offset).trim() !== "";
  const indent = isCutOff ? ", or more spaces at the beginning of this line" : "";
  const column = opened - before.lastIndexOf("\n");
  const expected = `a ${close} that closes the ${open} of line ${line}, column ${column}${indent}`;
  return { offset, expected, got: "none" };
}

function describeError(error: YAMLError, text: string): FoundFault {
  const {
    code,
    pos: [offset],
  } = error;
  if (isItemWithoutDash(error, text))
    return {
      offset,
      expected: `a dash before this ${describeKeyAt(text.slice(offset))}, which begins the next item of the list`,
      got: "none",
    };
  if (code === "DUPLICATE_KEY") {
    return { offset, expected: "each key once", got: `${describeKeyAt(text.slice(offset))} again` };
  }
  if (isOfIndent(code, text.slice(offset))) return describeIndent(text, offset);
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
    return line.startsWith(" ") || (isImplicitKey && (!line.includes(":") || line.startsWith("- ")));
  return code === "BAD_INDENT";
}

/** The library names the value before a line that has too many spaces, and the line itself if it has too few. */
function describeIndent(text: string, offset: number): FoundFault {
  const start = startOfLine(text, offset);
  const isBefore = text.slice(start, offset).trim() !== "";
  const lines = linesOf(text);
  const index = lines.findIndex((line) => (isBefore ? line.index > offset : line.index >= start));
  const [line, above] = [lines[index], lines[index - 1]];
  if (!line) return { offset, expected: AS_MANY_SPACES, got: NOT_YAML };
  const isItem = line.dashes !== "";
  const item = lines.slice(0, index).findLast(({ dashes }) => dashes !== "");
  if (isItem && item && item.indent > line.indent) return describeDash(line, item, text);
  const own = `${line.indent} at the beginning of this line`;
  // A dash stands below a dash, a key below a key.
  const wanted = above && (isItem ? above.indent : above.indent + above.dashes.length);
  const other = `; ${isItem ? "" : "the first word of "}the line above begins after ${wanted}`;
  return {
    offset: line.index + line.indent,
    expected: AS_MANY_SPACES,
    got: wanted !== undefined && wanted !== line.indent ? own + other : own,
  };
}

function describeDash(line: Line, item: Line, text: string): FoundFault {
  const above = text.slice(0, item.index).split("\n").length;
  return {
    offset: line.index + line.indent,
    expected: `${item.indent} spaces before this dash, as before that of line ${above}`,
    got: `${line.indent}: the dash stands too far left`,
  };
}

const AS_MANY_SPACES = "the same number of spaces before lines that belong together";
const NOT_YAML = "text that is not YAML";

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
