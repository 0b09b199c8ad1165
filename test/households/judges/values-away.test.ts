import { expect, test } from "vitest";
import { valueAt } from "../found/shared.ts";
import { without } from "../lies/change-trace.ts";
import { liveIn } from "../live.ts";
import type { HouseConfig, ScriptEvent } from "../scenario.ts";
import type { Trace } from "../trace.ts";
import { ask } from "./judge.ts";
import { valuesAwayJudge } from "./values-away.ts";

const HEATER: HouseConfig = {
  service: { base_url: "https://service.example" },
  mqtt: { url: "mqtt://192.0.2.1" },
  rules: [{ id: "home", when: { mqtt: { topic: "house/value1", equals: "home", max_age: "20m" } } }],
  outputs: {
    list: [
      {
        id: "device1",
        url: "http://192.0.2.40/device1/set?turn={payload}&key={secret}",
        secret_file: "plain",
        choose: [{ when: "home", payload: "20" }],
        unknown: "17",
      },
    ],
  },
};

/** Somebody is home. Then vigie starts without the broker, which is back after 37 minutes; the value counts until the 21st. */
function startedAlone(...events: ScriptEvent[]): Promise<Trace> {
  return liveIn(HEATER, [
    valueAt(60, "home"),
    { at: 600, kind: "broker", how: "killed", for: 1_620, retained: "kept" },
    { at: 605, kind: "stop" },
    { at: 620, kind: "start" },
    ...events,
  ]);
}

function sentences(trace: Trace): string[] {
  return ask([valuesAwayJudge], trace).violations.map(({ sentence }) => sentence);
}

/** In which minute what was sent. */
function sent({ events }: Trace): string[] {
  return events.flatMap((event) =>
    event.kind === "web request" ? [`${Math.floor(event.steady / 60_000)}: ${event.payload}`] : [],
  );
}

function unsent(payload: string, trace: Trace): Trace {
  return without(trace, (event) => event.kind === "web request" && event.payload === payload);
}

const WRONG = expect.stringContaining("17 is chosen (unknown), and 20 was sent last");

test("a device with a secret follows values that count no longer, unless its file is gone", async () => {
  const always = await startedAlone();
  expect(sent(always)).toEqual(["0: 17", "1: 20", "21: 17"]);
  expect(sentences(always)).toEqual([]);
  expect(sentences(unsent("17", always))).toEqual([WRONG]);
  const gone = await startedAlone({ at: 1_240, kind: "secret file", name: "plain", for: 900 });
  expect(sent(gone)).toEqual(["0: 17", "1: 20", "41: 17"]);
  expect(sentences(gone)).toEqual([]);
});

test("a device with a secret is tried again within ten minutes after its file is back", async () => {
  const back = await startedAlone({ at: 1_200, kind: "secret file", name: "plain", for: 100 });
  expect(sent(back)).toEqual(["0: 17", "1: 20", "31: 17"]);
  expect(sentences(back)).toEqual([]);
  expect(sentences(unsent("17", back))).toEqual([WRONG]);
});
