import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { EMPTY_MEMORY } from "../../src/core/sources/source-kept.ts";
import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";
import { keepMemory } from "../../src/service/memory-keeper.ts";
import { createOfficialClient } from "../../src/service/official-client.ts";
import { REQUEST_RULES } from "../../src/service/request-rules.ts";
import {
  AnswerUnreadable,
  BudgetSpent,
  RequestRefused,
  ServiceBusy,
  ServiceFailed,
} from "../../src/service/service-errors.ts";
import { logTo } from "../support/logs.ts";
import { PARIS } from "../support/tariff.ts";
import { type Answerer, sendJson, sendStatus, serve } from "./rude-server.ts";

const AT = Date.parse("2026-01-05T10:40:00+01:00");
const LIGHT = { kind: "light" } as const;
const BOTH = { values: { "2026-01-05": "BLUE", "2026-01-06": "RED" } };
const minute = 60_000;

/** A client whose waits pass at once, on a clock of the test's own. */
async function open(answer: Answerer, { spent = 0, prefix = "" } = {}) {
  const server = await serve(answer);
  const time = { now: AT };
  const waits: number[] = [];
  const lines: string[] = [];
  const stop = new AbortController();
  const day = new Date(AT).toISOString().slice(0, 10);
  const memory = keepMemory({ ...EMPTY_MEMORY, spent: { day, count: spent } });
  const after: ClockWithTimers["after"] = (milliseconds, run) => {
    queueMicrotask(() => {
      waits.push(milliseconds);
      time.now += milliseconds;
      if (waits.length > 20) stop.abort();
      run();
    });
    return () => undefined;
  };
  const client = createOfficialClient({
    base: server.url + prefix,
    version: "1.2.3",
    tariff: PARIS,
    clock: { ...systemClock, now: () => time.now, steady: () => time.now, after },
    random: () => 1,
    memory,
    log: logTo(lines),
  });
  onTestFinished(client.close);
  const options = { signal: stop.signal };
  const askLight = (essential = false) => client.ask(LIGHT, { ...options, essential });
  return { server, client, options, askLight, time, waits, lines, memory };
}

const answering =
  (body: unknown, headers: Record<string, string> = {}): Answerer =>
  (_request, response) =>
    sendJson(response, body, headers);

/** Without a `Date` unless the headers have one. */
const withoutDate =
  (body: string | Buffer, headers: Record<string, string> = {}): Answerer =>
  (_request, response) => {
    response.sendDate = false;
    response.writeHead(200, headers);
    response.end(body);
  };

describe("a request", () => {
  it("readme: No account · goes below the address, names vigie, and brings neither cookies nor credentials", async () => {
    const { server, askLight, client, options } = await open(
      answering(BOTH, { "set-cookie": "id=1; Path=/", "www-authenticate": "Basic" }),
      { prefix: "/open_data" },
    );
    await askLight();
    await client.ask({ kind: "season", label: "2025-2026" }, options);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /open_data/tempoLight",
      "GET /open_data/tempo?season=2025-2026",
    ]);
    for (const { headers } of server.requests) {
      expect(headers["user-agent"]).toBe("vigie/1.2.3");
      expect([headers.cookie, headers.authorization]).toEqual([undefined, undefined]);
    }
  });
});

