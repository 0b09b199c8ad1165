import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wallInstant } from "../../src/core/calendar/dates.ts";
import type { Answer, OfficialAnswer } from "../../src/core/contract/answer.ts";
import { findDayEvents } from "../../src/core/days/day-events.ts";
import { NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import { learn, learnOfficial } from "../../src/core/days/learn.ts";
import { chooseOutputs } from "../../src/core/outputs/choose-outputs.ts";
import { readOutputs } from "../../src/core/outputs/outputs-kept.ts";
import { inventId } from "../../src/runtime/random-id.ts";
import {
  emptyState,
  knownDaysOf,
  recoverState,
  type State,
  withOfficial,
  withSource,
} from "../../src/state/state.ts";
import { DamagedState, NewerState, parseState, serialiseState } from "../../src/state/state-format.ts";
import { SEASON } from "../support/answers.ts";
import { anyText } from "../support/any-text.ts";
import { BOILER, outputsOf, verdictsOf } from "../support/outputs.ts";
import { PARIS } from "../support/tariff.ts";

const NOW = wallInstant("2026-01-04", "12:00", PARIS.time_zone);
const RATES = { hp: 0.7, hc: null };

const ANSWERS: Answer[] = [
  {
    kind: "forecasts",
    updated_at: NOW,
    days: [
      {
        date: "2026-01-06",
        color: null,
        raw: "?",
        confidence: null,
        source: "m",
        explanation: "é\n\u2028",
        rates: RATES,
      },
    ],
  },
  {
    kind: "date",
    is_official: true,
    day: {
      date: "2026-01-05",
      color: "rouge",
      raw: "ROUGE",
      confidence: 1,
      source: null,
      explanation: null,
      rates: RATES,
    },
  },
  {
    kind: "history",
    start: "2026-01-03",
    end: "2026-01-03",
    entries: [
      {
        date: "2026-01-03",
        color: "bleu",
        raw: "bleu",
        rates: RATES,
        predicted_color: "blanc",
        prediction_confidence: 0.5,
      },
    ],
  },
  {
    kind: "season",
    season: SEASON,
  },
];
const RTE = "https://rte.example.org";
const SERVICE_DAYS = ANSWERS.reduce((days, answer) => learn(days, answer, NOW, PARIS), NO_KNOWN_DAYS);
const RTE_WORDS: OfficialAnswer = {
  kind: "light",
  words: [
    { date: "2026-01-04", color: "bleu" },
    { date: "2026-01-05", color: "rouge" },
  ],
};
const KNOWN_DAYS = learnOfficial(SERVICE_DAYS, RTE_WORDS, NOW, PARIS);

const SERVICE_STATE = withSource(emptyState("abc"), "simulator", {
  knownDays: KNOWN_DAYS,
  client: { names: { start: "from" } },
});
const STATE: State = {
  ...withOfficial(SERVICE_STATE, RTE, { knownDays: KNOWN_DAYS, client: { spent: 3 } }),
  incarnation: "def",
  published: [{ base_topic: "vigie", instance: "vigie", prefix: "homeassistant" }],
};

/** As version 1 or 2 wrote it: a day had one official colour, and there was no official source. */
function older(version: 1 | 2, published: unknown = STATE.published): string {
  const { official_words: _, official_clients: __, ...state } = STATE;
  const days = Object.entries(SERVICE_DAYS.days).map(([date, { service_word, revised_from, ...day }]) => {
    if (!service_word) return [date, day];
    const { color, rates, first_said: seen_at, confirmed: final } = service_word;
    return [date, { ...day, official: { color, rates, seen_at, final, revised_from } }];
  });
  const books = { simulator: { ...SERVICE_DAYS, days: Object.fromEntries(days) } };
  return JSON.stringify({ ...state, version, published, books });
}

/** What is read of it: the service's words, confirmed where they were final. */
const OF_OLDER: State = { ...STATE, official_words: {}, official_clients: {} };

describe("the state file", () => {
  it("reads back what was written", () => {
    expect(parseState(serialiseState(STATE))).toEqual(STATE);
    expect(serialiseState(parseState(serialiseState(STATE)))).toBe(serialiseState(STATE));
  });

  it("keeps what rules, settings, outputs and a simulation remember, of any shape; an older one has none of it", () => {
    const parts = {
      rules: { a: [1, null] },
      settings: {},
      outputs: { t: { payload: "off" } },
      simulation: null,
    };
    const state = { ...STATE, ...parts };
    expect(parseState(serialiseState(state))).toEqual(state);
    expect(Object.keys(parseState(serialiseState(STATE)))).toEqual(Object.keys(STATE));
  });

  it.each([
    ["no place", null, []],
    ["a place, before Home Assistant was told", { base_topic: "v", instance: "w" }, "homeassistant"],
    ["a place", { base_topic: "v", instance: "w", prefix: "ha" }, "ha"],
    ["places", STATE.published, STATE.published],
  ])("of version 1 is read whole, where it was published as %s", (_, published, expected) => {
    const places =
      typeof expected === "string" ? [{ base_topic: "v", instance: "w", prefix: expected }] : expected;
    expect(parseState(older(1, published))).toEqual({ ...OF_OLDER, published: places });
  });

  it("of version 2 is read as what the service said, and what was final stays final: no event says it again", () => {
    expect(parseState(older(2))).toEqual(OF_OLDER);
    const known = knownDaysOf(parseState(older(2)), "simulator", RTE);
    expect(known.days["2026-01-05"]?.service_word?.confirmed).toBe(true);
    const again = ANSWERS.reduce((days, answer) => learn(days, answer, NOW, PARIS), known);
    expect(findDayEvents(known, again, NOW, PARIS)).toEqual([]);
    const open = parseState(older(2).replaceAll('"final":true', '"final":false'));
    expect(knownDaysOf(open, "simulator", RTE).days["2026-01-05"]?.service_word?.confirmed).toBe(false);
  });

  it("of a newer version is refused with its version, whatever its shape", () => {
    expect(() => parseState('{"version":4,"all":"else"}')).toThrow(NewerState);
    expect(() => parseState('{"version":4}')).toThrow(/version 4, .* up to 3/);
  });

  it.each([
    ["empty", ""],
    ["not JSON", "days: []"],
    ["null", "null"],
    ["a list", "[]"],
    ["without a version", "{}"],
    ["of version 0", serialiseState(STATE).replace('"version":3', '"version":0')],
    ["of a version between two", serialiseState(STATE).replace('"version":3', '"version":1.5')],
    ["of version 1 with a place that is none", older(1, "nowhere")],
    ["of version 2 with a colour that is none", older(2).replace('"color":"rouge"', '"color":"green"')],
    ["with a colour that is none", serialiseState(STATE).replace('"color":"rouge"', '"color":"green"')],
    ["with a date that is none", serialiseState(STATE).replace("2026-01-05", "2026-02-30")],
    ["with a number that is none", serialiseState(STATE).replace(`${NOW}`, "1e999")],
  ])("that is %s is damaged", (_, text) => {
    expect(() => parseState(text)).toThrow(DamagedState);
  });

  it("cut anywhere is damaged, never half read", () => {
    const text = serialiseState(STATE).trimEnd();
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), (length) => {
        expect(() => parseState(text.slice(0, length))).toThrow(DamagedState);
      }),
    );
  });

  it("overwritten anywhere is damaged, newer, or a state of the right shape", () => {
    const text = serialiseState(STATE);
    const overwrite = fc.tuple(fc.nat({ max: text.length }), anyText({ maxLength: 12 }));
    fc.assert(
      fc.property(overwrite, ([from, junk]) => {
        try {
          const state = parseState(text.slice(0, from) + junk + text.slice(from + junk.length));
          expect(parseState(serialiseState(state))).toEqual(state);
        } catch (error) {
          expect(error instanceof DamagedState || error instanceof NewerState, String(error)).toBe(true);
        }
      }),
    );
  });

  it("of any JSON is read or refused", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => parseState(text)).toThrow(DamagedState);
      }),
    );
  });
});

