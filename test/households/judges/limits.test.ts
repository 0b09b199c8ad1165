import { beforeAll, expect, test } from "vitest";
import { runHousehold } from "../household.ts";
import { eventAt, withMore } from "../lies/change-trace.ts";
import { liveIn } from "../live.ts";
import type { ScriptEvent } from "../scenario.ts";
import type { Seen, Trace, TraceEvent } from "../trace.ts";
import { ask } from "./judge.ts";
import { limitJudges } from "./limits.ts";

const SERVICE = { service: { base_url: "https://service.example" }, mqtt: { url: "mqtt://192.0.2.1" } };
const BOILER = { id: "boiler", topic: "boiler/set", choose: [{ when: "guests", payload: "off" }] };

/** A household in which somebody presses the refresh button each two minutes, or nobody does anything. */
function live(hours: number, presses: number): Promise<Trace> {
  const pressed = Array.from({ length: presses }, (_, index): ScriptEvent => {
    return { at: 60 + 120 * index, kind: "command", topic: "vigie/refresh/set", payload: "PRESS" };
  });
  return runHousehold({
    seed: 1,
    from: "2026-01-17T06:20:00Z",
    length: hours * 3_600,
    trouble: 0,
    history: 3,
    oldBroker: false,
    configs: [
      {
        service: { base_url: "https://service.example" },
        official: { source: "rte" },
        mqtt: { url: "mqtt://192.0.2.1" },
        rules: [],
        outputs: { list: [] },
      },
    ],
    devices: [],
    events: [{ at: 1, kind: "start" }, ...pressed],
  });
}

let pressed: Trace;
let quiet: Trace;
beforeAll(async () => {
  pressed = await live(12, 300);
  quiet = await live(3, 0);
});

function at(trace: Trace, seconds: number, seen: Seen): TraceEvent {
  return eventAt(trace, seconds * 1_000, seen);
}

function sentences(trace: Trace): string[] {
  return ask(limitJudges, trace).violations.map(({ sentence }) => sentence);
}

test("nothing is wrong if somebody is impatient until the requests of the day are used up", () => {
  const count = (source: string) =>
    pressed.events.filter((event) => event.kind === "request" && event.source === source).length;
  expect(count("service")).toBeGreaterThan(150);
  expect(count("rte")).toBeGreaterThan(80);
  expect(sentences(pressed)).toEqual([]);
  expect(sentences(quiet)).toEqual([]);
});

test.each(["service", "rte"] as const)("11 requests to %s in a minute are too many", (source) => {
  const requests = Array.from({ length: 11 }, (_, index) =>
    at(quiet, 30_000 + 5 * index, { kind: "request", source, path: `/${index}` }),
  );
  expect(sentences(withMore(quiet, requests.slice(0, 10)))).toEqual([]);
  expect(sentences(withMore(quiet, requests))).toEqual([`11 requests to ${source} in a minute, at most 10`]);
});

test.each([
  ["service", "/v1/public", 150],
  ["rte", "/tempoLight", 80],
] as const)(
  "three polls of %s in ten minutes beyond those of the day are too many",
  (source, path, budget) => {
    const requests = [0, 1, 2].map((index) =>
      at(pressed, 11 * 3_600 + 300 * index, { kind: "request", source, path }),
    );
    const [sentence] = sentences(withMore(pressed, requests));
    expect(sentence).toMatch(
      new RegExp(`^\\d+ requests for ${path} to ${source} beyond the ${budget} of a day, `),
    );
  },
);

test("a write each ten minutes is too often if nothing happens", () => {
  const writes = Array.from({ length: 60 }, (_, index) =>
    at(quiet, 3_600 + 600 * index, { kind: "write", outcome: "done" }),
  );
  expect(sentences(withMore(quiet, writes))).toEqual([
    expect.stringMatching(/^\d+ writes a day, at most \d+$/),
  ]);
});

