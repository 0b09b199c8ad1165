/** Text that is markup already. Only `html` makes it, so nothing dynamic reaches a page without being escaped. */
export class Html {
  readonly #markup: string;
  private constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }

  /** What stands between the parts is escaped unless it is markup: right in text and in quoted attributes, of SVG too. */
  static from(parts: readonly string[], values: readonly Part[]): Html {
    let markup = parts[0] ?? "";
    for (const [index, value] of values.entries()) markup += write(value) + (parts[index + 1] ?? "");
    return new Html(markup);
  }
}

/** What a template takes; null and false write nothing. */
export type Part = Html | string | number | null | false | readonly Part[];

/** A template of HTML or SVG: html`<b>${name}</b>`. Attributes with a value have to be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return Html.from(parts, values);
}

/**
 * Text from outside: cut so that one can see it, and isolated, so that right-to-left text in it turns nothing around
 * beside it.
 */
export function foreign(text: string, longest = 240): Html {
  return html`<bdi>${cut(text, longest)}</bdi>`;
}

export function cut(text: string, longest: number): string {
  const clean = text.slice(0, longest + 1).replace(NO_TEXT, " ");
  return clean.length <= longest ? clean : `${clean.slice(0, longest).replace(HALF_AT_END, "")}…`;
}

function write(value: Part): string {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(write).join("");
  if (value === null || value === false) return "";
  return String(value).replace(SPECIAL, (one) => ESCAPED[one] ?? one);
}

const SPECIAL = /[&<>"']/g;
const ESCAPED: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Control characters, half of a surrogate pair, and marks that turn text around: one that is not closed ends an isolation. */
const NO_TEXT = /(?![\n\t])\p{Cc}|\p{Surrogate}|[\u202A-\u202E\u2066-\u2069]/gu;
const HALF_AT_END = /[\uD800-\uDBFF]$/;
