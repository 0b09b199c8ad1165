import { describe, expect, test } from "vitest";
import { wallInstant } from "../../src/core/calendar/dates.ts";
import {
  dateForecastSchema,
  endpoints,
  historySchema,
  seasonSchema,
} from "../../src/core/contract/endpoints.ts";
import { spellingsOf, toColor } from "../../src/service/read-values.ts";
import {
  strictDate,
  strictForecasts,
  strictHistory,
  strictInvalid,
  strictSeason,
} from "../simulator/strict.ts";
import { createFaultyService, type FaultyReply } from "./faulty-service.ts";
import { LONG } from "./long.ts";
import { FAULTS, type FaultName, OFFICIAL_FAULTS, type OfficialFaultName } from "./service-faults.ts";

let now = wallInstant("2026-01-05", "12:00", "Europe/Paris");
const { forecasts, season, history, date } = endpoints;
const datePath = (text: string) => date.path.replace("{target_date}", text);
const PAST = `${history.path}?start_date=2025-12-01&end_date=2026-01-05`;
const one = createFaultyService({
  seed: 4,
  days: new Map([["2026-01-06", "rouge"]]),
  clock: { now: () => now },
});

async function get(path: string = forecasts.path): Promise<FaultyReply> {
  const outcome = await one.answer({ method: "GET", url: path, ifNoneMatch: "", client: "" });
  if (outcome.kind === "closed") throw new Error("Expected a reply");
  return outcome.reply;
}

function json({ body }: FaultyReply): unknown {
  return JSON.parse(body.toString());
}

/** The answers to several requests; the minute after them begins with a fresh limit of requests. */
async function several(faults: FaultName[], path: string, times: number): Promise<unknown[]> {
  one.faults.set(faults);
  const answers: unknown[] = [];
  for (let count = 0; count < times; count += 1) answers.push(json(await get(path)));
  now += 60_000;
  return answers;
}

describe("a fault of the values", () => {
  const colorsIn = (said: unknown) =>
    entriesIn(said).flatMap(([key, value]) => (/color$/.test(key) ? [value] : []));
  const known = spellingsOf({});

  test("unknown-colors: no known colour", async () => {
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
    one.faults.set(["revised"]);
    const tomorrow = async (time: string) => {
      now = wallInstant("2026-01-05", time, "Europe/Paris");
      const day = strictDate.parse(json(await get(datePath("2026-01-06"))));
      const places = strictForecasts.parse(json(await get()));
      const past = strictHistory.parse(
        json(await get(`${history.path}?start_date=2026-01-06&end_date=2026-01-06`)),
      );
      if (day.is_official) expect([places.tomorrow.color, past[0]?.color]).toEqual([day.color, day.color]);
      return [day.is_official, day.is_official ? day.color : past.length];
    };
    expect(await tomorrow("06:34")).toEqual([false, 0]);
    expect(await tomorrow("06:35")).toEqual([true, "bleu"]);
    expect(await tomorrow("10:59")).toEqual([true, "bleu"]);
    expect(await tomorrow("11:00")).toEqual([true, "rouge"]);
  });
});

