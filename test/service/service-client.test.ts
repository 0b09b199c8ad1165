import { describe, expect, it, onTestFinished } from "vitest";
import type { ServiceConfig } from "../../src/config/config.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { type ClientMemory, EMPTY_MEMORY } from "../../src/core/sources/source-kept.ts";
import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";
import { keepMemory } from "../../src/service/memory-keeper.ts";
import { createServiceClient } from "../../src/service/service-client.ts";
import {
  BudgetSpent,
  RangeIgnored,
  RequestRefused,
  ServiceBusy,
  ServiceFailed,
} from "../../src/service/service-errors.ts";
import type { TriedEvent } from "../../src/service/service-request.ts";
import { logTo } from "../support/logs.ts";
import { type Answerer, sendJson, sendStatus, serve } from "./rude-server.ts";

const AT = Date.UTC(2026, 0, 5, 10);
const CONFIG = { colors: {}, confidence: "auto", rate_unit: "EUR/kWh", history_parameters: "auto" } as const;
const TODAY = { today: { date: "2026-01-05", color: "bleu", confidence: 0.9 } };

interface Settings {
  config?: Partial<ServiceConfig>;
  memory?: Partial<ClientMemory>;
  /** Waits until the asking is ended. */
  patience?: number;
  /** A command: how often it tries again, and the longest single wait. */
  person?: { retries: number; longestWait: number };
}

/** A client whose waits pass at once, on a clock of the test's own. */
async function open(answer: Answerer, settings: Settings = {}) {
  const { config = {}, memory = {}, patience = 99, person } = settings;
  const server = await serve(answer);
  const time = { wall: AT, steady: 1_000 };
  const waits: number[] = [];
  const said: string[] = [];
  const debug: string[] = [];
  const stop = new AbortController();
  const kept = keepMemory({ ...EMPTY_MEMORY, ...memory });
  const after: ClockWithTimers["after"] = (milliseconds, run) => {
    queueMicrotask(() => {
      if (waits.length === patience) return stop.abort();
      waits.push(milliseconds);
      time.wall += milliseconds;
      time.steady += milliseconds;
      run();
    });
    return () => undefined;
  };
  const client = createServiceClient({
    config: { ...CONFIG, ...config },
    base: server.url,
    version: "1.2.3",
    clock: { ...systemClock, now: () => time.wall, steady: () => time.steady, after },
    random: () => 1,
    memory: kept,
    log: { ...logTo(said), debug: (sentence) => void debug.push(sentence) },
    timeout: 60_000,
    ...(person && { patience: person }),
  });
  onTestFinished(client.close);
  const paths = () => server.requests.map(({ url }) => url);
  return { server, client, time, waits, said, debug, kept, stop, signal: stop.signal, paths };
}

describe("trying again", () => {
  it("goes on, later each time, until the service answers", async () => {
    const { client, signal, waits } = await open((_request, response, count) => {
      if (count <= 3) return sendStatus(response, 500);
      sendJson(response, TODAY, { date: "Mon, 05 Jan 2026 10:00:00 GMT" });
    });
    const reply = await client.ask({ kind: "forecasts" }, { signal });
    expect(reply.date).toBe(AT);
    expect(reply.answer).toMatchObject({ kind: "forecasts", days: [{ date: "2026-01-05", color: "bleu" }] });
    expect(waits).toEqual([5_000, 15_000, 45_000]);
  });

  it("tells each failure that is tried again, and no other", async () => {
    const { client, signal } = await open((_request, response, count) =>
      sendStatus(response, count === 1 ? 503 : 422),
    );
    const told: string[] = [];
    const post = ({ failure }: TriedEvent) => void told.push(failure);
    await expect(client.ask({ kind: "forecasts" }, { signal, post })).rejects.toThrow(RequestRefused);
    expect(told).toEqual([
      expect.stringMatching(/^The forecast service failed at GET \/v1\/public: status 503/),
    ]);
  });

  it("ends with its signal, and says what had made it necessary", async () => {
    const { client, stop, server } = await open((_request, response, count) => {
      if (count === 2) stop.abort(new Error("the poll is over"));
      sendStatus(response, 503);
    });
    await expect(client.ask({ kind: "forecasts" }, { signal: stop.signal })).rejects.toThrow(ServiceFailed);
    expect(server.requests).toHaveLength(2);
  });

  it("is no use where the request is wrong", async () => {
    const { client, signal, server } = await open((_request, response) => sendStatus(response, 422));
    await expect(client.ask({ kind: "season" }, { signal })).rejects.toThrow(RequestRefused);
    expect(server.requests).toHaveLength(1);
  });

  it("costs the budget nothing where nothing was sent", async () => {
    const { client, signal, server, kept, waits } = await open(() => undefined, { patience: 5 });
    await server.stop();
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow("nothing listens there");
    expect(waits).toEqual([5_000, 15_000, 45_000, 135_000, 300_000]);
    expect(kept.get().spent.count).toBe(0);
  });
});

