import { beforeAll, expect, test } from "vitest";
import { runHousehold } from "../household.ts";
import { withMore } from "../lies/change-trace.ts";
import type { ScriptEvent } from "../scenario.ts";
import type { Seen, Trace, TraceEvent } from "../trace.ts";
import { ask } from "./judge.ts";
import { limitJudges } from "./limits.ts";

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

function at({ began }: Trace, seconds: number, seen: Seen): TraceEvent {
  return { at: began + seconds * 1_000, steady: seconds * 1_000, ...seen };
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

test("events of twelve rules in a second are right, and twelve of one are too many", () => {
  const events = (ruleOf: (index: number) => string) =>
    Array.from({ length: 12 }, (_, index) => {
      const payload = JSON.stringify({ event_type: "rule_on", rule: ruleOf(index) });
      const message = { topic: "vigie/event", payload, retain: false, qos: 1, expiry: undefined } as const;
      return at(quiet, 30_000 + index / 20, { kind: "published", id: index, ...message });
    });
  expect(
    sentences(
      withMore(
        quiet,
        events((index) => `rule${index}`),
      ),
    ),
  ).toEqual([]);
  expect(
    sentences(
      withMore(
        quiet,
        events(() => "rule1"),
      ),
    ),
  ).toEqual(["12 messages on vigie/event in 10 s, at most 11"]);
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
