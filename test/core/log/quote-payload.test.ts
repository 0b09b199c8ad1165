import { expect, test } from "vitest";
import { quotePayload } from "../../../src/core/log/quote-payload.ts";
import { createLog } from "../../../src/runtime/log.ts";

test.each([
  ["off", '"off"'],
  ["", '""'],
  ['{"a":1}', '{"a":1}'],
  [
    '{"switch:0":{"output":false}, "note":"say \\"on\\""}',
    '{"switch:0":{"output":false}, "note":"say \\"on\\""}',
  ],
  ['["on", 1]', '["on", 1]'],
  ['"on"', `'"on"'`],
  ['{"a":', `'{"a":'`],
  ["C:\\on", '"C:\\on"'],
  ["on\noff", '"on\\noff"'],
  [`{"a":"${"x".repeat(120)}"}`, `{"a":"${"x".repeat(94)}…`],
])("the payload %j stands in a log line as %s, with no backslash that is not its own", (payload, shown) => {
  expect(quotePayload(payload)).toBe(shown);
});

test.each(["pretty", "journal"] as const)("a line of the %s log shows JSON as it is sent", (format) => {
  const lines: string[] = [];
  const log = createLog(
    { level: "info", format, wallTime: String },
    { write: (text) => void lines.push(text), terminal: false, env: {} },
  );
  log.info(`Sent ${quotePayload('{"state":"OFF"}')} to plug/set: rouge_peak is ON`, { topic: '{"a":"b"}' });
  expect(lines.join("")).toMatch(
    /Sent \{"state":"OFF"\} to plug\/set: rouge_peak is ON \(topic \{"a":"b"\}\)\n$/,
  );
});