describe("a command that a person waits for", () => {
  const person = { retries: 2, longestWait: 2_000 };

  it("tries again twice, and announces the waits that it makes", async () => {
    const { client, signal, server, waits, debug } = await open(
      (_request, response) => sendStatus(response, 500),
      { person },
    );
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow(ServiceFailed);
    expect(waits).toEqual([2_000, 2_000]);
    expect(debug).toEqual([
      expect.stringMatching(/; trying again in 2 s$/),
      expect.stringMatching(/; trying again in 2 s$/),
    ]);
    expect(server.requests).toHaveLength(3);
  });

  it("fails after a 429, and announces no pause, for it does not wait until that is over", async () => {
    const { client, signal, server, waits, said } = await open(
      (_request, response) => sendStatus(response, 429, "", { "retry-after": "7" }),
      { person },
    );
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow(ServiceBusy);
    expect([said, server.requests.length]).toEqual([[], 1]);
    expect(waits.filter((wait) => wait > 0)).toEqual([]);
  });
});

describe("the limits of requests", () => {
  it("sends at most ten requests a minute", async () => {
    const { client, signal, waits } = await open((_request, response) => sendJson(response, TODAY));
    for (let count = 0; count < 21; count += 1) await client.ask({ kind: "forecasts" }, { signal });
    expect(waits).toEqual([60_000, 60_000]);
  });

  it("what-if: The refresh button is hammered · holds the limit of a minute over a restart, but not one that a clock was set back from", async () => {
    const sent = (at: number) => ({ memory: { recent: Array(10).fill(at) } });
    const answer: Answerer = (_request, response) => sendJson(response, TODAY);
    const restarted = await open(answer, sent(AT - 20_000));
    await restarted.client.ask({ kind: "forecasts" }, { signal: restarted.signal });
    expect(restarted.waits).toEqual([40_000]);
    expect(restarted.kept.get().recent).toEqual([AT + 40_000]);
    const setBack = await open(answer, sent(AT + 86_400_000));
    await setBack.client.ask({ kind: "forecasts" }, { signal: setBack.signal });
    expect(setBack.waits).toEqual([]);
  });

  it("holds the limit of a minute over a restart after the machine has slept, which the clock that counted did not see", async () => {
    const hour = 3_600_000;
    const slept = { recent: Array(10).fill(AT - hour - 20_000), sent_at: AT - 20_000 };
    const { client, signal, waits, kept } = await open((_request, response) => sendJson(response, TODAY), {
      memory: slept,
    });
    await client.ask({ kind: "forecasts" }, { signal });
    await client.ask({ kind: "forecasts" }, { signal });
    expect(waits).toEqual([40_000]);
    expect(kept.get().recent).toEqual([AT + 40_000, AT + 40_000]);
  });

  it("keeps the day's budget, and lets the essential go on, once each", async () => {
    const spent = { day: "2026-01-05", count: FORECAST_SERVICE.budget };
    const { client, signal, server } = await open((_request, response) => sendStatus(response, 500), {
      memory: { spent },
    });
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow(BudgetSpent);
    expect(server.requests).toHaveLength(0);
    await expect(client.ask({ kind: "forecasts" }, { signal, essential: true })).rejects.toThrow(
      ServiceFailed,
    );
    expect(server.requests).toHaveLength(1);
  });

  it("waits as long as a 429 asks for, and asks again", async () => {
    const { client, signal, waits, said, kept } = await open((_request, response, count) => {
      if (count === 1) return sendStatus(response, 429, "", { "retry-after": "7" });
      sendJson(response, TODAY);
    });
    await client.ask({ kind: "forecasts" }, { signal });
    expect(waits).toEqual([0, 7_000]);
    expect(said).toEqual([
      'The forecast service answers "too many requests" (429): vigie sends it nothing for 7 s',
    ]);
    expect(kept.get().pause).toBeNull();
    expect(kept.get().sent_at).toBe(AT + 7_000);
  });

  it("sends nothing to any endpoint until a long pause is over, and doubles a pause nobody named", async () => {
    const { client, signal, server, time, kept } = await open((_request, response) =>
      sendStatus(response, 429),
    );
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow(ServiceBusy);
    // A minute, two minutes, and then four: too long to wait for.
    expect(server.requests).toHaveLength(3);
    expect(kept.get().pause).toEqual({ until: time.wall + 240_000, turns: 3 });
    await expect(client.ask({ kind: "season" }, { signal, essential: true })).rejects.toThrow(ServiceBusy);
    expect(server.requests).toHaveLength(3);
  });

  it("are neither blocked nor lifted by a wall clock that is set", async () => {
    const { client, signal, time, waits } = await open((_request, response) => sendJson(response, TODAY));
    for (let count = 0; count < 10; count += 1) await client.ask({ kind: "forecasts" }, { signal });
    time.wall += 86_400_000;
    await client.ask({ kind: "forecasts" }, { signal });
    time.wall -= 10 * 86_400_000;
    await client.ask({ kind: "forecasts" }, { signal });
    expect(waits).toEqual([60_000]);
  });
});

