import { expect, test } from "vitest";
import { WRITTEN_OUT } from "../generate-outputs.ts";
import type { Seen, Trace } from "../trace.ts";
import { ask } from "./judge.ts";
import { leakJudges } from "./leaks.ts";

const SECRET = "QueryToken";
const published: Seen = {
  ...{ kind: "published", id: 1, topic: "vigie/outputs/device1", payload: "http://192.0.2.40" },
  ...{ retain: true, qos: 1, expiry: undefined },
};
const quiet: Seen = {
  kind: "quiet",
  since: 0,
  retained: new Map([["vigie/outputs/device1", "18"]]),
  page: "192.0.2.40",
  views: null,
};

function told(...events: Seen[]): string[] {
  const trace: Trace = { began: 0, events: events.map((seen) => ({ at: 1, steady: 1, ...seen })) };
  return ask(leakJudges, trace).violations.map(({ judge, sentence }) => `${judge}: ${sentence}`);
}

test("the word is one that must stand nowhere", () => {
  expect(SECRET).toMatch(WRITTEN_OUT);
});

test.each<[string, Seen]>([
  [
    "no secret on a topic: In topic vigie/outputs/device1 stands",
    { ...published, payload: `http://192.0.2.40/?${SECRET}` },
  ],
  ["no secret on a topic: In topic vigie/QueryToken stands", { ...published, topic: `vigie/${SECRET}` }],
  ["no secret on a topic: In topic vigie/x stands", { ...quiet, retained: new Map([["vigie/x", SECRET]]) }],
  ["no secret on the page: In the page stands", { ...quiet, page: `http://192.0.2.40/?${SECRET}` }],
  [
    "no secret in the log: In the log stands",
    { kind: "log", level: "warn", sentence: `No answer: ${SECRET}` },
  ],
  [
    "no secret in the state file: In the state file stands",
    { kind: "leak", where: "the state file", text: SECRET },
  ],
])("%s", (begin, wrong) => {
  expect(told(published, quiet, wrong)).toEqual([expect.stringContaining(`${begin}: …`)]);
});

test("what others publish may hold anything", () => {
  const command = { topic: "vigie/refresh/set", payload: SECRET, retain: false };
  expect(told({ kind: "message", by: "command", ...command }, { kind: "heard", ...command })).toEqual([]);
});
