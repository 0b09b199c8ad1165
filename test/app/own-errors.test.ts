import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Answer, Request } from "../../src/core/contract/answer.ts";
import { saidAtStart } from "../../src/core/loop/changes.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import type { HeardValue } from "../../src/core/rules/value-readings.ts";
import { emptyState } from "../../src/state/state.ts";
import type { Store } from "../../src/state/store.ts";
import { dayInAnswer, forecastsAnswer, SEASON as SEASON_IN_ANSWER } from "../support/answers.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { BOILER, outputsOf, toTopic } from "../support/outputs.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Monday. */
const NOW = Date.parse("2026-01-05T12:00:00Z");
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const HISTORY: Answer = { kind: "history", start: "2025-09-01", end: "2026-01-05", entries: [] };
const SEASON: Answer = { kind: "season", season: SEASON_IN_ANSWER };

const WELL = ["ok", "OFF", "none"];
const FAILED = ["ok", "ON", "vigie"];
const NO_PLAN = JSON.stringify({ until: null, spans: [] });

interface OpenOptions {
  store?: Store;
  broken?: string[];
  at?: number;
}

/** A house on a clock that the test sets, after its first poll and its first payloads. What is in `broken` throws an error. */
async function open({ store, broken: brokenAtStart = [], at = NOW }: OpenOptions = {}) {
  const clock = { at };
  const errors: { sentence: string; stack: string }[] = [];
  const infos: string[] = [];
  const log = {
    ...SILENT_LOG,
    info: (sentence: string) => void infos.push(sentence),
    warn: (sentence: string) => void infos.push(sentence),
    error: (sentence: string, details?: object) => {
      const { error } = details as { error: Error };
      errors.push({ sentence, stack: error.stack ?? "" });
    },
  };
  const broken = new Set(brokenAtStart);
  const breakIf = (part: string) => {
    if (broken.has(part)) throw new TypeError(`a bug in ${part}`);
  };
  const asked: Request["kind"][] = [];
  const createHeard = (payload: string) =>
    new (class extends Map<string, HeardValue> {
      override get(topic: string) {
        breakIf("a value");
        return super.get(topic);
      }
    })([["car", { payload, at: clock.at }]]);
  /** An answer that a bug makes unusable: it has no days. */
  const answerTo = ({ kind }: Request): Answer => {
    if (broken.has(kind)) return { kind } as Answer;
    if (kind === "season" || kind === "history") return kind === "season" ? SEASON : HISTORY;
    // Each answer says something else, so that all is derived anew.
    polls += 1;
    return forecastsAnswer(NOW, dayInAnswer("2026-01-14", "bleu", { confidence: polls / 100 }));
  };
  let polls = 0;
  const opened = openTestLoop({
    clock,
    days: BLEU,
    ...(store && { store }),
    rules: rulesThatBreak(breakIf),
    outputs: outputsOf(outputsThatBreak(breakIf)),
    tariff: {
      ...PARIS,
      get assume_season_total() {
        breakIf("what is shown");
        return false;
      },
    },
    areErrorsLogged: true,
    log,
    ask: async (request) => {
      asked.push(request.kind);
      return { answer: answerTo(request), date: null, made_at: null, sent: null };
    },
    heard: createHeard("39"),
  });
  opened.outputs({ kind: "connection opened", connection: 1, version: 5 });
  const { loop, payload } = opened;
  const poll = () => loop.poll({ essential: true, recheck: false });
  await poll();
  await settled();
  for (const { number } of loop.view().sends) opened.outputs({ kind: "acknowledged", number });
  await settled();
  return {
    ...opened,
    clock,
    broken,
    asked,
    errors,
    infos,
    poll,
    shown: () => ["status", "problem", "problem_code"].map((name) => payload(`service/${name}`)),
    payloads: (...names: string[]) => names.map(payload),
    hear: (payload: string) => {
      loop.post({ kind: "values", heard: createHeard(payload), kept: {}, isSettled: true });
      return settled();
    },
    /** Time passes; then an answer comes, after which all is derived anew. */
    pass: async (milliseconds: number) => {
      clock.at += milliseconds;
      await poll();
      await settled();
    },
    sent: () =>
      loop.view().sends.map(({ by, payload }) => `${by.kind === "mqtt" ? by.topic : ""} ${payload}`),
  };
}

