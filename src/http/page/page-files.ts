import { createHash } from "node:crypto";
import { SCRIPT, STYLE } from "./assets.ts";

/** A file that the page loads. */
interface PageFile {
  type: string;
  text: string;
  /** Its name beside the page, with a hash of its text: it may be kept for ever. */
  link: string;
}

/** By the last part of their path. */
export const PAGE_FILES = {
  "page.css": pageFile("page.css", "text/css", withoutIndents(STYLE)),
  "page.js": pageFile("page.js", "text/javascript", withoutIndents(SCRIPT)),
  "rouge.svg": iconFile("rouge.svg", '<rect x="1" y="1" width="14" height="14" rx="3" fill="#c8142d"/>'),
  "blanc.svg": iconFile(
    "blanc.svg",
    '<rect x="2" y="2" width="12" height="12" rx="2" fill="#fff" stroke="#6b7080" stroke-width="2"/>',
  ),
  "bleu.svg": iconFile("bleu.svg", '<circle cx="8" cy="8" r="6" fill="#2458cf"/>'),
  "unknown.svg": iconFile(
    "unknown.svg",
    '<circle cx="8" cy="8" r="5" fill="none" stroke="#6b7080" stroke-width="2" stroke-dasharray="3 2"/>',
  ),
} as const;

/** The browser's tab shows the colour in force, in the same forms as the season. */
function iconFile(name: string, drawing: string): PageFile {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${drawing}</svg>`;
  return pageFile(name, "image/svg+xml", text);
}

/** The page is asked for anew whenever something changes, also over a slow network. Neither file has a text of several lines. */
function withoutIndents(text: string): string {
  return text.replaceAll(/^ +/gm, "");
}

function pageFile(name: string, type: string, text: string): PageFile {
  const version = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { type: `${type}; charset=utf-8`, text, link: `${name}?v=${version}` };
}