test.each([
  ["vigie/rules/rule1/since", 12, 11],
  ["vigie/outputs/boiler/state", 12, 11],
])("messages on %s are too many in 10 s if they are %i", (topic, count, most) => {
  const messages = Array.from({ length: count }, (_, index) =>
    at(quiet, 30_000 + index / 4, {
      ...{ kind: "published", id: index, topic, payload: "1", retain: true, qos: 1, expiry: undefined },
    } as Seen),
  );
  expect(sentences(withMore(quiet, messages))).toEqual([
    `${count} messages on ${topic} in 10 s, at most ${most}`,
  ]);
});

test("events of twelve rules in a second are right, and twelve of one are too many, also while the disk fails", () => {
  const withEventsOf = (ruleOf: (index: number) => string, ...more: TraceEvent[]) => {
    const events = Array.from({ length: 12 }, (_, index) => {
      const payload = JSON.stringify({ event_type: "rule_on", rule: ruleOf(index) });
      const message = { topic: "vigie/event", payload, retain: false, qos: 1, expiry: undefined } as const;
      return at(quiet, 30_000 + index / 20, { kind: "published", id: index, ...message });
    });
    return sentences(withMore(quiet, [...more, ...events]));
  };
  const tooMany = ["12 messages on vigie/event in 10 s, at most 11"];
  const fails = [
    at(quiet, 29_990, { kind: "write", outcome: "begun" }),
    at(quiet, 29_991, { kind: "write", outcome: "failed" }),
  ];
  expect(withEventsOf((index) => `rule${index}`)).toEqual([]);
  expect(withEventsOf(() => "rule1")).toEqual(tooMany);
  expect(withEventsOf(() => "rule1", ...fails)).toEqual(tooMany);
});

test("a path that fails is asked ten times a day, by the time zone of the tariff", () => {
  const path = "/v1/public/season";
  const inZone = (time_zone: string): Trace => {
    const events = quiet.events.map((event) =>
      event.kind === "start"
        ? { ...event, yaml: `${event.yaml}\ntariff: { time_zone: ${time_zone} }` }
        : event,
    );
    return { ...quiet, events };
  };
  // From 00:10 in Paris on; it is 19:10 in Martinique then.
  const asked = (hours: number) =>
    Array.from({ length: hours }, (_, index) => {
      const answer = { source: "service", path, status: 404, headers: {}, body: "" } as const;
      return at(quiet, (16 + 5 / 6 + index) * 3_600 + 0.000_25, { kind: "answer", ...answer });
    });
  const wrong = `${path} fails: asked 11 times on 2026-01-18`;
  expect(sentences(withMore(inZone("Europe/Paris"), asked(10)))).toEqual([]);
  expect(sentences(withMore(inZone("Europe/Paris"), asked(11)))).toEqual([wrong]);
  expect(sentences(withMore(inZone("America/Martinique"), asked(15)))).toEqual([]);
  expect(sentences(withMore(inZone("America/Martinique"), asked(16)))).toEqual([wrong]);
});

test("a path that fails is asked again soon only if a disk that fails kept vigie from saving it", () => {
  const path = "/v1/public/season";
  const start = quiet.events.find(({ kind }) => kind === "start")!;
  const asked = (seconds: number) =>
    at(quiet, seconds, { kind: "answer", source: "service", path, status: 503, headers: {}, body: "" });
  const restarted = (outcome: "done" | "failed") =>
    withMore(quiet, [
      asked(20_000),
      at(quiet, 20_001, { kind: "write", outcome: "begun" }),
      at(quiet, 20_002, { kind: "write", outcome }),
      { ...start, at: quiet.began + 20_180_000, steady: 20_180_000 },
      asked(20_181),
    ]);
  expect(sentences(restarted("failed"))).toEqual([]);
  expect(sentences(restarted("done"))).toEqual([`${path} fails: asked again after 3 minutes`]);
});