describe("an answer", () => {
  it("gives its words", async () => {
    const { askLight, lines } = await open(answering(BOTH));
    const { answer } = await askLight();
    expect(answer.kind).toBe("light");
    expect(answer.words).toEqual([
      { date: "2026-01-05", color: "bleu" },
      { date: "2026-01-06", color: "rouge" },
    ]);
    expect(lines).toEqual([]);
  });

  it.each(["text/html", "text/plain; charset=iso-8859-1", "image/png"])(
    "is read whatever its content type: %s",
    async (type) => {
      const { askLight } = await open(withoutDate(JSON.stringify(BOTH), { "content-type": type }));
      expect((await askLight()).answer.words).toHaveLength(2);
    },
  );

  it.each([
    ["Date", { date: "Mon, 05 Jan 2026 09:30:00 GMT" }, "09:30", "09:30"],
    [
      "Date, where a cache keeps it: this machine's clock, 09:40, is at Date and Age together",
      { date: "Mon, 05 Jan 2026 09:30:00 GMT", age: "600" },
      "09:30",
      "09:40",
    ],
    [
      "Date less Age, where a cache sends its own time: this machine's clock is at Date",
      { date: "Mon, 05 Jan 2026 09:40:00 GMT", age: "600" },
      "09:30",
      "09:40",
    ],
    [
      "Date less Age, where this machine's clock is at neither: the earlier time",
      { date: "Mon, 05 Jan 2026 09:20:00 GMT", age: "900" },
      "09:05",
      "09:35",
    ],
    [
      "Date less Age, in an answer that is hours old, of a cache that sends its own time",
      { date: "Mon, 05 Jan 2026 09:39:00 GMT", age: "14400" },
      "05:39",
      "09:39",
    ],
    [
      "Date less Age, where a cache sends its own time, and this machine's clock is two minutes behind",
      { date: "Mon, 05 Jan 2026 09:42:00 GMT", age: "1200" },
      "09:22",
      "09:42",
    ],
    [
      "Date less Age; where this machine's clock is hours behind, near Date by chance, it is not right",
      { date: "Mon, 05 Jan 2026 10:35:00 GMT", age: "5700" },
      "09:00",
      "12:10",
    ],
    [
      "Date less Age; where this machine's clock is 110 minutes behind",
      { date: "Mon, 05 Jan 2026 10:35:00 GMT", age: "3300" },
      "09:40",
      "11:30",
    ],
    [
      "Date, with an Age that is no number",
      { date: "Mon, 05 Jan 2026 09:30:00 GMT", age: "old" },
      "09:30",
      "09:30",
    ],
    ["a time that it does not say, without a Date", { age: "600" }, null, null],
    ["a time that it does not say, with a Date that is none", { date: "today" }, null, null],
  ])("was made at %s", async (_case, headers, made, clock) => {
    const instant = (time: string | null) => time && Date.parse(`2026-01-05T${time}:00Z`);
    const { askLight } = await open(withoutDate(JSON.stringify(BOTH), headers));
    const { date, made_at } = await askLight();
    expect([made_at, date]).toEqual([instant(made), instant(clock)]);
  });

  it("of yesterday gives its words, of which the loop finds whether they count", async () => {
    const { askLight } = await open(answering({ values: { "2026-01-04": "BLUE" } }));
    expect((await askLight()).answer.words).toEqual([{ date: "2026-01-04", color: "bleu" }]);
  });

  it("of another season is a failure that is not tried again", async () => {
    const { client, options, server } = await open(answering({ values: { "2024-12-01": "RED" } }));
    const asked = client.ask({ kind: "season", label: "2025-2026" }, options);
    await expect(asked).rejects.toThrow(AnswerUnreadable);
    await expect(asked).rejects.toThrow(
      "The answer to GET /tempo?season=2025-2026 cannot be read: Expected dates of the season 2025-2026, got dates from 2024-12-01 to 2024-12-01",
    );
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["two colours", '"RED", "2026-01-06": "BLUE"', '"RED and BLUE"'],
    ["a colour and null", '"RED" , "2026-01-06":null', '"RED and NULL"'],
  ])(
    "that names a date twice, with %s, has no word for it, also where it was not modified",
    async (_case, values, named) => {
      const body = `{"values": {"2026-01-05": "BLUE", "2026-01-06": ${values}}, "2026-01-05": "RED"}`;
      const { askLight } = await open((request, response) => {
        if (request.headers["if-none-match"] !== undefined) return sendStatus(response, 304);
        response.writeHead(200, { etag: '"one"' }).end(body);
      });
      for (let count = 0; count < 2; count += 1) {
        expect((await askLight()).answer.words).toEqual([
          { date: "2026-01-05", color: "bleu" },
          {
            date: "2026-01-06",
            color: null,
            why: `The official source sent ${named} for 2026-01-06, which is none of BLUE, WHITE, RED: it is not used`,
          },
        ]);
      }
    },
  );

  it("that names a date twice alike has that word", async () => {
    const body = '{"values": {"2026-01-05": "BLUE", "2026-01-06": "RED", "2026-01-06": "red"}}';
    const { askLight } = await open(withoutDate(body));
    expect((await askLight()).answer.words).toEqual([
      { date: "2026-01-05", color: "bleu" },
      { date: "2026-01-06", color: "rouge" },
    ]);
  });

  it("that was not modified is read again, at the time of the new answer", async () => {
    const { askLight, time, server } = await open((request, response) => {
      const date = new Date(time.now).toUTCString();
      if (request.headers["if-none-match"] === '"one"') return sendStatus(response, 304, "", { date });
      sendJson(response, BOTH, { etag: '"one"', date });
    });
    const first = await askLight();
    time.now += 60 * minute;
    const second = await askLight();
    expect(server.requests[1]?.headers["if-none-match"]).toBe('"one"');
    expect(second.answer).toEqual(first.answer);
    expect(second.made_at).toBe((first.made_at ?? 0) + 60 * minute);
  });
});

