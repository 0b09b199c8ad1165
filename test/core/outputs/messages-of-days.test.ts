import { describe, expect, test } from "vitest";
import { readOutputs } from "../../../src/core/outputs/outputs-kept.ts";
import { daysHouse } from "../../support/days-house.ts";
import { forecast, official, saidByRte } from "../../support/known-days.ts";
import { BOILER } from "../../support/outputs.ts";
import { HOUR, MINUTE, PHONE } from "../../support/outputs-house.ts";

const ROUGE_AHEAD = { id: "ahead", when: { day: "next", color: "rouge" } };
const TELL = [{ when: "ahead", payload: "{next.date}: {next.color}" }];
const NO_ANSWER = (mayHaveArrived: boolean) => (number: number) =>
  ({ kind: "unanswered", number, message: "no answer", mayHaveArrived, retryAfter: null }) as const;

describe("three rouge days in a row are three messages", () => {
  const expected = ["2026-01-06: rouge", "2026-01-07: rouge", "2026-01-08: rouge"];

  test.each<[string, object]>([
    ["next", ROUGE_AHEAD.when],
    ["tomorrow", { day: "tomorrow", color: "rouge" }],
    ["confidence", { day: "next", color: "rouge", confidence: 80 }],
    ["stage", { day: "next", color: "rouge", stage: ["announced", "final"] }],
    ["another rule", { rule: "other" }],
    ["one part of any", { any: [{ period: "hp" }, { day: "next", color: "rouge" }] }],
  ])("by %s, each announced at 11:00 of the day before", (name, when) => {
    const { know, until, texts } = daysHouse({
      rules: [
        ...(name === "another rule" ? [{ id: "other", when: ROUGE_AHEAD.when }] : []),
        // With a part that looks at no day it is ON from 06:00 on.
        { id: "ahead", when: name === "one part of any" ? { all: [when, ROUGE_AHEAD.when] } : when },
      ],
      choose: TELL.map((choice) => ({ ...choice, payload: "{tomorrow.date}: {tomorrow.color}" })),
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-05": saidByRte("bleu") });
    for (const day of [6, 7, 8]) {
      until(`2026-01-0${day - 1}T11:00:00+01:00`);
      know({ [`2026-01-0${day}`]: saidByRte("rouge") });
    }
    know({ "2026-01-09": saidByRte("bleu") });
    until("2026-01-09T12:00:00+01:00");
    expect(texts()).toEqual(expected);
  });

  test("though the rule stays ON, as the forecast names all of them before", () => {
    const { know, until, texts } = daysHouse({
      rules: [ROUGE_AHEAD],
      choose: TELL,
      from: "2026-01-05T05:00:00+01:00",
    });
    know({
      "2026-01-05": official("bleu"),
      "2026-01-06": forecast("rouge"),
      "2026-01-07": forecast("rouge"),
      "2026-01-08": forecast("rouge"),
      "2026-01-09": forecast("bleu"),
    });
    until("2026-01-06T11:00:00+01:00");
    know({ "2026-01-07": official("rouge") });
    until("2026-01-09T12:00:00+01:00");
    expect(texts()).toEqual(expected);
  });

  test("of both days: the one in force and the next; with two rouge days in a row, two messages", () => {
    const { know, until, texts } = daysHouse({
      rules: [
        {
          id: "ahead",
          when: {
            any: [
              { day: "now", color: "rouge" },
              { day: "next", color: "rouge" },
            ],
          },
        },
      ],
      choose: [{ when: "ahead", payload: "rouge" }],
      from: "2026-01-05T11:00:00+01:00",
    });
    know({ "2026-01-06": official("rouge") });
    until("2026-01-06T11:00:00+01:00");
    know({ "2026-01-07": official("rouge") });
    until("2026-01-08T12:00:00+01:00");
    expect(texts()).toEqual(["rouge", "rouge"]);
  });

  test("with a lead of twelve hours, each at 18:00 of the day before", () => {
    const { know, until, vigie } = daysHouse({
      rules: [{ id: "ahead", when: { day: "now", color: "rouge" }, lead: "12h" }],
      choose: [{ when: "ahead", payload: "{now.date}: {now.color}" }],
      from: "2026-01-05T11:00:00+01:00",
    });
    know({
      "2026-01-05": official("bleu"),
      "2026-01-06": official("rouge"),
      "2026-01-07": official("rouge"),
    });
    until("2026-01-08T12:00:00+01:00");
    expect(vigie.sent.map(({ at, payload }) => [at / HOUR, payload])).toEqual([
      [12, "2026-01-06: rouge"],
      [36, "2026-01-07: rouge"],
    ]);
  });

  test("a range, a rate and a negation name no day: one message", () => {
    const { know, until, texts } = daysHouse({
      rules: [
        {
          id: "ahead",
          when: { all: [{ day: "next_2_days", color: "rouge" }, { not: { day: "now", color: "blanc" } }] },
        },
      ],
      choose: TELL,
      from: "2026-01-05T11:00:00+01:00",
    });
    know({ "2026-01-05": official("bleu") });
    know({
      "2026-01-06": official("rouge"),
      "2026-01-07": official("rouge"),
      "2026-01-08": official("rouge"),
    });
    until("2026-01-07T12:00:00+01:00");
    expect(texts()).toEqual(["2026-01-06: rouge"]);
  });
});

describe("of one day", () => {
  const begin = () => {
    const one = daysHouse({ rules: [ROUGE_AHEAD], choose: TELL, from: "2026-01-05T07:00:00+01:00" });
    one.know({ "2026-01-05": official("bleu"), "2026-01-06": forecast("rouge") });
    expect(one.texts()).toHaveLength(1);
    return one;
  };

  test("a forecast that changes its mind, and one that is lost, send no second message", () => {
    const { know, forget, until, texts } = begin();
    for (let hour = 8; hour < 20; hour += 1) {
      until(`2026-01-05T${String(hour).padStart(2, "0")}:00:00+01:00`);
      if (hour % 2 === 0) know({ "2026-01-06": forecast("bleu") });
      else forget("2026-01-06");
      know({ "2026-01-06": forecast("rouge") });
    }
    expect(texts()).toHaveLength(1);
  });

  test("the announcement of the colour that was forecast sends none, though the text would say that it is sure", () => {
    const { know, until, texts } = daysHouse({
      rules: [ROUGE_AHEAD],
      choose: [{ when: "ahead", payload: "{next.color}, {next.confidence} %" }],
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-05": official("bleu"), "2026-01-06": forecast("rouge") });
    const [told] = texts();
    until("2026-01-05T11:00:00+01:00");
    know({ "2026-01-06": official("rouge") });
    until("2026-01-06T05:00:00+01:00");
    expect(texts()).toEqual([told]);
    expect(told).not.toContain("100");
  });

  test("the announcement sends none while the rule stays ON", () => {
    const { know, until, texts } = begin();
    until("2026-01-05T11:00:00+01:00");
    know({ "2026-01-06": official("rouge") });
    until("2026-01-06T05:00:00+01:00");
    expect(texts()).toHaveLength(1);
  });

  test("an official colour that was another one in between sends one more, also within six hours", () => {
    const { know, until, texts } = begin();
    until("2026-01-05T11:00:00+01:00");
    know({ "2026-01-06": official("rouge") });
    know({ "2026-01-06": official("blanc") });
    until("2026-01-05T11:30:00+01:00");
    know({ "2026-01-06": official("rouge") });
    expect(texts()).toHaveLength(2);
    know({ "2026-01-06": official("rouge") });
    until("2026-01-06T05:00:00+01:00");
    expect(texts()).toHaveLength(2);
  });

  test.each([
    ["forecast", forecast],
    ["official", (color: "rouge" | "blanc") => official(color)],
  ])("rouge, blanc, rouge (%s): the last message that is read says rouge", (_title, word) => {
    const { know, texts } = daysHouse({
      rules: [ROUGE_AHEAD, { id: "blanc_ahead", when: { day: "next", color: "blanc" } }],
      choose: [...TELL, { when: "blanc_ahead", payload: "{next.color}" }],
      from: "2026-01-05T07:00:00+01:00",
    });
    for (const color of ["rouge", "blanc", "rouge"] as const) know({ "2026-01-06": word(color) });
    expect(texts()).toEqual(["2026-01-06: rouge", "blanc", "2026-01-06: rouge"]);
  });

  test("rouge, blanc, and rouge again by the forecast after more than six hours: the last message that is read says rouge", () => {
    const { know, until, texts } = daysHouse({
      rules: [ROUGE_AHEAD, { id: "blanc_ahead", when: { day: "next", color: "blanc" } }],
      choose: [...TELL, { when: "blanc_ahead", payload: "{next.color}" }],
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-06": forecast("rouge") });
    until("2026-01-05T08:00:00+01:00");
    know({ "2026-01-06": forecast("blanc") });
    until("2026-01-05T15:00:00+01:00");
    know({ "2026-01-06": forecast("rouge") });
    expect(texts()).toEqual(["2026-01-06: rouge", "blanc", "2026-01-06: rouge"]);
  });

  test("rouge again after a text that names no day is told again", () => {
    const { know, until, texts } = daysHouse({
      rules: [ROUGE_AHEAD, { id: "calm", when: { not: { day: "next", color: "rouge" } } }],
      choose: [...TELL, { when: "calm", payload: "not rouge" }],
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-06": forecast("rouge") });
    until("2026-01-05T07:30:00+01:00");
    know({ "2026-01-06": forecast("bleu") });
    until("2026-01-05T08:00:00+01:00");
    know({ "2026-01-06": forecast("rouge") });
    until("2026-01-05T11:00:00+01:00");
    know({ "2026-01-06": official("rouge") });
    expect(texts()).toEqual(["2026-01-06: rouge", "not rouge", "2026-01-06: rouge"]);
  });

  test("what is true is not told again after another choice told a pretended colour of that day", () => {
    const { know, until, pretend, texts } = daysHouse({
      rules: [ROUGE_AHEAD, { id: "blanc_ahead", when: { day: "next", color: "blanc" } }],
      choose: [...TELL, { when: "blanc_ahead", payload: "{next.color}" }],
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-06": forecast("rouge") });
    until("2026-01-05T08:00:00+01:00");
    const [begun, end] = ["08", "10"].map((hour) => Date.parse(`2026-01-05T${hour}:00:00+01:00`));
    pretend({ color: "blanc", from: "next", date: "2026-01-06", begun: begun!, until: end! });
    until("2026-01-05T09:00:00+01:00");
    pretend(null);
    until("2026-01-06T05:00:00+01:00");
    expect(texts()).toEqual(["2026-01-06: rouge", "[simulation] blanc"]);
  });

  test("an official colour that another text would name sends that text, though the rule stays ON", () => {
    const { know, until, texts } = daysHouse({
      rules: [{ id: "ahead", when: { day: "next", color: ["blanc", "rouge"] } }],
      choose: TELL,
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-06": forecast("blanc") });
    know({ "2026-01-06": forecast("rouge") });
    know({ "2026-01-06": forecast("blanc") });
    until("2026-01-05T11:00:00+01:00");
    know({ "2026-01-06": official("rouge") });
    until("2026-01-05T12:00:00+01:00");
    know({ "2026-01-06": official("blanc") });
    until("2026-01-06T05:00:00+01:00");
    expect(texts()).toEqual(["2026-01-06: blanc", "2026-01-06: rouge", "2026-01-06: blanc"]);
  });

  test("the same text by another choice is not sent again", () => {
    const { know, until, texts } = daysHouse({
      rules: [ROUGE_AHEAD, { id: "sure", when: { day: "next", color: "rouge", official: true } }],
      choose: [
        { when: "sure", payload: "{next.color}" },
        { when: "ahead", payload: "{next.color}" },
      ],
      from: "2026-01-05T07:00:00+01:00",
    });
    know({ "2026-01-06": forecast("rouge") });
    until("2026-01-05T11:00:00+01:00");
    know({ "2026-01-06": official("rouge") });
    until("2026-01-06T05:00:00+01:00");
    expect(texts()).toEqual(["rouge"]);
  });
});

describe("a phone whose service is away", () => {
  const rougeDays = () => {
    const one = daysHouse({ rules: [ROUGE_AHEAD], choose: TELL, from: "2026-01-05T11:00:00+01:00" });
    one.know({
      "2026-01-05": official("bleu"),
      "2026-01-06": official("rouge"),
      "2026-01-07": official("rouge"),
      "2026-01-08": official("bleu"),
    });
    return one;
  };

  test.each([
    ["is not reached", false],
    ["gives no answer", true],
  ])(
    "for a day gets the text of the new day, never that of the day before: it %s",
    (_title, mayHaveArrived) => {
      const one = daysHouse({ rules: [ROUGE_AHEAD], choose: TELL, from: "2026-01-06T05:00:00+01:00" });
      one.vigie.answerWith(NO_ANSWER(mayHaveArrived));
      one.know({
        "2026-01-05": official("bleu"),
        "2026-01-06": official("rouge"),
        "2026-01-07": official("rouge"),
        "2026-01-08": official("bleu"),
      });
      one.until("2026-01-06T06:01:00+01:00");
      one.vigie.answerWith((number) => ({ kind: "acknowledged", number }));
      const before = one.texts().length;
      one.until("2026-01-06T08:00:00+01:00");
      expect(one.texts().slice(before)).toEqual(["2026-01-07: rouge"]);
      expect(one.vigie.state()).toBe("sent");
    },
  );

  test("for some hours gets the colour of then: what nobody can have read is not sent when it is untrue", () => {
    const one = daysHouse({
      rules: [{ id: "ahead", when: { day: "next", color: ["blanc", "rouge"] } }],
      choose: TELL,
      from: "2026-01-05T07:00:00+01:00",
    });
    one.vigie.answerWith(NO_ANSWER(false));
    one.know({ "2026-01-06": forecast("blanc") });
    one.until("2026-01-05T08:00:00+01:00");
    one.know({ "2026-01-06": forecast("rouge") });
    one.until("2026-01-05T08:10:00+01:00");
    const before = one.texts().length;
    one.vigie.answerWith((number) => ({ kind: "acknowledged", number }));
    one.until("2026-01-05T09:00:00+01:00");
    expect(one.texts().slice(before)).toEqual(["2026-01-06: rouge"]);
  });

  test.each([
    ["is not reached", false],
    ["gives no answer", true],
  ])("gets no text of a day that decides no more: it %s", (_title, mayHaveArrived) => {
    const one = daysHouse({
      rules: [{ id: "ahead", when: { any: [{ day: "now", color: "rouge" }, ROUGE_AHEAD.when] } }],
      choose: TELL,
      from: "2026-01-05T11:00:00+01:00",
    });
    one.know({ "2026-01-05": official("bleu"), "2026-01-06": official("rouge") });
    one.until("2026-01-06T10:50:00+01:00");
    one.vigie.answerWith(NO_ANSWER(mayHaveArrived));
    one.know({ "2026-01-07": forecast("rouge") });
    one.until("2026-01-06T11:00:00+01:00");
    one.know({ "2026-01-07": official("blanc") });
    one.vigie.answerWith((number) => ({ kind: "acknowledged", number }));
    const before = one.texts().length;
    one.until("2026-01-06T12:00:00+01:00");
    expect(one.texts().slice(before)).not.toContain("2026-01-07: rouge");
  });

  test("a restart of vigie sends nothing that was sent, and knows which day was told", () => {
    const one = rougeDays();
    const again = daysHouse({
      rules: [ROUGE_AHEAD],
      choose: TELL,
      from: "2026-01-05T20:00:00+01:00",
      kept: one.vigie.kept(),
    });
    again.know({
      "2026-01-05": official("bleu"),
      "2026-01-06": official("rouge"),
      "2026-01-07": official("rouge"),
    });
    again.until("2026-01-06T12:00:00+01:00");
    expect(again.texts()).toEqual(["2026-01-07: rouge"]);
  });
});

describe("a state file of an earlier version, in which messages are among devices", () => {
  const AT = Date.parse("2026-01-05T11:00:00+01:00");
  const TOLD = {
    payload: "2026-01-06: rouge",
    choice: "ahead",
    day: "2026-01-06",
    pretended: false,
    tries: 1,
  };
  const SENT = {
    ...TOLD,
    id: PHONE.id,
    expect: null,
    at: AT,
    acknowledged: true,
    stands: true,
    answer: "none",
  };
  const former = (change: object) => ({
    ...SENT,
    ...{ because: "ahead is ON", last_answer: null, answered_at: null, told: [], away_since: null },
    ...{ came_back: false, stuck: null, color: "rouge" },
    delivered: [{ ...TOLD, at: AT, begun: AT, taken: true }],
    told_days: { ahead: { day: "2026-01-06", color: "rouge", has_changed: false } },
    ...change,
  });
  const restart = (change: object, from = "2026-01-05T20:00:00+01:00") => {
    const { kept, unread } = readOutputs({ outputs: { [PHONE.key]: former(change) } });
    expect([unread, Object.keys(kept.devices), Object.keys(kept.messages)]).toEqual([[], [], [PHONE.key]]);
    const one = daysHouse({ rules: [ROUGE_AHEAD], choose: TELL, from, kept });
    one.know({
      "2026-01-05": official("bleu"),
      "2026-01-06": official("rouge"),
      "2026-01-07": official("rouge"),
    });
    one.until("2026-01-06T05:50:00+01:00");
    return one;
  };
  const UNDELIVERED = { acknowledged: false, tries: 0, delivered: [], told_days: {} };

  test("sends nothing that was delivered, and the next day is told", () => {
    const one = restart({});
    expect(one.texts()).toEqual([]);
    expect(one.vigie.state()).toBe("sent");
    one.until("2026-01-06T07:00:00+01:00");
    expect(one.texts()).toEqual(["2026-01-07: rouge"]);
  });

  test("sends nothing that was given up", () => {
    const one = restart({ acknowledged: false, tries: 6 });
    expect(one.texts()).toEqual([]);
    expect(one.vigie.state()).toBe("failed");
  });

  test("goes on with what was not delivered", () => {
    expect(restart(UNDELIVERED).texts()).toEqual(["2026-01-06: rouge"]);
  });

  test("goes on with what may have arrived, when it is due, with the same id", () => {
    const delivered = [{ ...TOLD, tries: 3, at: AT, begun: AT - HOUR, taken: false }];
    const one = restart(
      { acknowledged: false, at: AT - HOUR, tries: 3, delivered },
      "2026-01-05T11:02:00+01:00",
    );
    expect(one.vigie.sent.map(({ at }) => at / MINUTE)).toEqual([310]);
    expect(one.vigie.ids()).toEqual([`${PHONE.id}-${AT - HOUR}`]);
  });

  test("sends nothing that was delivered not long ago, if its choice has ended and begins again", () => {
    expect(restart({ stands: false }, "2026-01-05T12:00:00+01:00").texts()).toEqual([]);
  });
});

describe("placeholders say what the rule saw", () => {
  const rouge = {
    "2026-01-05": official("bleu"),
    "2026-01-06": official("rouge"),
    "2026-01-07": official("blanc"),
  };

  test.each([
    ["a message", PHONE],
    ["a device", BOILER],
  ])("%s by a lead of five minutes: the colour from 06:00 on", (_title, output) => {
    const { know, until, vigie } = daysHouse({
      rules: [{ id: "ahead", when: { day: "now", color: "rouge" }, lead: "5m" }],
      choose: [{ when: "ahead", payload: "{now.day} {now.color}, then {next.day} {next.color}" }],
      output: { ...output, language: "fr" },
      from: "2026-01-06T05:00:00+01:00",
    });
    vigie.connect();
    know(rouge);
    until("2026-01-06T12:00:00+01:00");
    expect(vigie.sent.map(({ at, payload }) => [at / MINUTE, payload])).toEqual([
      [1_435, "mardi 6 janvier rouge, then mercredi 7 janvier blanc"],
    ]);
  });

  test.each([
    ["a message", PHONE],
    ["a device", BOILER],
  ])("%s by a lag: as it was at the last instant at which the rule was ON by itself", (_title, output) => {
    const { know, until, texts, vigie } = daysHouse({
      rules: [{ id: "ahead", when: { day: "now", color: "rouge" }, lag: "2h" }],
      choose: [{ when: "ahead", payload: "{now.day} {now.color} {now.period}" }],
      output,
      from: "2026-01-07T06:30:00+01:00",
    });
    vigie.connect();
    know(rouge);
    until("2026-01-07T07:30:00+01:00");
    expect(texts()).toEqual(["Tuesday 6 January rouge hc"]);
  });

  test("also through another rule", () => {
    const { know, until, texts } = daysHouse({
      rules: [
        { id: "soon", when: { day: "now", color: "rouge" }, lead: "5m" },
        { id: "ahead", when: { all: [{ rule: "soon" }, { weekday: ["mon", "tue"] }] } },
      ],
      choose: [{ when: "ahead", payload: "{now.color}" }],
      from: "2026-01-06T05:00:00+01:00",
    });
    know(rouge);
    until("2026-01-06T05:58:00+01:00");
    expect(texts()).toEqual(["rouge"]);
  });

  test("else says what is so now", () => {
    const { know, until, texts, vigie } = daysHouse({
      rules: [{ id: "ahead", when: { day: "now", color: "rouge" }, lead: "5m" }],
      choose: [{ when: "ahead", payload: "off" }],
      output: { ...BOILER, else: { payload: "{now.color}" } },
      from: "2026-01-06T05:57:00+01:00",
    });
    vigie.connect();
    know(rouge);
    until("2026-01-07T06:01:00+01:00");
    expect(texts()).toEqual(["off", "blanc"]);
  });
});
