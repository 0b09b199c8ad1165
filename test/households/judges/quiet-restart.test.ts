import { expect, test } from "vitest";
import type { Seen } from "../trace.ts";
import { ask } from "./judge.ts";
import { quietRestartJudge } from "./quiet-restart.ts";

const YAML = "rules: [{ id: night, when: { period: hc } }]";

/** A restart between two looks at what the broker holds, three minutes apart. */
function restart(before: Record<string, string>, after: Record<string, string>) {
  const looks = [before, after].map((held): Seen => {
    const retained = new Map(Object.entries(held));
    return { kind: "quiet", since: 0, retained, page: "", views: null };
  });
  const seen: Seen[] = [{ kind: "start", yaml: YAML }, looks[0]!, { kind: "stop" }, looks[1]!];
  const events = seen.map((one, index) => ({ at: 60_000 * index, steady: 60_000 * index, ...one }));
  return ask([quietRestartJudge], { began: 0, events });
}

const STATE = "vigie/rules/night/state";

test("a rule that no clock turns is the same after a restart", () => {
  expect(restart({ [STATE]: "ON" }, { [STATE]: "ON" }).violations).toEqual([]);
  expect(restart({ [STATE]: "ON" }, { [STATE]: "OFF" }).violations).toMatchObject([
    { sentence: `${STATE} was ON before a restart or reload, and is OFF` },
  ]);
  expect(restart({ [STATE]: "ON" }, {}).violations).toHaveLength(1);
});

test("only topics that the broker holds are judged", () => {
  const judged = { judged: 1, skipped: 0 };
  expect(restart({ [STATE]: "ON" }, { [STATE]: "ON" }).counts.get("quiet restart")).toEqual(judged);
});
