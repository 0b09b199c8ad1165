import { expect, test } from "vitest";
import { liveIn } from "../live.ts";
import type { HouseConfig } from "../scenario.ts";
import type { Trace } from "../trace.ts";
import { ask } from "./judge.ts";
import { messageOfDaysJudges } from "./messages-of-days.ts";

const TODAY = { day: "today", confidence: 0 };

function houseOf(rules: HouseConfig["rules"], when: string): HouseConfig {
  const url = "https://phone.example/phone/set";
  return {
    service: { base_url: "https://service.example" },
    mqtt: { url: "mqtt://192.0.2.1" },
    rules,
    outputs: { list: [{ id: "phone", url, message: true, choose: [{ when, payload: "a day" }] }] },
  };
}

function sentences(trace: Trace): string[] {
  return ask(messageOfDaysJudges, trace).violations.map(({ sentence }) => sentence);
}

/** As if this request was never made. */
function without({ began, events }: Trace, id: number): Trace {
  return {
    began,
    events: events.filter((event) => !(event.kind.startsWith("web") && "id" in event && event.id === id)),
  };
}

test("a day may be told over HTTP while the broker is away, and must be told", async () => {
  const rule = { id: "r", when: { all: [TODAY, { between: ["22:30", "20:15"] }] } };
  const trace = await liveIn(
    houseOf([rule], "r"),
    [{ at: 5_400, kind: "broker", how: "killed", for: 5_400, retained: "kept" }],
    { from: "2026-01-05T21:00:00Z", length: 4 * 3_600 },
  );
  const sent = trace.events.flatMap((event) => (event.kind === "web request" ? [event.steady / 60_000] : []));
  expect(sent.map(Math.floor)).toEqual([30, 120]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(without(trace, 2))).toEqual(["phone: nobody was told of 2026-01-06, which makes r ON"]);
});

test("a day must be told with a secret, unless its file is gone or was gone just before", async () => {
  const { outputs, ...house } = houseOf([{ id: "r", when: TODAY }], "r");
  const list = outputs.list.map((output) => ({
    ...output,
    url: "https://phone.example/phone/set?key={secret}",
    secret_file: "plain",
  }));
  /** The file is gone for ten minutes from this second on; a day begins after an hour. */
  const lived = (at: number) =>
    liveIn({ ...house, outputs: { list } }, [{ at, kind: "secret file", name: "plain", for: 600 }], {
      from: "2026-01-05T22:00:00Z",
      length: 2 * 3_600,
    });
  const before = await lived(1_800);
  expect(sentences(before)).toEqual([]);
  expect(sentences(without(before, 2))).toEqual(["phone: nobody was told of 2026-01-06, which makes r ON"]);
  const gone = await lived(3_300);
  const sent = gone.events.flatMap((event) => (event.kind === "web request" ? [event.steady / 60_000] : []));
  expect(sent.map(Math.floor)).toEqual([0, 70]);
  expect(sentences(gone)).toEqual([]);
});

test("a day must be told also if another one was told just after vigie started for the first time", async () => {
  const house = houseOf([{ id: "r", when: TODAY }], "r");
  const trace = await liveIn(house, [], { from: "2026-01-05T22:00:00Z", length: 2 * 3_600 });
  const sent = trace.events.flatMap((event) => (event.kind === "web request" ? [event] : []));
  expect(sent.map(({ steady }) => Math.floor(steady / 12_000))).toEqual([0, 300]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(without(trace, sent[1]!.id))).toEqual([
    "phone: nobody was told of 2026-01-06, which makes r ON",
  ]);
});

/** At 15:30 in Paris something is told. It is edited at 15:50, and something else is ON at 16:30. */
const afterEdit = (configs: HouseConfig[]) =>
  liveIn(configs, [{ at: 3_000, kind: "edit", config: 1 }], { length: 7_200 });

function todayFrom(from: string) {
  return { all: [TODAY, { between: [from, "16:45"] }] };
}

test("a day that another rule or the rule before an edit has told need not be told again", async () => {
  const rules = [
    { id: "r", when: todayFrom("15:30") },
    { id: "s", when: todayFrom("16:30") },
  ];
  const ofOther = await afterEdit([houseOf(rules, "r"), houseOf(rules, "s")]);
  expect(sentences(ofOther)).toEqual([]);
  expect(sentences(without(ofOther, 1))).toContain("phone: nobody was told of 2026-01-05, which makes s ON");
  const ahead = { id: "r", lead: "1m", when: todayFrom("15:31") };
  const edited = await afterEdit([
    houseOf([ahead], "r"),
    houseOf([{ id: "r", when: todayFrom("16:30") }], "r"),
  ]);
  expect(sentences(edited)).toEqual([]);
  expect(sentences(without(edited, 1))).toEqual(["phone: nobody was told of 2026-01-05, which makes r ON"]);
});