/** A boiler whose payload makes a slow broker end the connection. */
function forbidden(every: string | undefined): Promise<Trace> {
  const confirm = every === undefined ? {} : { confirm: { topic: "boiler/state", every } };
  const rules = [{ id: "guests", when: { period: "hp" } }];
  return liveIn({ ...SERVICE, rules, outputs: { list: [{ ...BOILER, ...confirm }] } }, [
    { at: 1, kind: "latency", milliseconds: 3_000, for: 3_600 },
    { at: 1, kind: "refuse", topic: "boiler/set", ends: true, for: 3_600 },
  ]);
}

test.each([undefined, "5s", "20s"])("pauses double also at a slow broker if `every` is %s", async (every) => {
  const trace = await forbidden(every);
  expect(trace.events.filter(({ kind }) => kind === "refused").length).toBeGreaterThan(5);
  expect(sentences(trace)).toEqual([]);
});

/** The broker ends the connection at its payload at the first of these seconds, and it is sent again at the others. */
function triedAt(output: object, ...seconds: number[]): Trace {
  const yaml = JSON.stringify({ rules: [], outputs: { list: [{ ...BOILER, ...output }] } });
  const tries = seconds.flatMap((second, id): [number, Seen][] => [
    [second, { kind: "refused", id, topic: "boiler/set", payload: "off", isSaid: true }],
    [second, { kind: "disconnected" }],
    [second + 1, { kind: "connected", version: 5 }],
  ]);
  const seen: [number, Seen][] = [
    [0, { kind: "start", yaml }],
    [1, { kind: "connected", version: 5 }],
    ...tries,
  ];
  return {
    began: 0,
    events: seen.map(([second, one]) => ({ at: second * 1_000, steady: second * 1_000, ...one })),
  };
}

const TOPIC = "boiler/state";

test("a payload at which the broker ends the connection is sent again after `every`, and after pauses that double", () => {
  expect(sentences(triedAt({}, 10, 40, 100, 220, 460, 940, 1_540, 2_140))).toEqual([]);
  expect(sentences(triedAt({}, 10, 20))).toEqual(["boiler/set is tried again after 10 s, not after 30 s"]);
  expect(sentences(triedAt({}, 10, 40, 99))).toEqual([
    "boiler/set is tried again after 59 s, not after 60 s",
  ]);
  // A first pause that was longer makes the next no longer.
  expect(sentences(triedAt({}, 10, 60, 120))).toEqual([]);
  const confirm = { topic: TOPIC, every: "5s" };
  expect(sentences(triedAt({ confirm }, 10, 15, 25, 45))).toEqual([]);
  expect(sentences(triedAt({ confirm }, 10, 15, 25, 44))).toEqual([
    "boiler/set is tried again after 19 s, not after 20 s",
  ]);
  expect(sentences(triedAt({ confirm: { topic: TOPIC, every: "2m" } }, 10, 100))).toEqual([
    "boiler/set is tried again after 90 s, not after 120 s",
  ]);
});

test("the pauses begin anew when vigie starts, or the device has said that it does what it was sent", () => {
  const confirm = { topic: TOPIC, every: "30s" };
  const tries = triedAt({ confirm }, 10, 40, 100, 130);
  expect(sentences(tries)).toEqual(["boiler/set is tried again after 30 s, not after 120 s"]);
  const start = tries.events[0]!;
  const report = (payload: string): Seen => ({ kind: "heard", topic: TOPIC, payload, retain: false });
  expect(sentences(withMore(tries, [at(tries, 110, report("on"))]))).toHaveLength(1);
  expect(sentences(withMore(tries, [at(tries, 110, report("off"))]))).toEqual([]);
  expect(sentences(withMore(tries, [{ ...start, at: 110_000, steady: 110_000 }]))).toEqual([]);
});

test("what is acknowledged by nobody is repeated without pauses that double", () => {
  const confirm = { topic: TOPIC, every: "30s" };
  expect(sentences(triedAt({ confirm, qos: 0 }, 10, 40, 70, 100))).toEqual([]);
});