describe("not modified", () => {
  it("stands for the answer that was read before", async () => {
    const { client, signal, server } = await open((request, response, count) => {
      if (request.headers["if-none-match"] === '"one"') return sendStatus(response, 304);
      sendJson(response, TODAY, { etag: '"one"', "last-modified": `Mon, 05 Jan 2026 0${count}:00:00 GMT` });
    });
    const first = await client.ask({ kind: "forecasts" }, { signal });
    const second = await client.ask({ kind: "forecasts" }, { signal });
    const third = await client.ask({ kind: "forecasts" }, { signal });
    expect([second.answer, third.answer]).toEqual([first.answer, first.answer]);
    expect(server.requests[2]?.headers["if-none-match"]).toBe('"one"');
    expect(server.requests[1]?.headers["if-modified-since"]).toBe("Mon, 05 Jan 2026 01:00:00 GMT");
  });

  it("is not asked for after an answer that could not be read", async () => {
    const { client, signal, server } = await open((_request, response) =>
      sendJson(response, {}, { etag: '"one"' }),
    );
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow("no days at all");
    await expect(client.ask({ kind: "forecasts" }, { signal })).rejects.toThrow("no days at all");
    expect(server.requests[1]?.headers["if-none-match"]).toBeUndefined();
  });
});

describe("days of another time than this machine's", () => {
  const answerOf = (date: string) => ({ today: { date, color: "bleu" } });

  it("are one warning, however they move on", async () => {
    const { client, signal, said } = await open((_request, response, count) =>
      sendJson(response, answerOf(`2025-11-0${count}`)),
    );
    for (let count = 0; count < 3; count += 1) await client.ask({ kind: "forecasts" }, { signal });
    expect(said).toEqual([
      "The service speaks of November 2025 (2025-11-01), this machine's clock says January 2026 (2026-01-05). Check which of the two is wrong; the option --from of vigie simulator moves only the simulator's clock",
    ]);
  });

  it.each(["2026-01-03", "2026-01-05", "2026-01-07"])("are not those of %s", async (date) => {
    const { client, signal, said } = await open((_request, response) => sendJson(response, answerOf(date)));
    await client.ask({ kind: "forecasts" }, { signal });
    expect(said).toEqual([]);
  });
});

describe("what is learned", () => {
  it("percent is remembered from one value over 1, also for another endpoint", async () => {
    const { client, signal, kept, said } = await open((request, response) =>
      request.url === "/v1/public"
        ? sendJson(response, { today: { date: "2026-01-05", color: "bleu", confidence: 85 } })
        : sendJson(response, { date: "2026-01-06", color: "bleu", confidence: 1, is_official: false }),
    );
    await client.ask({ kind: "forecasts" }, { signal });
    expect(kept.get().percent).toBe(true);
    const { answer } = await client.ask({ kind: "date", date: "2026-01-06" }, { signal });
    expect(answer).toMatchObject({ kind: "date", day: { confidence: 0.01 }, is_official: false });
    expect(said).toEqual(["The service sends confidence in percent: from now on 1 means 1 %"]);
  });

  it("a new value is a warning once", async () => {
    const { client, signal, said } = await open((_request, response, count) =>
      sendJson(response, { today: { date: "2026-01-05", color: count === 3 ? "mauve" : "violet" } }),
    );
    for (let count = 0; count < 4; count += 1) await client.ask({ kind: "forecasts" }, { signal });
    expect(said).toHaveLength(2);
    expect(said[0]).toContain('"violet"');
    expect(said[1]).toContain('"mauve"');
  });
});

