import { connect } from "node:net";
import { createGunzip, gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { wallInstant } from "../../src/core/calendar/dates.ts";
import {
  dateForecastSchema,
  dayForecastSchema,
  endpoints,
  forecastsSchema,
  historySchema,
  seasonSchema,
} from "../../src/core/contract/endpoints.ts";
import { spellingsOf, toColor } from "../../src/service/read-values.ts";
import { json, raw } from "../simulator/raw.ts";
import {
  strictDate,
  strictForecasts,
  strictHistory,
  strictInvalid,
  strictSeason,
} from "../simulator/strict.ts";
import { type RunningFaultyService, startFaultyService } from "./faulty-server.ts";
import { FAULTS, type FaultName } from "./service-faults.ts";

let one: RunningFaultyService;
const noon = wallInstant("2026-01-05", "12:00", "Europe/Paris");
let now = noon;
let minutes = 0;
const { forecasts, season, history, date } = endpoints;
const datePath = (text: string) => date.path.replace("{target_date}", text);
const PAST = `${history.path}?start_date=2025-12-01&end_date=2026-01-05`;
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

async function several(faults: FaultName[], path: string, times: number): Promise<unknown[]> {
  one.faults.set(faults);
  return Promise.all(Array.from({ length: times }, async () => json(await get(path))));
}

describe("a fault of the line", () => {
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

describe("a fault of what is said", () => {
  const colorsIn = (said: unknown) =>
    entriesIn(said).flatMap(([key, value]) => (/color$/.test(key) ? [value] : []));
  const known = spellingsOf({});

  test("unknown-colors: no colour that anyone knows", async () => {
    const colors = colorsIn(await several(["unknown-colors"], PAST, 2));
    expect(colors.length).toBeGreaterThan(50);
    expect(colors.filter((color) => toColor(color, known) !== null)).toEqual([]);
    expect(colors).toEqual(expect.arrayContaining(["violet", null, 0]));
  });

  test("spellings: the right colours in many spellings", async () => {
    const [right] = await several([], PAST, 1);
    const [said] = await several(["spellings"], PAST, 1);
    const colors = colorsIn(said);
    expect(colors.map((color) => toColor(color, known))).toEqual(colorsIn(right));
    expect(new Set(colors).size).toBeGreaterThan(8);
  });

  test("percent: confidence from 0 to 100", async () => {
    const [right] = await several([], forecasts.path, 1);
    const [said] = await several(["percent"], forecasts.path, 1);
    const sure = (places: unknown) =>
      strictForecasts.parse(places).forecast.map(({ confidence }) => confidence);
    const { forecast } = said as { forecast: { confidence: number }[] };
    expect(forecast.map(({ confidence }) => confidence / 100)).toEqual(sure(right));
  });

  test("cents: prices in hundredths", async () => {
    const [said] = await several(["cents"], datePath("2026-01-05"), 1);
    const [right] = await several([], datePath("2026-01-05"), 1);
    const { hp_rate, hc_rate } = strictDate.parse(right);
    expect(said).toMatchObject({
      hp_rate: Number((hp_rate * 100).toFixed(2)),
      hc_rate: Number((hc_rate * 100).toFixed(2)),
    });
  });

  test.each([
    ["missing", undefined],
    ["nulls", null],
  ] as const)("%s: fields that are not said, each of them sometimes", async (fault, nothing) => {
    const said = await several([fault], datePath("2026-01-05"), 40);
    const names = ["date", "color", "confidence", "is_official", "hp_rate", "hc_rate"] as const;
    for (const name of names) {
      const values = said.map((day) => (day as Record<string, unknown>)[name]);
      expect(values).toContain(nothing);
      expect(values.some((value) => value !== nothing)).toBe(true);
    }
    expect(said.filter((day) => strictDate.safeParse(day).success)).toEqual([]);
  });

  test("wrong-type: another shape, or other types throughout", async () => {
    for (const [path, schema] of [
      [forecasts.path, strictForecasts],
      [datePath("2026-01-05"), strictDate],
      [season.path, seasonSchema],
      [PAST, strictHistory.min(1)],
    ] as const) {
      const said = await several(["wrong-type"], path, 12);
      expect(said.filter((answer) => schema.safeParse(answer).success)).toEqual([]);
      expect(new Set(said.map((answer) => JSON.stringify(answer))).size).toBeGreaterThan(3);
    }
    expect(
      dateForecastSchema.safeParse((await several(["wrong-type"], datePath("2026-01-05"), 1))[0]).success,
    ).toBe(false);
  });

  test("history-names: the usual names are refused, others wanted", async () => {
    one.faults.set(["history-names"]);
    const refused = await get(PAST);
    const { detail } = strictInvalid.parse(json(refused));
    expect([refused.status, detail.map(({ loc }) => loc)]).toEqual([
      422,
      [
        ["query", "from"],
        ["query", "to"],
      ],
    ]);
    const answer = await get(`${history.path}?from=2025-12-01&to=2026-01-05`);
    expect(strictHistory.parse(json(answer))).toHaveLength(36);
  });

  test("wrong-today: the places of yesterday, each entry with its true date", async () => {
    const [said] = await several(["wrong-today"], forecasts.path, 1);
    const { today, tomorrow, forecast } = strictForecasts.parse(said);
    expect([today.date, tomorrow.date, forecast[0]?.date, forecast[5]?.date]).toEqual([
      "2026-01-04",
      "2026-01-05",
      "2026-01-06",
      "2026-01-11",
    ]);
    for (const day of [today, tomorrow, ...forecast]) {
      expect(strictDate.parse(json(await get(datePath(day.date)))).color).toBe(day.color);
    }
  });

  test("revised: rouge is official as bleu at 06:35 and as rouge from 11:00 on, in every answer", async () => {
    const days = new Map([["2026-01-06", "rouge"] as const]);
    const revised = await startFaultyService({
      port: 0,
      seed: 4,
      days,
      clock: { now: () => now },
      sendDate: false,
      faults: ["revised"],
    });
    const tomorrow = async (time: string) => {
      now = wallInstant("2026-01-05", time, "Europe/Paris");
      const day = strictDate.parse(json(await raw(revised.url + datePath("2026-01-06"))));
      const places = strictForecasts.parse(json(await raw(revised.url + forecasts.path)));
      const past = strictHistory.parse(
        json(await raw(`${revised.url}${history.path}?start_date=2026-01-06&end_date=2026-01-06`)),
      );
      if (day.is_official) expect([places.tomorrow.color, past[0]?.color]).toEqual([day.color, day.color]);
      return [day.is_official, day.is_official ? day.color : past.length];
    };
    expect(await tomorrow("06:34")).toEqual([false, 0]);
    expect(await tomorrow("06:35")).toEqual([true, "bleu"]);
    expect(await tomorrow("10:59")).toEqual([true, "bleu"]);
    expect(await tomorrow("11:00")).toEqual([true, "rouge"]);
    await revised.stop();
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

  test("those of what is said add up, and what is said may be said slowly", async () => {
    one.faults.set(["slow", "percent", "cents", "wrong-today", "spellings"]);
    const { today } = forecastsSchema.parse(json(await get()));
    const day = dayForecastSchema.parse(today);
    expect(day).toMatchObject({ date: "2026-01-04", confidence: 100 });
    expect(Number(day.rates?.hp)).toBeGreaterThan(10);
  });

  test("every pair gives an answer or an end, and the next request after it is well", async () => {
    const pairs = FAULTS.flatMap((first, index) =>
      FAULTS.slice(index + 1).map((second) => [first, second] as const),
    );
    const quick = pairs.filter(
      (pair) => !pair.includes("slow") && !pair.includes("drip") && !pair.includes("huge"),
    );
    for (const pair of quick) {
      one.faults.set(pair);
      now += 60_000;
      const ends = await Promise.allSettled([get(), get(PAST), get(season.path)]);
      expect(ends).toHaveLength(3);
    }
    one.faults.set([]);
    strictForecasts.parse(json(await get()));
    strictSeason.parse(json(await get(season.path)));
    historySchema.parse(json(await get(PAST)));
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

/** Every key and value in a JSON value, at any depth. */
function entriesIn(said: unknown): [string, unknown][] {
  if (typeof said !== "object" || said === null) return [];
  return Object.entries(said).flatMap(([key, value]) => [
    [key, value] as [string, unknown],
    ...entriesIn(value),
  ]);
}