function rulesThatBreak(breakIf: (part: string) => void): Rule[] {
  const [low, monday, follower] = rulesOptions.parse([
    { id: "low", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "on" },
    { id: "monday", when: { weekday: "mon" }, when_unknown: "on" },
    { id: "follower", when: { rule: "monday" } },
  ]) as [Rule, Rule, Rule];
  const days = Object.assign(["mon" as const], {
    includes: (day: string) => {
      breakIf("a rule");
      breakIf(day);
      return day === "mon";
    },
    join: () => {
      breakIf("the reasons of a rule");
      return "mon";
    },
  });
  const broken: Rule = {
    ...monday,
    when: { kind: "weekday", days },
    get threshold() {
      breakIf("what is decided");
      return null;
    },
  };
  return [low, broken, follower];
}

function outputsThatBreak(breakIf: (part: string) => void): Output[] {
  const outputFor = (id: string, when: string): Output => ({
    ...BOILER,
    id,
    ...toTopic(`${id}/set`),
    choose: [{ when, payload: "off" }],
    unknown: { payload: "?" },
  });
  const boiler: Output = {
    ...outputFor("boiler", "low"),
    get choose() {
      breakIf("an output");
      return [{ when: "low", payload: "off" }];
    },
    get to() {
      breakIf("the topic of an output");
      return toTopic("boiler/set").to;
    },
  };
  return [outputFor("heater", "monday"), boiler, outputFor("plug", "low")];
}

