/** A page in HTML as two lists: how it is built, and what a person reads in it. */
interface PageParts {
  /** A line for each element that has attributes, with those attributes that nobody reads. */
  elements: string[];
  /** A line for each row, list item, heading or paragraph, with what is read aloud in its place. */
  words: string[];
}

export function readPage(html: string): PageParts {
  const elements: string[] = [];
  const text = openText();
  for (const [, closing, name = "", attributes = "", empty, words = ""] of mainOf(html).matchAll(PART)) {
    text.add(words);
    if (closing) text.end(name);
    if (closing || name === "") continue;
    text.begin(name, empty !== "" || VOID.has(name));
    const read = [...attributes.matchAll(ATTRIBUTE)].map(([, key = "", value]) => ({ key, value }));
    for (const { key, value } of read) if (READ_ALOUD.has(key)) text.add(` [${value}] `);
    const shown = read.filter(({ key }) => !READ_ALOUD.has(key) && key !== "aria-hidden");
    if (shown.length > 0 && !text.isIn("defs"))
      elements.push([name, ...shown.map(({ key, value }) => `${key}=${value}`)].join(" "));
  }
  return { elements: countSame(elements), words: text.lines() };
}

/** The text of a page, divided into lines and cells as elements begin and end. */
function openText() {
  const lines: string[] = [""];
  /** The elements that have begun and not ended. */
  const open: string[] = [];
  const add = (text: string) => {
    lines[lines.length - 1] += text;
  };
  const divide = (name: string) => {
    if (ROWS.has(name) || (LINES.has(name) && !open.some((one) => ROWS.has(one)))) lines.push("");
    else if (LINES.has(name) || CELLS.has(name)) add(BETWEEN);
  };
  return {
    add,
    begin: (name: string, isEmpty: boolean) => {
      divide(name);
      if (!isEmpty) open.push(name);
    },
    end: (name: string) => {
      open.pop();
      divide(name);
    },
    isIn: (name: string) => open.includes(name),
    lines: () => lines.map(tidy).filter((line) => line !== ""),
  };
}

function mainOf(html: string): string {
  return html.slice(html.indexOf("<main"), html.indexOf("</main>"));
}

function tidy(line: string): string {
  const cells = line.split(BETWEEN).map((cell) => readEntities(cell).replaceAll(/\s+/g, " ").trim());
  return cells.filter((cell) => cell !== "").join(" | ");
}

/** The season has a square for each of its days. */
function countSame(lines: readonly string[]): string[] {
  const counted: { line: string; count: number }[] = [];
  for (const line of lines) {
    const last = counted.at(-1);
    if (last?.line === line) last.count += 1;
    else counted.push({ line, count: 1 });
  }
  return counted.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}

function readEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) => CHARACTERS[one]!);
}

const CHARACTERS: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
/** An element with its attributes, or text. */
const PART = /<(\/?)([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*(\/?)>|([^<]+)/gi;
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g;
const READ_ALOUD = new Set(["aria-label", "title", "alt"]);
const VOID = new Set(["br", "img", "input"]);
/** The text of one of these is one line, whatever is in it. */
const ROWS = new Set(["li", "tr", "summary"]);
const LINES = new Set([
  ..."main section header footer h1 h2 h3 p ul ol dl div table details".split(" "),
  ...ROWS,
]);
const CELLS = new Set(["td", "th", "dt", "dd", "span", "strong", "svg", "text", "time"]);
const BETWEEN = "\u0000";