describe("a fault of the official source", () => {
  const noon = wallInstant("2026-01-05", "12:00", "Europe/Paris");
  const SEASON = "/tempo?season=2025-2026";
  const source = createFaultyService({
    seed: 4,
    days: new Map([
      ["2026-01-04", "bleu"],
      ["2026-01-05", "blanc"],
      ["2026-01-06", "rouge"],
    ]),
    clock: { now: () => noon + 60_000 * source.officialRequests.length },
  });
  const outcome = (path: string) => source.answer({ method: "GET", url: path, ifNoneMatch: "", client: "" });
  async function valuesAt(
    faults: OfficialFaultName[],
    path = "/tempoLight",
  ): Promise<Record<string, unknown>> {
    source.officialFaults.set(faults);
    const answer = await outcome(path);
    if (answer.kind === "closed") throw new Error("Expected a reply");
    return (json(answer.reply) as { values: Record<string, unknown> }).values;
  }

  test("leaves the forecast service alone, and the other way round", async () => {
    source.officialFaults.set(["down"]);
    expect(await outcome("/tempoLight")).toEqual({ kind: "closed" });
    expect(await outcome(forecasts.path)).toMatchObject({ kind: "reply", reply: { status: 200 } });
    source.faults.set(["down"]);
    expect(await outcome(forecasts.path)).toEqual({ kind: "closed" });
    expect(await valuesAt([])).toEqual({ "2026-01-05": "WHITE", "2026-01-06": "RED" });
    source.faults.set([]);
    expect([source.requests(), source.officialRequests.slice(0, 2)]).toEqual([
      2,
      ["/tempoLight", "/tempoLight"],
    ]);
  });

  test("wrong-today: yesterday's answer", async () => {
    expect(await valuesAt(["wrong-today"])).toEqual({ "2026-01-04": "BLUE", "2026-01-05": "WHITE" });
  });

  test("other-colors: another allowed colour for each date", async () => {
    const right = await valuesAt([], SEASON);
    const wrong = await valuesAt(["other-colors"], SEASON);
    const changed = Object.keys(right).filter((day) => right[day] !== wrong[day]);
    expect(Object.keys(wrong)).toEqual(Object.keys(right));
    expect(changed).toContain("2026-01-06");
    expect(changed.some((day) => new Date(day).getUTCDay() === 0)).toBe(false);
  });

  test("wrong-season: the dates of the season before", async () => {
    const days = Object.keys(await valuesAt(["wrong-season"], SEASON));
    expect([days[0], days.at(-1)]).toEqual(["2024-09-01", "2025-01-06"]);
  });

  test("spellings: any case; unknown-colors: no word of the source; strange-keys: among the right ones", async () => {
    const spelled = Object.values(await valuesAt(["spellings"], SEASON));
    expect(spelled.some((word) => word !== String(word).toUpperCase())).toBe(true);
    expect(new Set(spelled.map((word) => String(word).toUpperCase()))).toEqual(
      new Set(["BLUE", "WHITE", "RED"]),
    );
    const unknown = Object.values(await valuesAt(["unknown-colors"], SEASON));
    expect(unknown.filter((word) => ["BLUE", "WHITE", "RED"].includes(String(word)))).toEqual([]);
    const strange = await valuesAt(["strange-keys"]);
    expect(strange).toMatchObject({ "2026-02-30": "RED", "2026-01-05": "WHITE", "2026-01-06": "RED" });
    expect(Object.keys(strange).length).toBeGreaterThan(400);
  });

  test("every pair of them gives an answer or closes the connection", async () => {
    for (const [index, pair] of pairsOf(OFFICIAL_FAULTS).entries()) {
      source.officialFaults.set(pair);
      expect(["closed", "reply"]).toContain((await outcome(index % 2 === 0 ? "/tempoLight" : SEASON)).kind);
    }
  });
});

test("every pair of faults gives an answer or closes the connection, and the next request is well", async () => {
  for (const pair of pairsOf(FAULTS)) {
    one.faults.set(pair);
    now += 60_000;
    for (const path of [forecasts.path, PAST, season.path]) {
      const outcome = await one.answer({ method: "GET", url: path, ifNoneMatch: "", client: "" });
      expect(["closed", "reply"]).toContain(outcome.kind);
    }
  }
  one.faults.set([]);
  strictForecasts.parse(json(await get()));
  strictSeason.parse(json(await get(season.path)));
  historySchema.parse(json(await get(PAST)));
});

/** In `npm test` one in ten of them, with each fault. */
function pairsOf<Fault>(faults: readonly Fault[]): [Fault, Fault][] {
  const pairs = faults.flatMap((first, index) =>
    faults.slice(index + 1).map((second): [Fault, Fault] => [first, second]),
  );
  return pairs.filter((_, index) => LONG || index % 10 === 0);
}

/** Every key and value in a JSON value, at any depth. */
function entriesIn(said: unknown): [string, unknown][] {
  if (typeof said !== "object" || said === null) return [];
  return Object.entries(said).flatMap(([key, value]) => [
    [key, value] as [string, unknown],
    ...entriesIn(value),
  ]);
}
