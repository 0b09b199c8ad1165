import { expect, test } from "vitest";
import { runHousehold } from "../household.ts";
import { later, withMore, without } from "../lies/change-trace.ts";
import { liveFound, liveIn } from "../live.ts";
import type { HouseConfig, OutputText, ScriptEvent, WebFault } from "../scenario.ts";
import { isKind, type Trace, type TraceEvent } from "../trace.ts";
import { ask } from "./judge.ts";
import { messageJudges } from "./messages.ts";

/** Guests come at 10 min and leave at 20 min, when each message takes 400 ms to the broker. */
const live = () =>
  runHousehold({
    seed: 1,
    from: "2026-01-17T08:20:00Z",
    length: 2_400,
    trouble: 0,
    history: 3,
    oldBroker: false,
    configs: [
      {
        service: { base_url: "https://service.example" },
        mqtt: { url: "mqtt://192.0.2.1" },
        rules: [
          { id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } } },
          { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } },
        ],
        outputs: {
          list: [
            {
              id: "phone",
              url: "https://phone.example/phone/set",
              message: true,
              choose: [
                { when: "guests", payload: "guests on {now.date}" },
                { when: "always", payload: "nobody" },
              ],
            },
          ],
        },
      },
    ],
    devices: [],
    events: [
      { at: 1, kind: "start" },
      { at: 900, kind: "latency", milliseconds: 400, for: 1_200 },
      ...["guests", "away"].map((word, index) => ({
        at: 600 * (index + 1),
        kind: "series" as const,
        topic: "house/value1",
        every: 1,
        for: 0,
        retain: true,
        values: { words: [word] },
      })),
    ],
  });

function sentences(trace: Trace): string[] {
  return ask(messageJudges, trace).violations.map(({ sentence }) => sentence);
}

/** The last sending of this text came so many seconds earlier. */
function earlier(trace: Trace, payload: string, seconds: number): Trace {
  const sending = lastSending(trace, payload);
  const moved = sending.map((event) => later(event, -seconds * 1_000));
  return withMore(
    without(trace, (event) => sending.includes(event)),
    moved,
  );
}

/** All that happened of the last request with this text. */
function lastSending({ events }: Trace, payload: string): TraceEvent[] {
  const ids = events.flatMap((event) =>
    isKind(event, "web request") && event.payload === payload ? [event.id] : [],
  );
  return events.filter((event) => isKind(event, ...OF_REQUESTS) && event.id === ids.at(-1));
}

const OF_REQUESTS = ["web request", "web arrival", "web answer", "web failure"] as const;

test("another text is wrong while one choice is in force, and right when the next one begins", async () => {
  const trace = await live();
  const texts = trace.events.flatMap((event) => (event.kind === "web request" ? [event.payload] : []));
  expect(texts).toEqual(["guests on 2026-01-17", "nobody"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "nobody", 300))).toContain(
    "phone: nobody was sent after guests on 2026-01-17, by the same choice",
  );
});

test("a rule that looks two hours ahead tells its next day at 22:00, and not before", async () => {
  // It is ON from 19:10 in Paris on for 5 January, and from 22:00 on for the sixth.
  const when = { all: [{ day: "today", confidence: 2 }, { between: ["21:10", "18:00"] }] };
  const trace = await liveIn(houseOf([{ id: "ahead", when, lead: "2h" }], { ahead: "a day" }), [], {
    from: "2026-01-05T17:30:00Z",
    length: 3.6 * 3_600,
  });
  const at = trace.events.flatMap((event) =>
    event.kind === "web request" ? [new Date(event.at).toISOString().slice(11, 16)] : [],
  );
  expect(at).toEqual(["18:10", "21:00"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "a day", 600))).toEqual([
    "phone: a day was sent again 160.0 min after it was delivered",
  ]);
});

const SERVICE = "https://phone.example";

/** A phone over HTTP. Its first message comes later than the topics. */
function houseOf(
  rules: HouseConfig["rules"],
  choices: Readonly<Record<string, string>>,
  changes: Partial<OutputText> & { tariff?: object } = {},
): HouseConfig {
  const { tariff, ...ofOutput } = changes;
  const choose = Object.entries(choices).map(([when, payload]) => ({ when, payload }));
  const phone = { id: "phone", url: `${SERVICE}/phone/set`, message: true, choose, ...ofOutput } as const;
  return {
    service: { base_url: "https://service.example" },
    mqtt: { url: "mqtt://192.0.2.1" },
    ...(tariff && { tariff }),
    rules,
    outputs: { list: [phone] },
  };
}

