import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cut, foreign, type Html, html } from "../../src/http/page/html.ts";

const REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const decode = (text: string) =>
  text.replaceAll(/&([\w#]+);/g, (_, name: string) => REFERENCES[name] ?? "wrong");
const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"><img src=x onerror=alert(1)>', "</script>", "' x=", "&lt;"),
);

describe("the template", () => {
  test("writes any text so that it is read as that text and nothing else", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const inText = html`<p>${text}</p>`.toString().slice(3, -4);
        expect(inText).not.toMatch(/[<>"']/);
        expect(decode(inText)).toBe(text);
        const inAttribute = html`<p title="${text}">`.toString().slice(10, -2);
        expect(inAttribute).toBe(inText);
      }),
    );
  });

  test("escapes what only looks like markup of its own", () => {
    const pretender = { toString: () => "<b>" } as unknown as Html;
    const copied = Object.assign(Object.create(Object.getPrototypeOf(html`<i></i>`)), { markup: "<b>" });
    expect(html`${pretender}`.toString()).not.toContain("<b>");
    expect(() => html`${copied}`.toString()).toThrow(TypeError);
  });

  test("keeps markup, joins lists, and writes nothing for null and false", () => {
    expect(html`<ul>${[html`<li>${1}</li>`, null, false, "&"]}</ul>`.toString()).toBe(
      "<ul><li>1</li>&amp;</ul>",
    );
  });
});

describe("text from outside", () => {
  test("is isolated, and cut so that one can see it", () => {
    expect(foreign("short").toString()).toBe("<bdi>short</bdi>");
    expect(foreign("x".repeat(100_000), 10).toString()).toBe(`<bdi>${"x".repeat(10)}…</bdi>`);
  });

  test("has no mark that could end its isolation, no control character, and no half of a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, longest) => {
        const written = cut(`\u202e\u2066\u0000\ud800${text}`, longest);
        expect(written.replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u);
        expect(written).not.toMatch(/\p{Surrogate}/u);
        expect(written.length).toBeLessThanOrEqual(longest + 1);
      }),
    );
  });
});
