import { expect, test } from "vitest";
import { describeOrigin } from "../../src/cli/first-look.ts";

test.each([
  ["https://days.example", "off", "https://days.example"],
  ["https://days.example", "rte", "https://days.example and RTE"],
  ["none", "rte", "RTE, which names official colours only: there are no forecasts"],
  [
    "none",
    "https://rte.example",
    "https://rte.example, which names official colours only: there are no forecasts",
  ],
])(
  "the days of the service %s and the official source %s come from where they do",
  (base_url, source, words) => {
    expect(describeOrigin({ service: { base_url }, official: { source } })).toBe(words);
  },
);