const GUESTS = { id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } } };

const HOME = { id: "home", when: { mqtt: { topic: "house/value1", equals: "home" } } };
const AWAY = { id: "away", when: { mqtt: { topic: "house/value1", equals: "away" } } };

function valueAt(at: number, payload: string): ScriptEvent {
  return { at, kind: "report", topic: "house/value1", payload, retain: true };
}

function faultAt(at: number, fault: WebFault, seconds: number): ScriptEvent {
  return { at, kind: "web", host: SERVICE, fault, for: seconds };
}

/** When each request was made, after the beginning, and what it said. */
function sent({ events }: Trace): string[] {
  return events.flatMap((event) =>
    event.kind === "web request" ? [`${(event.steady / 60_000).toFixed(1)} min: ${event.payload}`] : [],
  );
}

/** The requests from this one on were never made. */
function withoutSince(trace: Trace, first: number): Trace {
  return without(trace, (event) => isKind(event, ...OF_REQUESTS) && event.id >= first);
}

test("a service that was busy for an hour is tried each ten minutes, and each 30 s before", async () => {
  const busy = faultAt(30, { kind: "status", status: 503 }, 6_000);
  const trace = await liveIn(houseOf([GUESTS], { guests: "m1" }), [busy, valueAt(60, "guests")], {
    length: 6_000,
  });
  expect(sent(trace).at(-1)).toBe("91.1 min: m1");
  expect(sentences(trace)).toEqual([]);
  expect(sentences(withoutSince(trace, 50))).toEqual([
    "phone: m1 was not taken, and not tried again within 75 s",
  ]);
});

test("a message that was not taken is not tried again when another one is in force that was told before", async () => {
  const house = houseOf([HOME, GUESTS], { home: "m1", guests: "m2" });
  const away = faultAt(300, { kind: "refuses" }, 2_000);
  const values = [valueAt(60, "home"), valueAt(400, "guests")];
  const trace = await liveIn(house, [...values, away, valueAt(420, "home")]);
  expect(sent(trace)).toEqual(["1.0 min: m1", "6.7 min: m2"]);
  expect(sentences(trace)).toEqual([]);
  const goingOn = await liveIn(house, [...values, away, valueAt(890, "guests")], { length: 900 });
  expect(sentences(goingOn)).toEqual([]);
  expect(sentences(withoutSince(goingOn, 4))).toEqual([
    "phone: m2 was not taken, and not tried again within 75 s",
  ]);
});

test("the tries of a message go on after another text that nobody can have read", async () => {
  const trace = await liveIn(houseOf([HOME, GUESTS], { home: "m1", guests: "m2" }), [
    faultAt(30, { kind: "closes after" }, 110),
    valueAt(60, "home"),
    faultAt(150, { kind: "refuses" }, 30),
    valueAt(155, "guests"),
    valueAt(170, "home"),
    faultAt(190, { kind: "closes after" }, 3_000),
  ]);
  expect(sent(trace)).toEqual([
    "1.0 min: m1",
    "1.5 min: m1",
    "2.6 min: m2",
    "3.5 min: m1",
    "13.5 min: m1",
    "43.5 min: m1",
  ]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(withoutSince(trace, 5))).toEqual([
    "phone: m1 was not taken, and not tried again within 645 s",
  ]);
});