describe("a state whose successor is lost", () => {
  const SENT = { payload: "on", expect: "on", at: NOW, acknowledged: true, stands: true, answer: "awaited" };
  const outputs = { [BOILER.key]: SENT };
  const recovered = recoverState({ ...STATE, settings: { a: 1 }, simulation: {}, outputs });

  it("keeps its days and settings, and no simulation: that may have been ended since", () => {
    expect(recovered).toEqual({ ...STATE, settings: { a: 1 }, outputs: recovered.outputs, messages: {} });
  });

  it("has each payload in force sent once more, even the one that was sent last, and repeats no other", () => {
    const outputs = readOutputs(recovered).kept.devices;
    const payloadsFor = (peak: boolean | null) =>
      chooseOutputs(outputsOf([BOILER]), verdictsOf({ peak }), outputs).sends.map(({ payload }) => payload);
    expect([payloadsFor(true), payloadsFor(false), payloadsFor(null)]).toEqual([["off"], ["on"], []]);
    expect(outputs[BOILER.key]).toMatchObject({
      ...SENT,
      acknowledged: false,
      stands: false,
      answer: "none",
    });
  });
});

describe("the known days of a state", () => {
  it("are kept for each source, and never mixed", () => {
    const daysOf = (service: string) => knownDaysOf(STATE, service, null);
    expect(daysOf("simulator")).toEqual(SERVICE_DAYS);
    expect(daysOf("https://example.org")).toBe(NO_KNOWN_DAYS);
    expect(daysOf("constructor")).toBe(NO_KNOWN_DAYS);
  });

  it("have the words of the official address in use, and of no other", () => {
    expect(knownDaysOf(STATE, "simulator", RTE)).toEqual(KNOWN_DAYS);
    expect(knownDaysOf(STATE, "simulator", "https://other.example.org")).toEqual(SERVICE_DAYS);
    const { days } = knownDaysOf(STATE, "none", RTE);
    expect(Object.keys(days)).toEqual(["2026-01-04", "2026-01-05"]);
    expect(days["2026-01-05"]?.rte_word?.color).toBe("rouge");
  });

  it("are kept for three sources at most: the one used longest ago is dropped, with what the client learnt", () => {
    const use = (state: State, source: string) =>
      withSource(state, source, { knownDays: NO_KNOWN_DAYS, client: {} });
    const state = ["b", "c", "simulator", "d"].reduce(use, STATE);
    expect(Object.keys(state.books)).toEqual(["c", "simulator", "d"]);
    expect(Object.keys(state.clients)).toEqual(["c", "simulator", "d"]);
  });
});

it("a random id consists of twelve letters and digits", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
      expect(inventId(() => random)).toMatch(/^[a-z0-9]{12}$/);
    }),
  );
});
