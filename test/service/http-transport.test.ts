import { createServer } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { serverTime } from "../../src/core/contract/http-headers.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { createTransport } from "../../src/service/http-transport.ts";
import { readResponse } from "../../src/service/read-response.ts";
import {
  AnswerUnreadable,
  RequestRefused,
  ServiceBusy,
  ServiceFailed,
  ServiceUnreachable,
} from "../../src/service/service-errors.ts";
import { type Answerer, sendJson, sendStatus, serve } from "./rude-server.ts";

const PATH = "/v1/public";
const never = () => new AbortController().signal;

/** Milliseconds: for an answer that never comes, and for one that comes at any time on a busy machine. */
const SHORT = 300;
const LONG = 60_000;

function open(base: string, timeout = LONG) {
  const transport = createTransport({ source: FORECAST_SERVICE, base, version: "1.2.3", timeout });
  onTestFinished(transport.close);
  return transport;
}

async function fetchJson(answer: Answerer, timeout?: number): Promise<unknown> {
  const server = await serve(answer);
  const response = await open(server.url, timeout).get(PATH, {}, never());
  const request = { operation: `GET ${PATH}`, address: server.url + PATH };
  return readResponse(response, FORECAST_SERVICE, request, 0);
}

/** The error that an answer amounts to. */
async function failure(answer: Answerer, timeout?: number): Promise<Error> {
  try {
    await fetchJson(answer, timeout);
  } catch (error) {
    return error as Error;
  }
  throw new Error("Expected a failure");
}

