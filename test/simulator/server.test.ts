import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { wallInstant } from "../../src/core/calendar/dates.ts";
import { endpoints, officialEndpoints, validationErrorSchema } from "../../src/core/contract/endpoints.ts";
import { type RunningSimulator, type SimulatorOptions, startSimulator } from "../../src/simulator/server.ts";
import { json, raw } from "./raw.ts";
import { strictDate, strictForecasts, strictHistory, strictInvalid, strictSeason } from "./strict.ts";

const running: RunningSimulator[] = [];
let now = 0;
const at = (wall: string) => wallInstant(wall.slice(0, 10), wall.slice(11), "Europe/Paris");
const { forecasts, season, history, date } = endpoints;
const datePath = (text: string) => date.path.replace("{target_date}", text);
const historyPath = (start: string, end: string) =>
  `${history.path}?${history.parameters.start}=${start}&${history.parameters.end}=${end}`;

async function simulator(wall = "2026-01-05T12:00", options: Partial<SimulatorOptions> = {}) {
  now = at(wall);
  const one = await startSimulator({
    port: 0,
    seed: 4,
    clock: { now: () => now },
    sendDate: false,
    ...options,
  });
  running.push(one);
  return {
    ...one,
    get: (path: string, headers: Record<string, string> = {}) => raw(one.url + path, { headers }),
  };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

describe("the four endpoints", () => {
  test("answer by the interface, strictly read", async () => {
    const { get } = await simulator();
    const places = await get(forecasts.path);
    expect([places.status, places.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(strictForecasts.parse(json(places)).today.date).toBe("2026-01-05");
    expect(strictDate.parse(json(await get(datePath("2026-01-12")))).is_official).toBe(false);
    expect(strictDate.parse(json(await get(datePath("2014-12-24")))).is_official).toBe(true);
    expect(strictHistory.parse(json(await get(historyPath("2025-01-06", "2026-01-05"))))).toHaveLength(365);
    expect(strictSeason.parse(json(await get(season.path))).season).toBe("2025-2026");
    expect(strictSeason.parse(json(await get(`${season.path}?season=2019-2020`))).start_date).toBe(
      "2019-09-01",
    );
  });

  test("are the same for the same request, also after a new start", async () => {
    const paths = [
      forecasts.path,
      season.path,
      historyPath("2025-11-01", "2026-01-05"),
      datePath("2026-01-09"),
    ];
    const first = await simulator();
    const before = await Promise.all(paths.map((path) => first.get(path)));
    await first.stop();
    const second = await simulator();
    const after = await Promise.all(paths.map((path) => second.get(path)));
    expect(after.map(json)).toEqual(before.map(json));
    const other = await simulator("2026-01-05T12:00", { seed: 5 });
    expect(json(await other.get(historyPath("2025-11-01", "2026-01-05")))).not.toEqual(json(before[2]!));
  });

  test("take the days of a file, and invent the others", async () => {
    const { get } = await simulator("2026-07-05T12:00", { days: new Map([["2026-07-05", "rouge"]]) });
    expect(json(await get(datePath("2026-07-05")))).toMatchObject({
      color: "rouge",
      hp_rate: 0.706,
      is_official: true,
    });
    expect(json(await get(datePath("2026-07-04")))).toMatchObject({ color: "bleu" });
    expect(json(await get(season.path))).toMatchObject({ total: { rouge: 23, blanc: 43, bleu: 299 } });
  });

  test("make tomorrow official at the hour asked for", async () => {
    const { get } = await simulator("2026-01-05T08:59", { officialAt: "09:00" });
    expect(json(await get(datePath("2026-01-06")))).toMatchObject({ is_official: false });
    now = at("2026-01-05T09:00");
    expect(json(await get(datePath("2026-01-06")))).toMatchObject({ is_official: true, confidence: 1 });
  });
});

describe("the official source", () => {
  const { light } = officialEndpoints;
  const seasonPath = (label: string) => `${officialEndpoints.season.path}?season=${label}`;

  test("names today, and tomorrow once it is official for the forecast service, too", async () => {
    const days = new Map([
      ["2026-01-05", "blanc"],
      ["2026-01-06", "rouge"],
    ] as const);
    const { get } = await simulator("2026-01-05T10:29", { days });
    expect(json(await get(light.path))).toEqual({ values: { "2026-01-05": "WHITE" } });
    expect(json(await get(datePath("2026-01-06")))).toMatchObject({ is_official: false });
    now = at("2026-01-05T10:30");
    expect(json(await get(light.path))).toEqual({ values: { "2026-01-05": "WHITE", "2026-01-06": "RED" } });
    expect(json(await get(datePath("2026-01-06")))).toMatchObject({ is_official: true, color: "rouge" });
  });

  test("names the same days of a season as the forecast service's history", async () => {
    const { get } = await simulator();
    const words = { BLUE: "bleu", WHITE: "blanc", RED: "rouge" };
    const { values } = json(await get(seasonPath("2025-2026"))) as {
      values: Record<string, keyof typeof words>;
    };
    const official = Object.entries(values).map(([day, word]) => [day, words[word]]);
    const history = strictHistory.parse(json(await get(historyPath("2025-09-01", "2026-01-06"))));
    expect(official).toEqual(history.map((entry) => [entry.date, entry.color]));
    expect(new Set(Object.values(values))).toEqual(new Set(["BLUE", "WHITE", "RED"]));
  });

  test("takes only seasons", async () => {
    const { get } = await simulator();
    expect((await get(seasonPath("2026"))).status).toBe(422);
    expect(json(await get(seasonPath("2027-2028")))).toEqual({ values: {} });
  });
});

describe("a request that cannot be answered", () => {
  test.each([
    [
      history.path,
      [
        ["query", "start_date"],
        ["query", "end_date"],
      ],
      ["missing", "missing"],
    ],
    [
      `${history.path}?from=2026-01-01&to=2026-01-02`,
      [
        ["query", "start_date"],
        ["query", "end_date"],
      ],
      ["missing", "missing"],
    ],
    [historyPath("2026-02-30", "2026-03-01"), [["query", "start_date"]], ["date_from_datetime_parsing"]],
    [`${season.path}?season=2026`, [["query", "season"]], ["string_pattern_mismatch"]],
    [`${season.path}?season=2025-2027`, [["query", "season"]], ["value_error"]],
    [`${season.path}?season=9998-9999`, [["query", "season"]], ["value_error"]],
    [datePath("tomorrow"), [["path", "target_date"]], ["date_from_datetime_parsing"]],
    [datePath("2026-01-13"), [["path", "target_date"]], ["value_error"]],
    [datePath("1999-12-31"), [["path", "target_date"]], ["value_error"]],
  ])("%s gets 422 and the place of the fault", async (path, places, types) => {
    const { get } = await simulator();
    const answer = await get(path);
    expect(answer.status).toBe(422);
    const { detail } = strictInvalid.parse(validationErrorSchema.parse(json(answer)));
    expect(detail.map(({ loc }) => loc)).toEqual(places);
    expect(detail.map(({ type }) => type)).toEqual(types);
  });

  test.each([
    [historyPath("2025-01-05", "2026-01-05"), "Expected at most 365 days, got 366"],
    [historyPath("0001-01-01", "9999-12-31"), "Expected at most 365 days, got 3652059"],
    [historyPath("2026-01-05", "2026-01-04"), "Expected start_date not to come after end_date"],
  ])("%s gets 400 and a sentence", async (path, detail) => {
    const { get } = await simulator();
    const answer = await get(path);
    expect([answer.status, json(answer)]).toEqual([400, { detail }]);
  });

  test.each([
    [historyPath("2030-01-01", "2030-02-01")],
    [historyPath("1950-01-01", "1950-02-01")],
    [historyPath("9999-12-01", "9999-12-31")],
  ])("%s has nothing to tell", async (path) => {
    const { get } = await simulator();
    expect(json(await get(path))).toEqual([]);
  });

  test.each(["/", "/v1", "/v1/public/season/x", "/elsewhere"])("%s is not found", async (path) => {
    const { get } = await simulator();
    expect((await get(path)).status).toBe(404);
  });
});

test("a request at a time for which no days can be invented gets 500, and the server goes on", async () => {
  const { get } = await simulator("9999-12-31T12:00");
  expect((await get(forecasts.path)).status).toBe(500);
  now = at("2026-01-05T12:00");
  expect((await get(forecasts.path)).status).toBe(200);
});

describe("caching", () => {
  test("an answer held already is not sent again until it changes", async () => {
    const { get } = await simulator();
    const { headers } = await get(forecasts.path);
    expect(headers["last-modified"]).toBe("Mon, 05 Jan 2026 10:35:00 GMT");
    const again = await get(forecasts.path, { "if-none-match": `"x", W/${headers["etag"]}` });
    expect([again.status, again.body.length, again.headers["etag"]]).toEqual([304, 0, headers["etag"]]);
    now = at("2026-01-06T00:01");
    expect((await get(forecasts.path, { "if-none-match": String(headers["etag"]) })).status).toBe(200);
  });
});

describe("the rate limit", () => {
  test("answers 429 from the 61st request of a minute on, and begins anew with the next minute of its own clock", async () => {
    const { get } = await simulator();
    const statuses = await Promise.all(
      Array.from({ length: 61 }, async () => (await get(datePath("2026-01-05"))).status),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(json(await get("/"))).toEqual({ detail: "Expected at most 60 requests a minute" });
    now += 60_000;
    expect((await get(forecasts.path)).status).toBe(200);
  });

  test("is counted for each client by itself", async () => {
    const { get, port } = await simulator("2026-01-05T12:00", { host: "0.0.0.0" });
    await Promise.all(Array.from({ length: 60 }, () => get("/")));
    expect((await raw(`http://127.0.0.1:${port}/`)).status).toBe(429);
    expect((await raw(`http://127.0.0.1:${port}/`, { from: "127.0.0.2" })).status).toBe(404);
  });
});

describe("the server", () => {
  test("sends a Date header only where its clock is the system's", async () => {
    const own = await simulator();
    const system = await simulator("2026-01-05T12:00", { sendDate: true });
    expect((await own.get(forecasts.path)).headers["date"]).toBeUndefined();
    expect((await system.get(forecasts.path)).headers["date"]).toBeDefined();
  });

  test("says so when its port is taken", async () => {
    const { port } = await simulator();
    await expect(simulator("2026-01-05T12:00", { port })).rejects.toMatchObject({ code: "EADDRINUSE", port });
  });

  test("stops at once though a client holds a connection, and twice without harm", async () => {
    const { get, port, stop } = await simulator();
    const held = connect(port, "127.0.0.1").resume();
    const ended = once(held, "close");
    await get(forecasts.path);
    await stop();
    await ended;
    await stop();
    await expect(get(forecasts.path)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
