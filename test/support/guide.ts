import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import type { Vigie } from "./vigie.ts";

/** A fenced block of a guide, with the comment before it that says what becomes of it. */
export interface Block {
  language: string;
  text: string;
  /** `run: NAME`, `file: PATH`, `by hand: why`; empty where none stands there. */
  mark: string;
}

const ROOT = join(import.meta.dirname, "..", "..");

/** The pages of each language: `docs/rules.md`, and `docs/fr/rules.md`, which says the same in French. */
export const GUIDES = { en: ["README.md", ...pagesIn("docs")], fr: pagesIn("docs/fr") };

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

export function englishOf(french: string): string {
  const name = basename(french);
  return name === "README.md" ? name : `docs/${name}`;
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(BLOCK)].map(([, mark = "", , language = "", text = ""]) => ({
    language,
    text,
    mark,
  }));
}

/** The one block with this mark. */
export function blockOf(page: string, mark: string): string {
  const found = blocksOf(page).filter((block) => block.mark === mark);
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`Expected one block '${mark}', got ${found.length}`);
  return only.text;
}

export interface Section {
  title: string;
  text: string;
}

/** The parts of a page below its `##` titles. */
export function sectionsOf(page: string): Section[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return { title, text: lines.join("\n").trim() };
    });
}

export function sectionOf(page: string, title: string): string {
  const found = sectionsOf(page).find((section) => section.title === title);
  if (!found) throw new Error(`Expected a part '${title}'`);
  return found.text;
}

/** What vigie says in its log stands on the page, but for addresses, folders and lengths of time. */
export async function saysAsWritten(page: string, vigie: Pick<Vigie, "says">, words: RegExp): Promise<void> {
  const { msg } = await vigie.says(words);
  const written = quotedOn(page).some((sentence) => isSame(sentence, msg));
  expect(written, `the page has: ${msg}`).toBe(true);
}

/** All between backticks. */
export function quotedOn(page: string): string[] {
  return [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
}

/** `…` on the page stands for anything. */
export function isSame(written: string, said: string): boolean {
  const pattern = plain(written).split("…").map(literally).join(".*");
  return new RegExp(`^${pattern}$`).test(plain(said));
}

function plain(text: string): string {
  return text.replace(/(mqtts?|https?):\/\/[\w.]+(:\d+)?/g, "$1://BROKER");
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const BLOCK = /(?:^ *<!-- ((?:run|file|by hand): [^\n]*?) -->\n)?^( *)```([a-z]+)\n([\s\S]*?)^\2```$/gm;