describe("a request", () => {
  it("names vigie and its version, sends no credentials, and goes below the base address", async () => {
    const server = await serve((_request, response) => sendJson(response, { ok: true }));
    const base = `${server.url.replace("//", "//user:secret@")}/proxy/`;
    await open(base).get("/v1/public?a=b", { "if-none-match": '"1"' }, never());
    const [request] = server.requests;
    expect(request?.url).toBe("/proxy/v1/public?a=b");
    expect(request?.method).toBe("GET");
    expect(request?.headers).toMatchObject({
      "user-agent": "vigie/1.2.3",
      accept: "application/json",
      "if-none-match": '"1"',
    });
    expect(request?.headers.authorization).toBeUndefined();
  });

  it("ends with its signal, whatever the service does", async () => {
    const server = await serve(() => undefined);
    const stop = new AbortController();
    const getting = open(server.url).get(PATH, {}, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(getting).rejects.toThrow("enough");
    await expect(open(server.url).get(PATH, {}, stop.signal)).rejects.toThrow("enough");
  });

  it("ends when the transport is closed", async () => {
    const server = await serve(() => undefined);
    const transport = open(server.url);
    const getting = transport.get(PATH, {}, never());
    setTimeout(() => transport.close(), 50);
    await expect(getting).rejects.toBeInstanceOf(ServiceUnreachable);
  });
});

describe("an answer", () => {
  const TEXT = JSON.stringify({ color: "rouge" });

  it.each([
    ["identity", Buffer.from(TEXT)],
    ["gzip", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateRawSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
  ])("is read from %s", async (encoding, body) => {
    const json = await fetchJson((_request, response) => {
      response.writeHead(200, {
        "content-type": "application/json; charset=utf-8",
        "content-encoding": encoding,
      });
      response.end(body);
    });
    expect(json).toEqual({ color: "rouge" });
  });

  it("tells the service's clock", async () => {
    const server = await serve((_request, response) =>
      sendJson(response, {}, { date: "Mon, 05 Jan 2026 10:00:00 GMT" }),
    );
    const response = await open(server.url).get(PATH, {}, never());
    expect(serverTime(response)).toBe(Date.UTC(2026, 0, 5, 10));
  });

  it("that ignores what a body is for its status is judged by the status", async () => {
    const error = await failure((_request, response) => {
      response.writeHead(503, {
        "content-type": "text/html",
        "content-length": "5000000",
        "content-encoding": "gzip",
      });
      response.write("<html>");
    });
    expect(error).toBeInstanceOf(ServiceFailed);
  });
});

describe("what is no answer", () => {
  const reset: Answerer = (request) => request.socket.resetAndDestroy();
  const silent: Answerer = () => undefined;
  const drip: Answerer = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };
  const brokenOff: Answerer = (request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write('{"today":');
    setTimeout(() => request.socket.destroy(), 20);
  };
  const endless: Answerer = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  };
  const body =
    (text: string | Buffer, headers: Record<string, string> = {}): Answerer =>
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(text);
    };

  it.each([
    ["a reset", reset, ServiceUnreachable, /broke the connection|closed the connection/],
    ["silence", silent, ServiceUnreachable, /no whole answer within 1 s/],
    ["a drip", drip, ServiceUnreachable, /no whole answer within 1 s/],
    ["a body that breaks off", brokenOff, AnswerUnreadable, /broke off after 9 bytes/],
    [
      "truncated JSON",
      body('{"today": {"date": "2026'),
      AnswerUnreadable,
      /Expected whole JSON, got a part of it.*beginning with/,
    ],
    [
      "truncated gzip",
      body(gzipSync("{}".repeat(999)).subarray(0, 20), { "content-encoding": "gzip" }),
      AnswerUnreadable,
      /got a part of it/,
    ],
    ["nothing", body(""), AnswerUnreadable, /empty body/],
  ])("%s is tried again", async (_title, answer, type, words) => {
    const error = await failure(answer, answer === silent || answer === drip ? SHORT : LONG);
    expect(error).toBeInstanceOf(type);
    expect(error.message).toMatch(words);
    expect(error.message).toContain("GET /v1/public");
    if (error instanceof AnswerUnreadable) expect(error.cut).toBe(true);
  });

  it.each([
    [
      "HTML",
      body("<html>hello</html>", { "content-type": "text/html" }),
      /Expected application\/json, got text\/html.*"<html>hello<\/html>"/,
    ],
    [
      "HTML that claims to be JSON",
      body("<html>\u001b[31m</html>"),
      /Expected JSON, got something else.*"<html> \[31m<\/html>"/,
    ],
    ["too much", endless, /at most 1024 KiB/],
    ["too much by its own word", body("x", { "content-length": "9999999" }), /at most 1024 KiB/],
    [
      "a gzip bomb",
      body(gzipSync(Buffer.alloc(50_000_000)), { "content-encoding": "gzip" }),
      /at most 1024 KiB/,
    ],
    [
      "a brotli bomb",
      body(brotliCompressSync(Buffer.alloc(50_000_000)), { "content-encoding": "br" }),
      /at most 1024 KiB/,
    ],
    ["junk for gzip", body("{}", { "content-encoding": "gzip" }), /Expected compressed data, got junk/],
    [
      "a compression nobody asked for",
      body("{}", { "content-encoding": "zstd" }),
      /got the compression "zstd"/,
    ],
    [
      "a redirect",
      ((_request, response) =>
        sendStatus(response, 302, "", { location: "https://u:p@x.org/a?token=1" })) as Answerer,
      /redirect to https:\/\/\*\*\*@x\.org\/a;/,
    ],
    [
      "no content",
      ((_request, response) => sendStatus(response, 204)) as Answerer,
      /Expected status 200, got 204/,
    ],
    [
      "not modified, though nothing was asked",
      ((_request, response) => sendStatus(response, 304)) as Answerer,
      /status 304/,
    ],
  ])("%s is not tried again", async (_title, answer, words) => {
    const error = await failure(answer);
    expect(error).toBeInstanceOf(AnswerUnreadable);
    expect(error.message).toMatch(words);
    expect(error).toMatchObject({ cut: false });
  });

  it("what does not speak HTTP is said", async () => {
    const server = createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("Expected a port");
    const getting = open(`http://127.0.0.1:${address.port}`).get(PATH, {}, never());
    await expect(getting).rejects.toThrow("Expected an answer in HTTP");
  });

  it("a port where nothing listens is an error without a request that was sent", async () => {
    const server = await serve(() => undefined);
    await server.stop();
    const error = await open(server.url)
      .get(PATH, {}, never())
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ServiceUnreachable);
    expect(error).toMatchObject({
      unsent: true,
      message: expect.stringContaining("nothing listens there (ECONNREFUSED)"),
    });
  });

  it.each([
    [500, ServiceFailed],
    [502, ServiceFailed],
    [503, ServiceFailed],
    [504, ServiceFailed],
    [400, RequestRefused],
    [404, RequestRefused],
    [422, RequestRefused],
    [429, ServiceBusy],
  ])("status %i is %o", async (status, type) => {
    const error = await failure((_request, response) => sendStatus(response, status, "what now"));
    expect(error).toBeInstanceOf(type);
    if (status !== 429) expect(error.message).toContain(`status ${status}`);
  });

  it("a refusal is shown with the service's own words, or else with what came", async () => {
    const detail = [
      { loc: ["query", "season"], msg: "String should match pattern", type: "string_pattern_mismatch" },
    ];
    const said = await failure((_request, response) => sendStatus(response, 422, JSON.stringify({ detail })));
    expect(said).toMatchObject({ status: 422, details: detail });
    expect(said.message).toContain("query.season: String should match pattern (string_pattern_mismatch)");
    const odd = await failure((_request, response) => sendStatus(response, 400, `bad ${"x".repeat(5000)}`));
    expect(odd).toMatchObject({ status: 400, details: [] });
    expect(odd.message).toMatch(/bad x{1020}$/);
  });

  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "Mon, 05 Jan 2026 10:00:30 GMT", date: "Mon, 05 Jan 2026 10:00:00 GMT" }, 30_000],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ])("a 429 with %j asks for %s ms", async (headers, retryAfter) => {
    const error = await failure((_request, response) => sendStatus(response, 429, "", headers));
    expect(error).toMatchObject({ name: "ServiceBusy", retryAfter });
  });
});
