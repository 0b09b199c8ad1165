import { describe, expect, onTestFinished, test } from "vitest";
import type { COLORS } from "../../src/core/calendar/tariff.ts";
import type { Request } from "../../src/core/contract/answer.ts";
import { PER_MINUTE } from "../../src/core/sources/request-limits.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { EMPTY_MEMORY } from "../../src/core/sources/source-kept.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { keepMemory } from "../../src/service/memory-keeper.ts";
import { spellingsOf } from "../../src/service/read-values.ts";
import { REQUEST_RULES } from "../../src/service/request-rules.ts";
import { createServiceClient } from "../../src/service/service-client.ts";
import { readPage } from "../support/guide.ts";
import { logTo } from "../support/logs.ts";
import { type PlainAnswer, startPlainService } from "../support/plain-service.ts";

const PAGE = readPage("docs/service.md");
/** The request or the status that stands before each answer, and the answer. */
const EXAMPLES = [...PAGE.matchAll(/^`(?:GET (\/\S+)|(\d+))`[^\n]*\n\n```json\n([\s\S]*?)^```$/gm)].map(
  ([, path, status, body = ""]) => ({ path, status: Number(status ?? 200), body }),
);
const ANSWERS = EXAMPLES.flatMap(({ path, body }) => (path === undefined ? [] : [{ path, body }]));
const AT = Date.parse("2026-01-05T12:00:00Z");

/** The client of a service that answers so, and what the client logs. */
async function openClient(answer: (path: string) => PlainAnswer) {
  const service = await startPlainService(answer);
  const lines: string[] = [];
  const client = createServiceClient({
    config: { colors: {}, confidence: "auto", rate_unit: "EUR/kWh", history_parameters: "auto" },
    base: service.url,
    version: "1.2.3",
    clock: { ...systemClock, now: () => AT },
    random: () => 1,
    memory: keepMemory(EMPTY_MEMORY),
    log: logTo(lines),
  });
  onTestFinished(async () => {
    await client.close();
    await service.stop();
  });
  const { signal } = new AbortController();
  return { asked: service.asked, lines, ask: (request: Request) => client.ask(request, { signal }) };
}

function requestOf(path: string): Request {
  const [endpoint = "", query = ""] = path.replace("/v1/public", "").split("?");
  const [start = "", end = ""] = new URLSearchParams(query).values();
  if (endpoint === "") return { kind: "forecasts" };
  if (endpoint === "/season") return { kind: "season" };
  if (endpoint === "/history") return { kind: "history", start, end };
  return { kind: "date", date: endpoint.slice(1) };
}

describe("docs/service.md", () => {
  test("has an answer of each endpoint, and a refusal", () => {
    const kinds = ANSWERS.map(({ path }) => requestOf(path).kind);
    expect(new Set(kinds)).toEqual(new Set(["forecasts", "date", "season", "history"]));
    expect([...PAGE.matchAll(/```json/g)]).toHaveLength(EXAMPLES.length);
    expect(EXAMPLES.map(({ status }) => status)).toContain(422);
  });

  test.each(ANSWERS)(
    "the answer to $path is asked for so, and read whole, without a warning",
    async ({ path, body }) => {
      const { ask, asked, lines } = await openClient(() => ({ body }));
      const { answer } = await ask(requestOf(path));
      expect(asked).toEqual([path]);
      expect(lines).toEqual([]);
      const sent = JSON.parse(body);
      const count = (days: unknown[]) => days.length;
      if (answer.kind === "forecasts") {
        expect(count(answer.days)).toBe(
          [sent.today, sent.tomorrow].filter(Boolean).length + sent.forecast.length,
        );
      } else if (answer.kind === "history") expect(count(answer.entries)).toBe(sent.length);
      else if (answer.kind === "date")
        expect(answer).toMatchObject({ is_official: true, day: { color: sent.color } });
      else
        expect(answer.season).toMatchObject({
          label: sent.season,
          remaining: sent.remaining,
          total: sent.total,
        });
      const days = { forecasts: "days", history: "entries", date: "day", season: "season" }[answer.kind];
      expect(JSON.stringify((answer as unknown as Record<string, unknown>)[days])).not.toContain(
        '"color":null',
      );
    },
  );

  test("its counts of a season add up", () => {
    const season = JSON.parse(ANSWERS.find(({ path }) => requestOf(path).kind === "season")?.body ?? "");
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((one, other) => one + other);
    expect(sum(season.total)).toBe(season.days_elapsed + season.days_remaining);
  });

  test("its refusal tells vigie the names of the two dates", async () => {
    const refusal = EXAMPLES.find(({ status }) => status === 422)?.body ?? "";
    const entry = { date: "2026-01-03", color: "bleu" };
    const { ask, asked } = await openClient((path) =>
      path.includes("first_day=") ? { body: [entry] } : { status: 422, body: refusal },
    );
    await ask({ kind: "history", start: "2026-01-03", end: "2026-01-05" });
    expect(asked).toEqual([
      "/v1/public/history?start_date=2026-01-03&end_date=2026-01-05",
      "/v1/public/history?first_day=2026-01-03&last_day=2026-01-05",
    ]);
  });

  test("lists every spelling of a colour", () => {
    const rows = [...PAGE.matchAll(/^\| (rouge|blanc|bleu) \| (.*) \|$/gm)];
    const listed = rows.flatMap(([, color, words = ""]) =>
      [...words.matchAll(/`(\w+)`/g)].map(([, word = ""]) => [word, color]),
    );
    expect(new Map(listed as [string, (typeof COLORS)[number]][])).toEqual(spellingsOf({}));
  });

  test("names the limits that vigie keeps to", () => {
    expect(PAGE).toContain(`${PER_MINUTE} requests a minute and ${FORECAST_SERVICE.budget} a day`);
    expect(PAGE).toContain(`more than ${REQUEST_RULES.service.largestAnswer / 1024 ** 2} MiB`);
  });
});