test("a message comes again after a kill if the disk had hung since before it was sent", async () => {
  const trace = await liveIn(houseOf([GUESTS], { guests: "m1" }), [
    valueAt(60, "home"),
    { at: 600, kind: "disk", fault: "hangs", for: 300 },
    {
      at: 620,
      kind: "command",
      topic: "vigie/rules/guests/enabled/set",
      payload: '{"enabled":false,"for":"20s"}',
    },
    valueAt(700, "guests"),
    { at: 800, kind: "kill", steps: 0 },
    { at: 830, kind: "start" },
    valueAt(890, "guests"),
  ]);
  expect(sent(trace)).toEqual(["11.8 min: m1", "14.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  const events = trace.events.filter(({ kind }) => kind !== "write");
  expect(sentences({ ...trace, events })).toEqual([
    "phone: m1 was sent again 2.2 min after it was delivered",
  ]);
});

test("what was told at an address is told there again if another address was in force meanwhile", async () => {
  const house = (host: string) =>
    houseOf([GUESTS], { guests: "m1" }, { url: `https://${host}.example/phone/set` });
  const trace = await liveIn(
    [house("one"), house("other")],
    [
      valueAt(60, "guests"),
      { at: 600, kind: "edit", config: 1 },
      { at: 1_200, kind: "edit", config: 0 },
      valueAt(1_300, "guests"),
    ],
  );
  expect(sent(trace)).toEqual(["1.0 min: m1", "10.0 min: m1", "20.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  const same = trace.events.filter((event) => event.kind !== "reload");
  expect(sentences({ ...trace, events: same })).toEqual([
    "phone: m1 was sent again 9.0 min after it was delivered",
    "phone: m1 was sent again 10.0 min after it was delivered",
  ]);
});

test("a message is not marked if its rule turns by the clock just after a colour is pretended", async () => {
  const night = { id: "night", when: { period: "hc" } };
  const trace = await liveIn(
    houseOf([night], { night: "m1" }),
    [{ at: 1_797, kind: "command", topic: "vigie/simulation/set", payload: "rouge" }],
    { from: "2026-01-05T20:30:00Z" },
  );
  expect(sent(trace)).toEqual(["30.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "m1", 2))).toEqual(["phone: m1 is not marked, though it is pretended"]);
});

test("a message waits after six within an hour, and not after five", async () => {
  const house = houseOf([HOME, AWAY, GUESTS], { home: "m1", away: "m2", guests: "m3" });
  const others = ["home", "away", "home", "away", "home", "away"].map((word, index) =>
    valueAt(60 + 120 * index, word),
  );
  const nobody = valueAt(900, "nobody");
  const trace = await liveIn(house, [...others, nobody, valueAt(1_600, "guests"), valueAt(1_700, "guests")]);
  expect(sent(trace).at(-1)).toBe("11.0 min: m2");
  expect(sentences(trace)).toEqual([]);
  expect(sentences(withoutSince(trace, 6))).toEqual([
    "phone: its choice has begun, and no m2 was sent within 30 s",
    "phone: its choice has begun, and no m3 was sent within 30 s",
  ]);
});

const TODAY = { day: "today", confidence: 0 };
const GUESTS_TODAY = { id: "r", when: { all: [TODAY, GUESTS.when] } };

test("a message over HTTP tells its next day also while the broker is away, and not before", async () => {
  const trace = await liveIn(
    houseOf([GUESTS_TODAY], { r: "m1" }),
    [valueAt(60, "guests"), { at: 5_400, kind: "broker", how: "killed", for: 5_400, retained: "kept" }],
    { from: "2026-01-05T21:00:00Z", length: 4 * 3_600 },
  );
  expect(sent(trace)).toEqual(["1.0 min: m1", "120.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "m1", 2_000))).toEqual([
    "phone: m1 was sent again 85.7 min after it was delivered",
  ]);
});

test("a message is told anew if its rule looks at a later day after an edit", async () => {
  const later = { id: "r", when: { all: [{ day: "d3", confidence: 0 }, GUESTS.when] } };
  const trace = await liveIn(
    [houseOf([GUESTS_TODAY], { r: "m1" }), houseOf([later], { r: "m1" })],
    [valueAt(60, "guests"), { at: 1_800, kind: "edit", config: 1 }, valueAt(1_900, "guests")],
  );
  expect(sent(trace)).toEqual(["1.0 min: m1", "30.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "m1", 600))).toEqual([
    "phone: m1 was sent again 19.0 min after it was delivered",
  ]);
});

test("a rule that looks ahead reaches the next day by the clock of its tariff", async () => {
  const tariff = { time_zone: "America/Martinique", laws: "off" };
  const trace = await liveIn(
    houseOf([{ ...GUESTS_TODAY, lead: "2h" }], { r: "m1" }, { tariff }),
    [valueAt(60, "guests"), valueAt(5_500, "guests")],
    { from: "2026-01-06T00:30:00Z", length: 2 * 3_600 },
  );
  expect(sent(trace)).toEqual(["1.0 min: m1", "90.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "m1", 600))).toEqual([
    "phone: m1 was sent again 79.0 min after it was delivered",
  ]);
});

test("a rule that looks at two days tells each of them once", async () => {
  const at1330 = { all: [{ between: ["13:30", "15:15"] }, { day: "d3", confidence: 0 }] };
  const rule = { id: "r", when: { all: [{ any: [TODAY, at1330] }, GUESTS.when] } };
  const live = (fault?: WebFault) =>
    liveIn(
      houseOf([rule], { r: "m1" }),
      [...(fault ? [faultAt(30, fault, 3_500)] : []), valueAt(1_650, "guests"), valueAt(3_500, "guests")],
      { from: "2026-01-05T12:00:00Z" },
    );
  const trace = await live();
  expect(sent(trace)).toEqual(["27.5 min: m1", "30.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(withThird(trace, "m1"))).toEqual([
    "phone: m1 was sent again 4.2 min after it was delivered",
  ]);
  const unanswered = await live({ kind: "closes after" });
  expect(sent(unanswered).slice(0, 4)).toEqual([
    "27.5 min: m1",
    "28.0 min: m1",
    "30.0 min: m1",
    "30.5 min: m1",
  ]);
  expect(sentences(unanswered)).toEqual([]);
});

/** The last sending of this text is made once more a hundred seconds later. */
function withThird(trace: Trace, payload: string): Trace {
  const again = lastSending(trace, payload).map((event) => later({ ...event, id: 1_000 }, 100_000));
  return withMore(trace, again);
}

test("a message is tried six times more by a vigie whose state file was lost, and not by another one", async () => {
  const trace = await liveIn(
    houseOf([{ id: "afternoon", when: { between: ["15:01", "22:00"] } }], { afternoon: "m1" }),
    [
      faultAt(30, { kind: "hangs", seconds: null }, 14_000),
      { at: 2_700, kind: "stop" },
      { at: 2_710, kind: "state file", from: "none" },
      { at: 2_760, kind: "start" },
    ],
    { length: 14_000 },
  );
  expect(sent(trace)).toHaveLength(11);
  expect(sentences(trace)).toEqual([]);
  const events = trace.events.filter(({ kind }) => kind !== "state file");
  expect(sentences({ ...trace, events })).toContain("phone: m1 was sent 7 times, with 0 kills");
});

test("the next try of a message that may have arrived keeps its pause over a reload, a restart and a kill", async () => {
  const trace = await liveFound("a reload, a restart or a kill brings the next try");
  const sentAt = [
    "1.0 min: m1",
    "1.5 min: m1",
    "3.5 min: m1",
    "13.5 min: m1",
    "43.5 min: m1",
    "103.5 min: m1",
  ];
  expect(sent(trace)).toEqual(sentAt);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(withoutSince(trace, 6), "m1", 900))).toContain(
    "phone: m1 was sent again 900 s after try 4, which may have arrived",
  );
  expect(sentences(earlier(withoutSince(trace, 4), "m1", 30))).toContain(
    "phone: m1 was sent again 90 s after try 2, which may have arrived",
  );
});

/** With another text in each of these sendings. */
function saying({ began, events }: Trace, from: string, to: string): Trace {
  const said = events.map((event) =>
    (event.kind === "web request" || (event.kind === "published" && event.topic === "board/set")) &&
    event.payload === from
      ? { ...event, payload: to }
      : event,
  );
  return { began, events: said };
}

test("a message is that of its choice, marked in a simulation only, and sent also if its choice follows another one", async () => {
  const trace = await liveFound("a message is not sent, though its choice follows another one");
  expect(sent(trace)).toEqual(["10.0 min: m1", "20.0 min: m2", "30.0 min: m1"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(saying(trace, "[simulation] m3", "m3"))).toEqual([
    "board: m3 is not marked, though it is pretended",
  ]);
  expect(sentences(saying(trace, "m2", "[simulation] m2"))).toEqual([
    "phone: [simulation] m2 is marked, and nothing is pretended",
  ]);
  expect(sentences(saying(trace, "m2", "m4"))).toEqual([
    "phone: m4 was sent, and nothing that says it was in force",
    "phone: its choice has begun, and no m2 was sent within 30 s",
  ]);
  expect(sentences(withoutSince(trace, 3))).toEqual([
    "phone: its choice has begun, and no m1 was sent within 30 s",
  ]);
});