describe("an error of vigie itself", () => {
  test("what-if: vigie itself has an error · at an answer is no failure of the service, is logged once with its stack, and is over with the next answer", async () => {
    const { broken, poll, shown, errors, infos, payload, clock } = await open();
    expect(shown()).toEqual(WELL);
    broken.add("forecasts");
    for (let n = 1; n <= 3; n += 1) {
      clock.at += MINUTE;
      const { failures } = await poll();
      expect([failures, shown()]).toEqual([[], FAILED]);
    }
    expect(errors).toEqual([
      {
        sentence: expect.stringMatching(
          /^An error of vigie itself \(an answer of the service: forecasts\): TypeError: .*\. All else goes on$/,
        ),
        stack: expect.stringMatching(/^TypeError: .*\n +at /),
      },
    ]);
    clock.at += 4 * HOUR;
    await poll();
    expect(payload("service/last_success")).toBe("2026-01-05T16:00:00Z");
    broken.clear();
    await poll();
    expect(shown()).toEqual(WELL);
    expect(infos.filter((line) => line.includes("vigie itself"))).toEqual([
      "There is no error of vigie itself any more, after 4 h 2 min",
    ]);
  });

  test.each(["season", "history"] as const)(
    "at the %s does not have it asked for again in the next poll",
    async (kind) => {
      const { poll, asked, shown } = await open({ broken: [kind] });
      await poll();
      expect(asked.filter((one) => one === kind)).toHaveLength(1);
      expect(shown()).toEqual(FAILED);
    },
  );

  test("what-if: vigie itself has an error · at a value makes the rule that looks at it unknown, leaves all else as it is, and is over when it works again", async () => {
    const { broken, loop, shown, payloads, clock, events, poll, hear, sent } = await open();
    const names = ["now/color", "now/period", "rules/low/state", "outputs/boiler/payload"];
    await hear("38");
    expect(payloads(...names)).toEqual(["bleu", "hp", "ON", "off"]);
    broken.add("a value");
    await hear("37");
    expect([payloads(...names), shown()]).toEqual([["bleu", "hp", "None", "off"], FAILED]);
    // Later events are taken.
    expect(await poll()).toEqual({ failures: [] });
    broken.clear();
    clock.at += MINUTE;
    loop.refresh();
    expect([payloads(...names), shown()]).toEqual([["bleu", "hp", "ON", "off"], WELL]);
    expect([events, sent()]).toEqual([[], []]);
  });

  const ofMonday = {
    "rules/monday/state": "None",
    "rules/monday/since": "None",
    "rules/monday/plan": NO_PLAN,
  };
  test.each<[string, Record<string, unknown>, RegExp, string[]]>([
    [
      "a rule",
      {
        ...ofMonday,
        "rules/monday/enabled": "ON",
        "rules/follower/state": "None",
        "outputs/heater/payload": "off",
      },
      /^rules\/(monday|follower)/,
      ["boiler/set on", "plug/set on"],
    ],
    [
      // As far as it is looked ahead.
      "tue",
      { "rules/monday/state": "ON", "rules/monday/next_on": "None", "rules/monday/next_off": "None" },
      /^rules\/(monday|follower)/,
      ["boiler/set on", "plug/set on"],
    ],
    [
      "the reasons of a rule",
      { ...ofMonday, "outputs/heater/payload": "off" },
      /^rules\/monday/,
      ["boiler/set on", "plug/set on"],
    ],
    ["an output", { "outputs/boiler/payload": "off" }, /^outputs\/boiler/, ["plug/set on"]],
    ["the topic of an output", {}, /^outputs\/boiler/, ["plug/set on"]],
  ])(
    "what-if: vigie itself has an error · in %s leaves all other topics and devices as they are without it, is logged once, and is over when it works again",
    async (what, expected, ofBroken, sends) => {
      const [sound, one] = [await open(), await open()];
      one.broken.add(what);
      for (const house of [sound, one]) {
        for (let n = 1; n <= 5; n += 1) await house.pass(MINUTE);
        await house.hear("41");
      }
      expect([one.shown(), one.payload("rules/low/state")]).toEqual([FAILED, "OFF"]);
      expect(Object.fromEntries(Object.keys(expected).map((name) => [name, one.payload(name)]))).toEqual(
        expected,
      );
      const others = (house: typeof one) =>
        [...house.topics()].filter(([name]) => !ofBroken.test(name) && !/^service($|\/problem)/.test(name));
      expect(others(one)).toEqual(others(sound));
      expect([...one.topics().keys()]).toEqual([...sound.topics().keys()]);
      expect([one.sent(), sound.sent()]).toEqual([sends, ["boiler/set on", "plug/set on"]]);
      const said = one.errors.map(({ sentence }) => sentence);
      expect(said).toEqual([...new Set(said)]);
      expect(said[0]).toContain(`: TypeError: a bug in ${what}. All else goes on`);
      one.broken.clear();
      for (const house of [sound, one]) await house.pass(MINUTE);
      expect([one.shown(), one.sent()]).toEqual([WELL, sound.sent()]);
      expect(one.payloads("rules/monday/state", "rules/monday/since", "rules/monday/next_off")).toEqual(
        sound.payloads("rules/monday/state", "rules/monday/since", "rules/monday/next_off"),
      );
    },
  );

  test("what-if: vigie itself has an error · in the days ahead has what is published of the rule end with the days before, as at the broker", async () => {
    const { broken, pass, topics } = await open();
    broken.add("tue");
    await pass(MINUTE);
    expect(topics().get("rules/monday/state")).toEqual({
      payload: "ON",
      expires: Date.parse("2026-01-06T05:00:00Z") + 10 * MINUTE,
    });
  });

  const OF_THE_MOMENT = ["now/period", "now/color", "rules/low/state", "rules/monday/next_off"];
  const NONE = ["None", "None", "None", "None"];

  test("what-if: vigie itself has an error · in what is only shown has devices switched all the same, and topics of the moment None", async () => {
    const { broken, pass, hear, payloads, errors, sent } = await open();
    broken.add("what is shown");
    await hear("41");
    expect([payloads(...OF_THE_MOMENT), payloads("service/problem_code", "rules/low/enabled")]).toEqual([
      NONE,
      ["vigie", "ON"],
    ]);
    expect(sent()).toEqual(["boiler/set on", "plug/set on"]);
    broken.clear();
    await pass(1);
    expect(payloads(...OF_THE_MOMENT)).toEqual(["hp", "bleu", "OFF", "2026-01-06T05:00:00Z"]);
    expect(errors.map(({ sentence }) => sentence)).toEqual([
      "An error of vigie itself (facts that carry a date): TypeError: a bug in what is shown. All else goes on",
      "An error of vigie itself (what is shown): TypeError: a bug in what is shown. All else goes on",
    ]);
  });

  test("what-if: vigie itself has an error · in prices, which known days bring about, ends no start, and leaves all else as it is", async () => {
    const { know, hear, payloads, errors, sent } = await open();
    const later = official("bleu");
    Object.defineProperty(later.service_word, "rates", {
      get: () => {
        throw new TypeError("a bug in prices");
      },
    });
    know(knownDaysOf({ ...BLEU.days, "2026-01-13": later }));
    await hear("41");
    expect(payloads(...OF_THE_MOMENT)).toEqual(["hp", "bleu", "OFF", "2026-01-06T05:00:00Z"]);
    expect(payloads("prices/bleu_hp", "service/problem_code")).toEqual(["None", "vigie"]);
    expect(sent()).toEqual(["boiler/set on", "plug/set on"]);
    expect(errors.map(({ sentence }) => sentence)).toEqual([
      "An error of vigie itself (facts that carry a date): TypeError: a bug in prices. All else goes on",
    ]);
  });

  test("what-if: vigie itself has an error · in what is only shown has what was sent to devices and set by commands shown as it is", async () => {
    const { broken, hear, payloads, sent, outputs, loop } = await open();
    expect(payloads("outputs/plug/payload", "outputs/plug/state")).toEqual(["off", "sent"]);
    broken.add("what is shown");
    await hear("41");
    expect(sent()).toEqual(["boiler/set on", "plug/set on"]);
    expect(payloads("outputs/plug/payload", "outputs/plug/state")).toEqual(["on", "waiting"]);
    for (const { number } of loop.view().sends) outputs({ kind: "acknowledged", number });
    await settled();
    expect(payloads("outputs/plug/payload", "outputs/plug/state")).toEqual(["on", "sent"]);
    const command = { kind: "enabled", rule: "low", enabled: false } as const;
    loop.post({ kind: "commands", commands: [{ topic: "rules/low/enabled/set", command }] });
    await settled();
    expect(payloads("rules/low/enabled", "rules/low/state")).toEqual(["OFF", "None"]);
    broken.clear();
  });

  test("what-if: vigie itself has an error · in what decides sends devices nothing, has topics of the moment None, and is tried again within a minute", async () => {
    const { broken, hear, goTo, payloads, errors, sent, clock, loop } = await open();
    broken.add("what is decided");
    await hear("41");
    expect([payloads(...OF_THE_MOMENT), payloads("service/problem_code"), sent()]).toEqual([
      NONE,
      ["vigie"],
      [],
    ]);
    expect(payloads("rules/low")[0]).toContain("an error of vigie itself");
    broken.clear();
    // Nothing else happens meanwhile.
    expect(loop.view().boundary.now).toBeLessThanOrEqual(clock.at + MINUTE);
    goTo(clock.at + MINUTE);
    await settled();
    expect(payloads(...OF_THE_MOMENT)).toEqual(["hp", "bleu", "OFF", "2026-01-06T05:00:00Z"]);
    expect(sent()).toEqual(["boiler/set on", "plug/set on"]);
    expect(errors.map(({ sentence }) => sentence)).toEqual([
      "An error of vigie itself (what is decided): TypeError: a bug in what is decided. All else goes on",
    ]);
  });

  test("in what decides has what stays due tried again a second later, and all else within a minute", async () => {
    const { broken, hear, sent, clock, loop } = await open();
    await hear("41");
    expect(sent()).not.toEqual([]);
    broken.add("what is decided");
    // The broker has acknowledged nothing by then.
    clock.at = loop.view().boundary.steady;
    for (let time = 0; time < 2; time += 1) {
      loop.refresh();
      const { steady, now } = loop.view().boundary;
      expect([steady - clock.at, now - clock.at]).toEqual([1_000, MINUTE]);
      clock.at += 1_000;
    }
  });

  test("what-if: vigie itself has an error · in what decides ends no reload, and is tried again within a minute", async () => {
    const { broken, know, goTo, payloads, clock } = await open();
    broken.add("what is decided");
    know(BLEU);
    expect([payloads(...OF_THE_MOMENT), payloads("service/problem_code")]).toEqual([NONE, ["vigie"]]);
    broken.clear();
    goTo(clock.at + MINUTE);
    expect([payloads(...OF_THE_MOMENT), payloads("service/problem_code")]).toEqual([
      ["hp", "bleu", "ON", "2026-01-06T05:00:00Z"],
      ["none"],
    ]);
  });

  test("is no problem any more when a reload has removed the rule in which it was", async () => {
    const { loop, config, shown } = await open({ broken: ["a rule"] });
    expect(shown()).toEqual(FAILED);
    const known = loop.pause();
    loop.begin({
      config: { ...config, rules: config.rules.slice(0, 1) },
      known,
      said: saidAtStart(known.kept),
      sinks: [],
      say: () => undefined,
    });
    expect(shown()).toEqual(WELL);
  });

  test("in a rule at a start is no reason to set aside what was saved", async () => {
    const store = createMemoryStore(emptyState("test"));
    const first = await open({ store });
    await first.pass(HOUR);
    const { payloads, infos } = await open({ store, broken: ["a rule"], at: NOW + 2 * HOUR });
    expect(payloads("rules/low/since", "rules/monday/state")).toEqual(["2026-01-05T12:00:00Z", "None"]);
    expect(infos.filter((line) => line.startsWith("This start"))).toEqual([]);
  });
});
