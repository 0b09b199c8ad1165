import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Answer, Request } from "../../src/core/contract/answer.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import type { HeardValue } from "../../src/core/rules/value-readings.ts";
import { SEASON as SEASON_IN_ANSWER } from "../support/answers.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { BOILER, outputsOf } from "../support/outputs.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const MINUTE = 60_000;
const NOW = Date.parse("2026-01-05T12:00:00Z");
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const FORECASTS: Answer = { kind: "forecasts", updated_at: NOW, days: [] };

/** A loop in which parts throw an error while the test says so. */
function open() {
  const clock = { at: NOW };
  const errors: { sentence: string; stack: string }[] = [];
  const infos: string[] = [];
  const log = {
    ...SILENT_LOG,
    info: (sentence: string) => void infos.push(sentence),
    error: (sentence: string, details?: object) => {
      const { error } = details as { error: Error };
      errors.push({ sentence, stack: error.stack ?? "" });
    },
  };
  const broken = new Set<string>();
  const breakIf = (part: string) => {
    if (broken.has(part)) throw new TypeError(`a bug in ${part}`);
  };
  const asked: Request["kind"][] = [];
  /** Reading a value throws an error. */
  const createHeard = () =>
    new (class extends Map<string, HeardValue> {
      override get(topic: string) {
        breakIf("values");
        return super.get(topic);
      }
    })([["car", { payload: "39", at: NOW }]]);
  const boiler: Output = {
    ...BOILER,
    get choose() {
      breakIf("devices");
      return [{ when: "low", payload: "off" }];
    },
  };
  const opened = openTestLoop({
    clock,
    days: BLEU,
    rules: rulesOptions.parse([{ id: "low", when: { mqtt: { topic: "car", below: 40 } } }]),
    outputs: outputsOf([boiler]),
    areErrorsLogged: true,
    log,
    ask: async (request) => {
      asked.push(request.kind);
      return { answer: answerTo(request), date: null, made_at: null, sent: null };
    },
    heard: createHeard(),
  });
  opened.outputs({ kind: "connection opened", connection: 1, version: 5 });
  /** An answer that a bug makes unusable: it has no days. */
  const answerTo = ({ kind }: Request): Answer => {
    if (broken.has(kind)) return { kind } as Answer;
    return kind === "season" ? SEASON : kind === "history" ? HISTORY : FORECASTS;
  };
  const { loop, payload } = opened;
  const poll = () => loop.poll({ essential: true, recheck: false });
  const shown = () => ["status", "problem", "problem_code"].map((name) => payload(`service/${name}`));
  const hear = () => {
    loop.post({ kind: "values", heard: createHeard(), kept: {}, isSettled: true });
    return settled();
  };
  return { ...opened, clock, broken, asked, errors, infos, poll, shown, hear };
}

const HISTORY: Answer = { kind: "history", start: "2025-09-01", end: "2026-01-05", entries: [] };
const SEASON: Answer = { kind: "season", season: SEASON_IN_ANSWER };
const WELL = ["ok", "OFF", "none"];
const FAILED = ["ok", "ON", "vigie"];

describe("an error of vigie itself", () => {
  test("what-if: vigie itself has an error · at an answer is no failure of the service, is logged once with its stack, and is over with the next answer", async () => {
    const { broken, poll, shown, errors, infos, loop, clock } = open();
    await poll();
    expect(shown()).toEqual(WELL);
    broken.add("forecasts");
    for (let n = 1; n <= 3; n += 1) {
      clock.at += MINUTE;
      const { failures, answers } = await poll();
      expect([failures, answers > 0]).toEqual([[], true]);
      expect([shown(), loop.view().known.service.last_success]).toEqual([FAILED, clock.at]);
    }
    expect(errors.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(
        /^An error of vigie itself \(an answer of the service: forecasts\): TypeError: .*\. All else goes on$/,
      ),
    ]);
    expect(errors[0]?.stack).toContain("src/core/days/learn");
    broken.clear();
    await poll();
    expect(shown()).toEqual(WELL);
    expect(infos.filter((line) => line.includes("vigie itself"))).toEqual([
      "There is no error of vigie itself any more, after 2 min",
    ]);
  });

  test.each(["season", "history"] as const)(
    "at the %s does not have it asked for again in the next poll",
    async (kind) => {
      const { broken, poll, asked, shown } = open();
      broken.add(kind);
      await poll();
      await poll();
      expect(asked.filter((one) => one === kind)).toHaveLength(1);
      expect(shown()).toEqual(FAILED);
    },
  );

  test("at what is sent to devices keeps nothing from being published, and is over when it works again", async () => {
    const { broken, loop, shown, payload, clock } = open();
    broken.add("devices");
    clock.at = loop.view().boundary.now;
    loop.refresh();
    expect(shown()[2]).toBe("vigie");
    expect(payload("now/period")).toBe("hc");
    expect(loop.view().boundary.now).toBe(clock.at + MINUTE);
    broken.clear();
    clock.at += MINUTE;
    loop.refresh();
    await settled();
    // The service has not answered for hours by then.
    expect(shown()[2]).toBe("service");
    expect(loop.view().sends).toMatchObject([{ payload: "off", by: { topic: "boiler/set" } }]);
  });

  test("what-if: vigie itself has an error · at a value makes the rule that looks at it unknown, leaves all else as it is, and is over when it works again", async () => {
    const { broken, loop, shown, payload, clock, events, hear } = open();
    await hear();
    const payloads = () => ["now/color", "now/period", "rules/low/state"].map(payload);
    expect(payloads()).toEqual(["bleu", "hp", "ON"]);
    broken.add("values");
    await hear();
    expect([payloads(), shown()[2]]).toEqual([["bleu", "hp", "None"], "vigie"]);
    expect(loop.view().boundary.now).toBe(NOW + MINUTE);
    broken.clear();
    clock.at += MINUTE;
    loop.refresh();
    expect(payloads()).toEqual(["bleu", "hp", "ON"]);
    expect(shown()[2]).not.toBe("vigie");
    expect(events).toEqual([]);
  });

  test("in a look keeps no later event from being taken", async () => {
    const { broken, loop, poll, hear } = open();
    broken.add("values");
    await hear();
    const { answers } = await poll();
    expect(answers).toBeGreaterThan(0);
    expect(loop.view().known.service.last_success).toBe(NOW);
  });
});
