import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Block, blocksOf, englishOf, GUIDES, quotedOn, readPage } from "../support/guide.ts";

const PAIRS = GUIDES.fr.map((french) => ({ french, english: englishOf(french) }));
/** What a person replaces or reads, and nothing else: French, and as it stands on the English page. */
const TRANSLATED = [
  ["utilisateur:mot de passe", "user:password"],
  ["le mot de passe", "the password"],
  ["votre/appareil", "your/device"],
];
/** What only a reader of English has to be told. */
const FOR_ENGLISH = ["homeassistant: { language: en }"];

describe.each(PAIRS)("$french says what $english says", ({ french, english }) => {
  const [page, original] = [readPage(french), readPage(english)];
  const inEnglish = TRANSLATED.reduce((text, [fr = "", en = ""]) => text.replaceAll(fr, en), page);

  test("each leads to the other one with its first line", () => {
    const up = english === "README.md" ? "../../" : "../";
    const down = english === "README.md" ? "docs/fr/" : "fr/";
    expect(page.split("\n")[0]).toBe(`[English](${up}${basename(english)})`);
    expect(original.split("\n")[0]).toBe(`[Français](${down}${basename(french)})`);
  });

  test(`its configurations, commands and files are those of ${english}, but for comments and names`, () => {
    expect(blocksOf(inEnglish).map(contentOf)).toEqual(blocksOf(original).map(contentOf));
  });

  test(`it names everything that ${english} names between backticks, and quotes no other sentence`, () => {
    const [here, there] = [quotedOn(inEnglish), quotedOn(original)];
    const needed = there.filter((words) => !FOR_ENGLISH.includes(words));
    expect(needed.filter((words) => !here.includes(words))).toEqual([]);
    const sentences = here.filter((words) => /^[A-Z][a-z]+ \w+ \w+/.test(words));
    expect(sentences.filter((words) => !there.includes(words))).toEqual([]);
  });

  test(`it has every figure of ${english}, and tables of the same length`, () => {
    const here = figuresOf(page);
    expect(figuresOf(original).filter((figure) => !here.includes(figure))).toEqual([]);
    expect(page.match(/^\|/gm)?.length).toBe(original.match(/^\|/gm)?.length);
  });

  test(`it leads to the same sites as ${english}`, () => {
    expect(new Set(sitesOf(page))).toEqual(new Set(sitesOf(original)));
  });

  test("its links lead to the French page, or say that the page is English", () => {
    const [, ...lines] = page.split("\n");
    const links = lines.flatMap((line) =>
      [...line.matchAll(/\]\(\.\.\/([\w-]+\.md)/g)].map(([, name = ""]) => ({ line, name })),
    );
    const known = GUIDES.fr.map(englishOf);
    expect(links.filter(({ name }) => known.includes(`docs/${name}`))).toEqual([]);
    expect(links.filter(({ line }) => !line.includes("en anglais"))).toEqual([]);
  });
});

test("docs/README.md lists every French page", () => {
  const listed = [...readPage("docs/README.md").matchAll(/\]\((fr\/[\w-]+\.md)\)/g)].map(([, name]) => name);
  expect(listed.map((name) => `docs/${name}`).toSorted()).toEqual(GUIDES.fr);
});

/** What vigie, a shell or another program reads of a block: its comments are for people. */
function contentOf({ language, mark, text }: Block) {
  if (language === "yaml") return { mark, yaml: withoutNames(parse(text)) };
  return { mark, [language]: language === "sh" ? withoutComments(text) : text };
}

/** The ✋ of a comment stays: it decides whether a test runs the command. */
function withoutComments(script: string): string {
  return script.replaceAll(/ +# .*$/gm, (comment) => (comment.includes("✋") ? " # ✋" : ""));
}

/** Names are for people: entities and automations have theirs in the language of the page. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !["name", "alias"].includes(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutNames(part)]));
}

/** The numbers of its sentences: `06:00` and `6 h` have the same. */
function figuresOf(page: string): number[] {
  const noSentence = /^( *)```[\s\S]*?^\1```|`[^`\n]+`|\]\([^)]*\)|https?:\S+|\d{4}-\d\d-\d\d/gm;
  const figures = page.replaceAll(noSentence, "").match(/\d+/g) ?? [];
  return figures.map(Number).filter((figure) => figure > 0);
}

/** Addresses of other people's documentation. */
function sitesOf(page: string): string[] {
  return [...page.matchAll(/\]\((https?:[^)\s]+)\)/g)].map(([, address = ""]) => address);
}
