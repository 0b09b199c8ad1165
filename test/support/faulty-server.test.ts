import { connect } from "node:net";
import { createGunzip, gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { wallInstant } from "../../src/core/calendar/dates.ts";
import { dayForecastSchema, endpoints, forecastsSchema } from "../../src/core/contract/endpoints.ts";
import { json, raw } from "../simulator/raw.ts";
import { strictForecasts, strictInvalid } from "../simulator/strict.ts";
import { type RunningFaultyService, startFaultyService } from "./faulty-server.ts";

let one: RunningFaultyService;
const noon = wallInstant("2026-01-05", "12:00", "Europe/Paris");
let now = noon;
let minutes = 0;
const { forecasts } = endpoints;
const get = (path: string = forecasts.path) => raw(one.url + path);

beforeAll(async () => {
  const clock = { now: () => now };
  one = await startFaultyService({
    port: 0,
    seed: 4,
    clock,
    sendDate: false,
    slowFor: 150,
    dripEvery: 5,
    retryAfter: 7,
  });
});
afterAll(() => one.stop());
afterEach(() => {
  one.faults.set([]);
  // Another minute: another sixty requests.
  minutes += 1;
  now = noon + minutes * 60_000;
});

describe("a fault of the connection or of the whole answer", () => {
  test("down: the connection ends before any answer", async () => {
    one.faults.set(["down"]);
    await expect(get()).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("reset: half an answer, then a reset", async () => {
    one.faults.set(["reset"]);
    const answer = await get();
    expect([answer.status, answer.end]).toEqual([200, "ECONNRESET"]);
    expect(answer.body.length).toBeLessThan(Number(answer.headers["content-length"]));
  });

  test.each([
    ["reset", "ECONNRESET"],
    ["truncated", "end"],
  ] as const)("%s: the connection itself ends with %s", async (fault, end) => {
    one.faults.set([]);
    const wholes = (await rawSocketEnds(2)).filter((how) => how !== "end");
    one.faults.set([fault]);
    expect([wholes, await rawSocketEnds(2)]).toEqual([[], [end, end]]);
  });

  test("slow: nothing until the time is over, then the whole answer", async () => {
    one.faults.set(["slow"]);
    const began = performance.now();
    strictForecasts.parse(json(await get()));
    expect(performance.now() - began).toBeGreaterThan(140);
  });

  test("drip: a byte at a time, whole in the end for whoever waits", async () => {
    one.faults.set(["drip"]);
    const answer = await raw(one.url + forecasts.path, { leaveAt: 5 });
    expect(answer.end).toBe("left");
    expect(answer.body.length).toBeLessThan(20);
    expect(json(await get("/elsewhere"))).toEqual({ detail: "Not Found" });
  });

  test("truncated: less than was promised, and by turns JSON that is cut", async () => {
    one.faults.set(["truncated"]);
    const answers = [await get(), await get()];
    expect(answers.map(({ end }) => end).sort()).toEqual(["ECONNRESET", "whole"]);
    for (const answer of answers) expect(() => json(answer)).toThrow(SyntaxError);
  });

  test("html: a page in the place of JSON", async () => {
    one.faults.set(["html"]);
    const { status, headers, body } = await get();
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body.toString()).toMatch(/^<!doctype html>/);
  });

  test("huge: the right answer in more than 1 MiB", async () => {
    one.faults.set(["huge"]);
    const answer = await get();
    expect(answer.body.length).toBeGreaterThan(5 * 1024 * 1024);
    strictForecasts.parse(json(answer));
  });

  test("gzip-bomb: 50 MB of zeros in a small body", async () => {
    one.faults.set(["gzip-bomb"]);
    const { headers, body } = await get();
    expect(headers["content-encoding"]).toBe("gzip");
    expect(body.length).toBeLessThan(100_000);
    const opened = createGunzip().end(body);
    let size = 0;
    for await (const chunk of opened) size += (chunk as Buffer).length;
    expect(size).toBe(50 * 1024 * 1024);
    expect(() => gunzipSync(body, { maxOutputLength: 1 << 20 })).toThrow(RangeError);
  });

  test("redirect: 302 to another place of this machine", async () => {
    one.faults.set(["redirect"]);
    const { status, headers } = await get();
    expect([status, headers["location"]]).toEqual([302, "http://127.0.0.1/elsewhere"]);
  });

  test.each(["400", "422", "429", "500"] as const)("%s: that status", async (fault) => {
    one.faults.set([fault]);
    const answer = await get();
    expect([answer.status, answer.headers["retry-after"]]).toEqual([Number(fault), undefined]);
    if (fault === "422") strictInvalid.parse(json(answer));
  });

  test("429-retry-after: seconds and an HTTP date by turns", async () => {
    one.faults.set(["429-retry-after"]);
    const answers = [await get(), await get()];
    expect(answers.map(({ status }) => status)).toEqual([429, 429]);
    const date = new Date(now + 7_000).toUTCString();
    expect(answers.map(({ headers }) => headers["retry-after"]).sort()).toEqual(["7", date]);
  });

  test("says nothing of caching, so that no 304 hides it", async () => {
    const { headers } = await get();
    for (const fault of ["truncated", "slow", "huge"] as const) {
      one.faults.set([fault]);
      const answer = await raw(one.url + forecasts.path, {
        headers: { "if-none-match": String(headers["etag"]) },
      });
      expect([answer.status, answer.headers["etag"]]).toEqual([200, undefined]);
    }
  });
});

describe("faults together", () => {
  test("those that exclude each other take turns, and each has its turns whole", async () => {
    one.faults.set(["400", "500", "429-retry-after"]);
    const answers = [];
    for (let count = 0; count < 12; count += 1) answers.push(await get());
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 3).toSorted()).toEqual([400, 429, 500]);
    expect(statuses).toEqual([...statuses.slice(3), ...statuses.slice(0, 3)]);
    expect(new Set(answers.map(({ headers }) => headers["retry-after"])).size).toBe(3);
  });

  test("those that change values add up, and the answer may come slowly", async () => {
    one.faults.set(["slow", "percent", "cents", "wrong-today", "spellings"]);
    const { today } = forecastsSchema.parse(json(await get()));
    const day = dayForecastSchema.parse(today);
    expect(day).toMatchObject({ date: "2026-01-04", confidence: 100 });
    expect(Number(day.rates?.hp)).toBeGreaterThan(10);
  });
});

describe("the server", () => {
  test("stops at once though clients wait for a slow answer", async () => {
    const slow = await startFaultyService({
      port: 0,
      seed: 4,
      clock: { now: () => now },
      sendDate: false,
      faults: ["slow"],
    });
    const held = raw(slow.url + forecasts.path);
    const left = expect(held).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect.poll(slow.requests).toBe(1);
    await slow.stop();
    await left;
  });
});

/** How a connection that asked once ended: by its other side's end, or by an error of its own. */
function rawSocketEnds(times: number): Promise<string[]> {
  const ended = Array.from({ length: times }, () => {
    const socket = connect(one.port, "127.0.0.1");
    socket.write(`GET ${forecasts.path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    socket.resume();
    return new Promise<string>((resolve) => {
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.on("end", () => resolve("end"));
    });
  });
  return Promise.all(ended);
}