describe("history", () => {
  const RANGE = { kind: "history", start: "2026-01-01", end: "2026-01-04" } as const;
  const entries = [{ date: "2026-01-02", color: "rouge" }];
  const refuse = (names: string[]) =>
    JSON.stringify({
      detail: names.map((name) => ({ loc: ["query", name], msg: "Field required", type: "missing" })),
    });
  const asked = (url: string | undefined) => [...new URL(url ?? "", "http://x").searchParams.keys()];

  it("takes the names that the service asks for, and remembers them", async () => {
    const { client, signal, paths, kept } = await open((request, response) =>
      asked(request.url).includes("date_to")
        ? sendJson(response, entries)
        : sendStatus(response, 422, refuse(["date_from", "date_to"])),
    );
    const { answer } = await client.ask(RANGE, { signal });
    expect(answer).toMatchObject({ kind: "history", start: "2026-01-01", entries: [{ color: "rouge" }] });
    await client.ask(RANGE, { signal });
    expect(paths().map(asked)).toEqual([
      ["start_date", "end_date"],
      ["date_from", "date_to"],
      ["date_from", "date_to"],
    ]);
    expect(kept.get().history_parameters).toEqual({ start: "date_from", end: "date_to" });
  });

  it("tries the usual names where a 400 says nothing", async () => {
    const { client, signal, paths } = await open((request, response) =>
      asked(request.url).includes("from")
        ? sendJson(response, entries)
        : sendStatus(response, 400, "bad request"),
    );
    await client.ask(RANGE, { signal });
    expect(paths().map((path) => asked(path)[0])).toEqual(["start_date", "start", "from"]);
  });

  it("takes an empty list for an answer, but not for a proof of the names", async () => {
    const { client, signal, kept } = await open((_request, response) => sendJson(response, []));
    expect((await client.ask(RANGE, { signal })).answer).toMatchObject({ kind: "history", entries: [] });
    expect(kept.get().history_parameters).toBeNull();
  });

  it("takes days from elsewhere for names that were not understood", async () => {
    const { client, signal, kept, said } = await open((_request, response) =>
      sendJson(response, [{ date: "2025-11-01", color: "bleu" }]),
    );
    await expect(client.ask(RANGE, { signal })).rejects.toThrow(RangeIgnored);
    expect(kept.get().history_parameters).toBeNull();
    expect(said.at(-1)).toContain("Set service.history_parameters");
  });

  it("does not try others for a wrong value, nor where the names are fixed or have worked", async () => {
    const bad = {
      detail: [{ loc: ["query", "start_date"], msg: "Input should be a valid date", type: "date_parsing" }],
    };
    const value = await open((_request, response) => sendStatus(response, 422, JSON.stringify(bad)));
    await expect(value.client.ask(RANGE, value)).rejects.toThrow("Input should be a valid date");
    const fixed = await open((_request, response) => sendStatus(response, 400), {
      config: { history_parameters: { start: "du", end: "au" } },
    });
    await expect(fixed.client.ask(RANGE, fixed)).rejects.toThrow(RequestRefused);
    const learned = await open((_request, response) => sendStatus(response, 400), {
      memory: { history_parameters: { start: "from", end: "to" } },
    });
    await expect(learned.client.ask(RANGE, learned)).rejects.toThrow(RequestRefused);
    for (const { server } of [value, fixed, learned]) expect(server.requests).toHaveLength(1);
    expect(fixed.paths().map(asked)).toEqual([["du", "au"]]);
  });

  it("is not led on for ever by a service that always wants other names", async () => {
    const { client, signal, server } = await open((_request, response, count) =>
      sendStatus(response, 422, refuse([`start${count}`, `end${count}`])),
    );
    await expect(client.ask(RANGE, { signal })).rejects.toThrow(RequestRefused);
    expect(server.requests).toHaveLength(6);
  });

  it("of more than a year comes in pieces and is one answer", async () => {
    const { client, signal, paths } = await open((request, response) => {
      const start = new URL(request.url ?? "", "http://x").searchParams.get("start_date");
      sendJson(response, [{ date: start, color: "bleu" }]);
    });
    const { answer } = await client.ask(
      { kind: "history", start: "2024-01-01", end: "2026-01-01" },
      { signal },
    );
    expect(paths()).toEqual([
      "/v1/public/history?start_date=2024-01-01&end_date=2024-12-30",
      "/v1/public/history?start_date=2024-12-31&end_date=2025-12-30",
      "/v1/public/history?start_date=2025-12-31&end_date=2026-01-01",
    ]);
    expect(answer).toMatchObject({ start: "2024-01-01", end: "2026-01-01" });
    expect(answer.kind === "history" && answer.entries.map(({ date }) => date)).toEqual([
      "2024-01-01",
      "2024-12-31",
      "2025-12-31",
    ]);
  });
});
