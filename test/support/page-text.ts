import { renderPage } from "../../src/http/page/render-page.ts";
import type { PageView } from "../../src/http/page-view.ts";

/** What a person reads of the page, in one line. */
export function readPage(view: PageView, language: "fr" | "en" = "fr"): string {
  return readMarkup(renderPage(view, { language }));
}

export function readMarkup(page: string): string {
  const body = page.slice(page.indexOf("<main"));
  const words = body.replaceAll(/<\/?(?:bdi|b)>/g, "").replaceAll(/<[^>]+>/g, " ");
  return words.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll(/\s+/g, " ");
}