describe("what is no answer", () => {
  const big = JSON.stringify({ ...BOTH, more: "x".repeat(64 * 1024) });
  const cases: [string, Answerer, RegExp][] = [
    ["no JSON", withoutDate("<html>Maintenance</html>"), /Expected JSON, got something else/],
    ["no values", answering({ value: {} }), /Expected an object with "values"/],
    ["values that are a list", answering({ values: ["RED"] }), /a list as "values"/],
    ["more than 64 KB", withoutDate(big), /Expected at most 64 KiB, got more/],
    [
      "more than 64 KB in little",
      withoutDate(gzipSync(big), { "content-encoding": "gzip" }),
      /Expected at most 64 KiB/,
    ],
    [
      "a redirect",
      (_request, response) => sendStatus(response, 302, "", { location: "http://127.0.0.1:9/login" }),
      /redirect to http:\/\/127\.0\.0\.1:9\/login; it is not followed, set official\.source instead/,
    ],
    ["no content", (_request, response) => sendStatus(response, 204), /Expected status 200, got 204/],
  ];

  it.each(cases)("%s is a failure that is not tried again", async (_case, answer, words) => {
    const { askLight, server } = await open(answer);
    await expect(askLight()).rejects.toThrow(words);
    expect(server.requests).toHaveLength(1);
  });

  it("a refusal names the official source, not the service", async () => {
    const { askLight, server } = await open((_request, response) => sendStatus(response, 403, "Forbidden"));
    await expect(askLight()).rejects.toThrow(
      "The official source refused GET /tempoLight: status 403: Forbidden",
    );
    await expect(askLight()).rejects.toBeInstanceOf(RequestRefused);
    expect(server.requests).toHaveLength(2);
  });
});

describe("politeness", () => {
  it("tries again, later each time, until the source answers", async () => {
    const { askLight, waits } = await open((_request, response, count) =>
      count < 4 ? sendStatus(response, 503) : sendJson(response, BOTH),
    );
    expect((await askLight()).answer.words).toHaveLength(2);
    expect(waits).toEqual([5_000, 15_000, 45_000]);
  });

  it("sends nothing while a 429 asks for a pause, and keeps the pause in its memory", async () => {
    const { askLight, server, memory, lines } = await open((_request, response) =>
      sendStatus(response, 429, "", { "retry-after": "1800" }),
    );
    await expect(askLight()).rejects.toBeInstanceOf(ServiceBusy);
    await expect(askLight(true)).rejects.toBeInstanceOf(ServiceBusy);
    expect(server.requests).toHaveLength(1);
    expect(memory.get().pause).toEqual({ until: AT + 1_800_000, turns: 1 });
    expect(lines).toEqual([
      'The official source answers "too many requests" (429): vigie sends it nothing for 1800 s',
    ]);
  });

  it("what-if: The refresh button is hammered · sends 80 requests a day, and beyond them essential ones only", async () => {
    const { askLight, server, memory } = await open(answering(BOTH), { spent: 79 });
    await askLight();
    await expect(askLight()).rejects.toBeInstanceOf(BudgetSpent);
    await expect(askLight()).rejects.toThrow("the 80 requests that vigie allows itself in a day are used up");
    expect(server.requests).toHaveLength(1);
    await askLight(true);
    expect(server.requests).toHaveLength(2);
    expect(memory.get().spent.count).toBe(81);
  });

  it("does not try again where half of the day's requests are sent, so that a source that fails does not use them up", async () => {
    const { askLight, server } = await open((_request, response) => sendStatus(response, 500), {
      spent: REQUEST_RULES.official.retryBudget - 2,
    });
    await expect(askLight()).rejects.toBeInstanceOf(ServiceFailed);
    expect(server.requests).toHaveLength(2);
    await expect(askLight()).rejects.toBeInstanceOf(ServiceFailed);
    expect(server.requests).toHaveLength(3);
  });

  it("sends at most ten requests a minute", async () => {
    const { askLight, waits } = await open(answering(BOTH));
    for (let count = 0; count < 11; count += 1) await askLight();
    expect(waits).toEqual([60_000]);
  });
});
