import { expect, it } from "vitest";
import { retryAfterOf, serverTime } from "../../src/core/contract/http-headers.ts";

const AT = Date.UTC(2026, 0, 5, 10, 0, 0);

function response(headers: Record<string, string>) {
  return { status: 429, headers: new Map(Object.entries(headers)), body: new Uint8Array() };
}

it.each([
  ["Mon, 05 Jan 2026 10:00:00 GMT", AT],
  [" Mon, 05 Jan 2026 10:00:00 GMT ", AT],
  ["Mon, 30 Feb 2026 10:00:00 GMT", null],
  ["Mon, 05 Foo 2026 10:00:00 GMT", null],
  ["Mon, 05 Jan 2026 25:00:00 GMT", null],
  ["Fri, 31 Dec 9999 23:59:59 GMT", null],
  ["2026-01-05T10:00:00Z", null],
  ["Invalid Date", null],
  ["", null],
])("the header time %j is %s", (date, at) => {
  expect(serverTime(response({ date }))).toBe(at);
});

it.each([
  [undefined, null],
  ["120", 120_000],
  ["0", 0],
  ["-1", null],
  ["1.5", null],
  ["soon", null],
  ["", null],
  ["Mon, 05 Jan 2026 10:01:30 GMT", 90_000],
  ["Mon, 05 Jan 2026 09:00:00 GMT", 0],
])("Retry-After %j asks for %s ms", (text, milliseconds) => {
  expect(retryAfterOf(response(text === undefined ? {} : { "retry-after": text }), AT)).toBe(milliseconds);
});
