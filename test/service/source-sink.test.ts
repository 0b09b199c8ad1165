import { expect, test } from "vitest";
import type { SourceEvent } from "../../src/core/loop/event.ts";
import type { DueRequest } from "../../src/core/sources/source.ts";
import { createSourceSink } from "../../src/service/source-sink.ts";
import { forecastsAnswer } from "../support/answers.ts";

const DUE: DueRequest = { request: { kind: "forecasts" }, essential: true };
const REPLY = { answer: forecastsAnswer(null), date: null, made_at: null, sent: null };

test("a source that was stopped gets no request any more, though the same one or another is wanted", async () => {
  const asked: DueRequest["request"][] = [];
  const posted: SourceEvent[] = [];
  const sink = createSourceSink({
    ask: (request, { signal }) => {
      asked.push(request);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
    post: (event) => posted.push(event),
  });
  sink.show(DUE);
  await sink.stop();
  sink.show(DUE);
  sink.show({ ...DUE });
  await sink.stop();
  expect(asked).toEqual([DUE.request]);
  expect(posted).toEqual([]);
});

test("the same wanted request is sent once, and the next one when it is wanted", async () => {
  const asked: DueRequest["request"][] = [];
  const posted: SourceEvent["kind"][] = [];
  const sink = createSourceSink({
    ask: async (request) => {
      asked.push(request);
      return REPLY;
    },
    post: ({ kind }) => {
      posted.push(kind);
      sink.show(posted.length === 1 ? LATER : null);
    },
  });
  const LATER: DueRequest = { request: { kind: "forecasts" }, essential: false };
  sink.show(DUE);
  sink.show(DUE);
  await expect.poll(() => posted).toEqual(["answered", "answered"]);
  await sink.stop();
  expect(asked).toHaveLength(2);
});
