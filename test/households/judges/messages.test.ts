import { expect, test } from "vitest";
import { runHousehold } from "../household.ts";
import type { Trace } from "../trace.ts";
import { judgeMessages } from "./messages.ts";

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
  return judgeMessages(trace).map(({ sentence }) => sentence);
}

/** Its sending came so many seconds earlier. */
function earlier({ began, events }: Trace, payload: string, seconds: number): Trace {
  const of = events.find((event) => event.kind === "web request" && event.payload === payload);
  const id = of?.kind === "web request" ? of.id : undefined;
  const moved = events.map((event) =>
    "id" in event && event.id === id && event.kind.startsWith("web")
      ? { ...event, at: event.at - seconds * 1_000, steady: event.steady - seconds * 1_000 }
      : event,
  );
  return { began, events: moved.sort((one, other) => one.steady - other.steady) };
}

test("another text is wrong while one choice is in force, and right when the next one begins", async () => {
  const trace = await live();
  const texts = trace.events.flatMap((event) => (event.kind === "web request" ? [event.payload] : []));
  expect(texts).toEqual(["guests on 2026-01-17", "nobody"]);
  expect(sentences(trace)).toEqual([]);
  expect(sentences(earlier(trace, "nobody", 300))).toContain(
    "phone: nobody was sent after guests on 2026-01-17, by the same choice",
  );
});
