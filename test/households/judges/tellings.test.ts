import { expect, test } from "vitest";
import { later, withMore } from "../lies/change-trace.ts";
import { liveFound } from "../live.ts";
import type { Trace } from "../trace.ts";
import { ask, type Violation } from "./judge.ts";
import { tellingJudges } from "./tellings.ts";

/** What is wrong with how often its devices are told. */
function tellingsIn(trace: Trace): Violation[] {
  return ask(tellingJudges, trace).violations;
}

/** As if its device had been sent nothing from this second on, and had confirmed nothing. */
function withoutSendings({ began, events }: Trace, from: number): Trace {
  const isOfSending = (event: Trace["events"][number]) =>
    event.kind === "published" &&
    /^(device1\/set|vigie\/outputs\/device1(_set)?\/state)$/.test(event.topic) &&
    event.steady > from * 1_000;
  return { began, events: events.filter((event) => !isOfSending(event)) };
}

test("a device that is there after a kill is told at the connection at which that is heard", async () => {
  const trace = await liveFound("a device is heard that it is there some seconds after a kill");
  expect(tellingsIn(trace)).toEqual([]);
  expect(tellingsIn(withoutSendings(trace, 600))).toMatchObject([
    {
      sentence: expect.stringMatching(/^device1_set is there at a new connection, and was not told p1 again/),
    },
  ]);
});

test("a device that has confirmed is told again only if it has said that it is there", async () => {
  const { began, events } = await liveFound("that a device is there is known from a slow");
  expect(tellingsIn({ began, events })).toEqual([]);
  const silent = events.filter((event) => !(event.kind === "heard" && event.topic === "device1/online"));
  expect(tellingsIn({ began, events: silent })).toContainEqual(
    expect.objectContaining({ sentence: expect.stringContaining("after it had confirmed it") }),
  );
});

test("a device that is there at a new connection is told, also by a slow broker", async () => {
  const trace = await liveFound("a slow broker that holds much says late");
  expect(tellingsIn(trace)).toEqual([]);
  expect(tellingsIn(withoutSendings(trace, 600))).toContainEqual(
    expect.objectContaining({ sentence: expect.stringContaining("device1 is there at a new connection") }),
  );
});

test("a telling counts among the five of an hour if the device has read it, not if it took no connection", async () => {
  const trace = await liveFound("a judge that counts a telling, though the device had no power");
  const requests = trace.events.filter((event) => event.kind.startsWith("web "));
  const last = requests.slice(-3);
  expect(last.map(({ kind }) => kind)).toEqual(["web request", "web arrival", "web answer"]);
  const oneMore = last.map((event) => later({ ...event, id: 1_000 }, 60_000));
  expect(tellingsIn(trace)).toEqual([]);
  expect(tellingsIn(withMore(trace, oneMore))).toMatchObject([
    {
      sentence: expect.stringMatching(
        /^device1 was told off again six times within .*, the last time after 60 s/,
      ),
    },
  ]);
});
