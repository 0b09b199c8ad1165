import { expect, it } from "vitest";
import { candidateNames, namesWanted } from "../../src/service/history-names.ts";

const SENT = { start: "start_date", end: "end_date" };
const missing = (...names: string[]) =>
  names.map((name) => ({ loc: ["query", name], msg: "Field required", type: "missing" }));

it("names that worked come first, those that are fixed come alone", () => {
  const known = [SENT, { start: "start", end: "end" }, { start: "from", end: "to" }];
  expect(candidateNames("auto", null)).toEqual(known);
  expect(candidateNames("auto", { start: "from", end: "to" })).toEqual([known[2], known[0], known[1]]);
  expect(candidateNames("auto", { start: "du", end: "au" })).toEqual([{ start: "du", end: "au" }, ...known]);
  expect(candidateNames({ start: "a", end: "b" }, { start: "c", end: "d" })).toEqual([
    { start: "a", end: "b" },
  ]);
});

it.each([
  ["the missing ones are wanted", missing("date_from", "date_to"), { start: "date_from", end: "date_to" }],
  ["the end may be named first", missing("until", "since"), { start: "since", end: "until" }],
  ["names that say nothing keep their order", missing("a", "b"), { start: "a", end: "b" }],
  ["one name alone is not enough", missing("day"), "others"],
  ["no details say nothing", [], "others"],
  ["a place that is no query says nothing", [{ loc: ["path", "x"], msg: "m", type: "t" }], "others"],
  [
    "a value of ours that is wrong is not the name's fault",
    [{ loc: ["query", "start_date"], msg: "Input should be a valid date", type: "date_parsing" }],
    "ours",
  ],
  [
    "names that are not permitted are not understood",
    [{ loc: ["query", "start_date"], msg: "Extra inputs are not permitted", type: "extra_forbidden" }],
    "others",
  ],
])("%s", (_title, details, wanted) => {
  expect(namesWanted(details, SENT)).toEqual(wanted);
});
