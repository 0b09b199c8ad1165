import { spawnSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { NOBODY } from "../support/ports.ts";
import { lacking } from "../support/prepared.ts";
import {
  askOnce,
  fileWith,
  httpOutput,
  makeCertificate,
  manualClock,
  openSink,
  questionOf,
  sendOf,
  sendOnce,
  startDevice,
  startTcp,
} from "./devices.ts";

const withoutOpenssl = lacking(spawnSync("openssl", ["version"]).status === 0, "openssl is not installed");

/** A device that answers with this status. */
const withStatus = (status: number, headers: Record<string, string> = {}) =>
  startDevice((response) => response.writeHead(status, headers).end("an answer"));

describe("the answer to a sending", () => {
  test.each([200, 201, 204, 299])("acknowledges it by status %i", async (status) => {
    const device = await withStatus(status);
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toEqual({ kind: "acknowledged", number: 1 });
  });

  test.each([
    [401, "check the token, or the user and password"],
    [403, "check the token, or the user and password"],
    [404, "check the path of url"],
    [405, "check the option method"],
    [400, "check the payload, and the option content_type"],
    [415, "check the payload, and the option content_type"],
    [422, "check the payload, and the option content_type"],
    [413, "what is sent is too long for it"],
    [418, "check url, and what the device expects"],
    [999, "check url, and what the device expects"],
  ])("refuses it by status %i, and the message says what to check", async (status, words) => {
    const device = await withStatus(status);
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toEqual({
      kind: "refused",
      number: 1,
      message: `${device.place} answers with status ${status}: ${words}`,
    });
  });

  test("says so where it asks for Digest", async () => {
    const device = await withStatus(401, { "www-authenticate": 'Digest realm="x"' });
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("Digest login, which vigie cannot do"),
    });
  });

  test.each([301, 302, 303, 307, 308])("is not followed where it redirects by status %i", async (status) => {
    const target = await startDevice();
    const device = await withStatus(status, { location: `${target.place}/secret/path?token=1` });
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toEqual({
      kind: "refused",
      number: 1,
      message: `${device.place} answers with status ${status}: this is a redirect to ${target.place}, which vigie does not follow; write the final address as url`,
    });
    expect(target.connections.count).toBe(0);
    expect(device.heard).toHaveLength(1);
  });

  test.each([
    ["/login", ""],
    ["http://[", ""],
    ["javascript:alert(1)", ""],
    ["https://token.example/", " to another host"],
  ])("that redirects to %s is refused without repeating it", async (location, words) => {
    const device = await withStatus(302, { location });
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({
      kind: "refused",
      message: expect.stringContaining(`this is a redirect${words}, which`),
    });
  });

  test.each([
    ...[408, 425, 429, 500, 503].map((status) => [status, false] as const),
    // What a gateway got no answer to may have been done.
    ...[502, 504].map((status) => [status, true] as const),
  ])("means later by status %i", async (status, mayHaveArrived) => {
    const device = await withStatus(status);
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toEqual({
      kind: "unanswered",
      number: 1,
      message: `${device.place} answers with status ${status}`,
      mayHaveArrived,
      retryAfter: null,
      isBusy: true,
    });
  });

  const DATE = "Mon, 05 Jan 2026 10:00:00 GMT";
  test.each([
    ["120", 120_000],
    ["0", 0],
    ["100000", 600_000],
    ["Mon, 05 Jan 2026 10:02:00 GMT", 120_000],
    ["Mon, 05 Jan 2026 23:00:00 GMT", 600_000],
    ["Mon, 05 Jan 2026 09:00:00 GMT", 0],
    ["-5", null],
    ["1.5", null],
    ["tomorrow", null],
    ["2026-01-05T10:02:00Z", null],
  ])("may say when to try again: Retry-After: %s", async (text, retryAfter) => {
    const device = await withStatus(429, { "retry-after": text, date: DATE });
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({ kind: "unanswered", retryAfter });
  });

  test("may have 10 MB, which are not read", async () => {
    const device = await startDevice((response) => {
      response.on("error", () => undefined);
      response.end(Buffer.alloc(10_000_000));
    });
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({ kind: "acknowledged" });
    await expect.poll(() => device.connections.open.size).toBe(0);
  });

  test("counts by its status, though it breaks off in its body", async () => {
    const device = await startTcp((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")),
    );
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({ kind: "acknowledged" });
  });

  test("comes over a connection that is used once", async () => {
    const device = await startDevice();
    await sendOnce(httpOutput(`${device.place}/x`));
    await sendOnce(httpOutput(`${device.place}/x`));
    expect(device.connections.count).toBe(2);
    await expect.poll(() => device.connections.open.size).toBe(0);
  });
});

describe("no answer to a sending", () => {
  test.each([
    ["an end without a word", ""],
    ["half of the headers", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["something that is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["a change of protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
    ["headers without end", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}\r\n\r\n`],
  ])("is %s, and it may have got the message", async (_, text) => {
    const device = await startTcp((socket) => socket.once("data", () => socket.end(text)));
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toEqual({
      kind: "unanswered",
      number: 1,
      message: expect.stringMatching(`^${device.place} gives no answer that can be used: `),
      mayHaveArrived: true,
      retryAfter: null,
    });
    expect(device.connections.count).toBe(1);
  });

  test("is a connection that is reset", async () => {
    const device = await startTcp((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({
      kind: "unanswered",
      mayHaveArrived: true,
    });
  });

  test("is a port at which nothing listens, and nothing was written", async () => {
    expect(await sendOnce(httpOutput(`http://${NOBODY}/x`))).toEqual({
      kind: "unanswered",
      number: 1,
      message: `http://${NOBODY} cannot be reached: nothing listens there (ECONNREFUSED)`,
      mayHaveArrived: false,
      retryAfter: null,
    });
  });

  test("is a name that does not exist, and nothing was written", async () => {
    expect(await sendOnce(httpOutput("http://device.invalid/x"))).toMatchObject({
      kind: "unanswered",
      message: expect.stringMatching(
        /^http:\/\/device.invalid cannot be reached: (there is no such|its name)/,
      ),
      mayHaveArrived: false,
    });
  });

  test("is a device that hangs for ten seconds, and it may have got the message", async () => {
    const { clock, pass } = manualClock();
    const device = await startDevice(() => undefined);
    const sink = openSink([httpOutput(`${device.place}/x`)], { clock });
    sink.show([sendOf(1)], []);
    await expect.poll(() => device.heard.length).toBe(1);
    await pass(9_999);
    expect(sink.events).toEqual([]);
    await pass(1);
    expect(await sink.posted(1)).toEqual([
      {
        kind: "unanswered",
        number: 1,
        message: `${device.place} gives no whole answer within 10 s`,
        mayHaveArrived: true,
        retryAfter: null,
      },
    ]);
    await expect.poll(() => device.connections.open.size).toBe(0);
  });

  test("is a device whose TLS hangs, and nothing was written", async () => {
    const { clock, pass } = manualClock();
    const device = await startTcp((socket) => void socket.resume());
    const sink = openSink([httpOutput(`${device.place.replace("http", "https")}/x`)], { clock });
    sink.show([sendOf(1)], []);
    await expect.poll(() => device.connections.count).toBe(1);
    await pass(10_000);
    expect(await sink.posted(1)).toMatchObject([
      {
        kind: "unanswered",
        message: expect.stringContaining("takes no connection within 10 s"),
        mayHaveArrived: false,
      },
    ]);
    await expect.poll(() => device.connections.open.size).toBe(0);
  });

  test("is a device whose headers drip for longer than ten seconds", async () => {
    const { clock, pass } = manualClock();
    let hasBegun = false;
    const device = await startTcp((socket) =>
      socket.once("data", () => {
        hasBegun = socket.write("HTTP/1.1 200 OK\r\nX: ");
      }),
    );
    const sink = openSink([httpOutput(`${device.place}/x`)], { clock });
    sink.show([sendOf(1)], []);
    await expect.poll(() => hasBegun).toBe(true);
    for (let second = 0; second < 10; second += 1) {
      for (const socket of device.connections.open) socket.write("x");
      await pass(1_000);
    }
    expect(await sink.posted(1)).toMatchObject([{ kind: "unanswered", mayHaveArrived: true }]);
  });
});

describe("the answer to a question", () => {
  const ask = (place: string) =>
    askOnce(httpOutput("http://127.0.0.1:9/x", { confirmUrl: `${place}/state` }));

  test("is posted whole, as text", async () => {
    const device = await startDevice((response) => response.end('{"ison":true,"ü":1}'));
    expect(await ask(device.place)).toEqual({ kind: "answer", number: 1, payload: '{"ison":true,"ü":1}' });
    expect(device.heard).toMatchObject([{ method: "GET", url: "/state", body: "" }]);
  });

  test("may be empty", async () => {
    const device = await withStatus(204);
    expect(await ask(device.place)).toEqual({ kind: "answer", number: 1, payload: "" });
  });

  test("has 64 KB at most", async () => {
    const device = await startDevice((response) => response.end("x".repeat(65_536)));
    expect(await ask(device.place)).toMatchObject({ kind: "answer", payload: "x".repeat(65_536) });
  });

  test.each([true, false])("of 10 MB is not read to its end (announced: %j)", async (isAnnounced) => {
    const device = await startDevice((response) => {
      response.on("error", () => undefined);
      const body = Buffer.alloc(10_000_000, "x");
      if (isAnnounced) response.setHeader("content-length", body.length);
      response.write(body);
      response.end();
    });
    expect(await ask(device.place)).toEqual({
      kind: "no answer",
      number: 1,
      message: `${device.place} gives no answer that can be used: its answer is longer than 64 KB`,
    });
    await expect.poll(() => device.connections.open.size).toBe(0);
  });

  test("is none where it breaks off", async () => {
    const device = await startTcp((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")),
    );
    expect(await ask(device.place)).toMatchObject({
      kind: "no answer",
      message: expect.stringContaining("closed the connection before the end of its answer"),
    });
  });

  test("is none where it is compressed, which was not asked for", async () => {
    const device = await startDevice((response) => {
      response.setHeader("content-encoding", "gzip").end(gzipSync("true"));
    });
    expect(await ask(device.place)).toMatchObject({
      kind: "no answer",
      message: expect.stringContaining("compressed"),
    });
    expect(device.heard[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("is none where the body takes longer than ten seconds", async () => {
    const { clock, pass } = manualClock();
    const device = await startDevice((response) => response.write("a byte"));
    const confirmUrl = `${device.place}/state`;
    const sink = openSink([httpOutput("http://127.0.0.1:9/x", { confirmUrl })], { clock });
    sink.show([], [questionOf(1)]);
    await expect.poll(() => device.heard.length).toBe(1);
    await pass(10_000);
    expect(await sink.posted(1)).toMatchObject([
      { kind: "no answer", message: `${device.place} gives no whole answer within 10 s` },
    ]);
  });

  test.each([
    [301, "write the final address as confirm.url"],
    [401, "check the token, or the user and password"],
    [404, "check the path of confirm.url"],
    [405, "it cannot be asked by GET; check confirm.url"],
    [500, "answers with status 500"],
  ])("is none by status %i", async (status, words) => {
    const device = await withStatus(status);
    expect(await ask(device.place)).toMatchObject({
      kind: "no answer",
      message: expect.stringContaining(words),
    });
  });

  test("is none where nothing listens", async () => {
    expect(await ask(`http://${NOBODY}`)).toMatchObject({
      kind: "no answer",
      message: `http://${NOBODY} cannot be reached: nothing listens there (ECONNREFUSED)`,
    });
  });
});

describe.skipIf(withoutOpenssl)(`over TLS ${withoutOpenssl}`, () => {
  test("a certificate that is signed by itself is not trusted, and nothing is written", async () => {
    const device = await startDevice(undefined, makeCertificate("IP:127.0.0.1"));
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toEqual({
      kind: "unanswered",
      number: 1,
      message: `${device.place} cannot be reached: its certificate is signed by nobody this machine trusts; set tls.ca_file to that of the authority that signed it (DEPTH_ZERO_SELF_SIGNED_CERT)`,
      mayHaveArrived: false,
      retryAfter: null,
    });
    expect(device.heard).toEqual([]);
  });

  test("a certificate in ca_file is trusted, for sendings and questions", async () => {
    const certificate = makeCertificate("IP:127.0.0.1");
    const device = await startDevice((response) => response.end("true"), certificate);
    const access = { ca_file: certificate.certFile };
    const output = httpOutput(`${device.place}/x`, { access, confirmUrl: `${device.place}/state` });
    expect(await sendOnce(output)).toEqual({ kind: "acknowledged", number: 1 });
    expect(await askOnce(output)).toEqual({ kind: "answer", number: 1, payload: "true" });
  });

  test("a certificate for another name is not trusted", async () => {
    const certificate = makeCertificate("DNS:elsewhere.lan");
    const device = await startDevice(undefined, certificate);
    const output = httpOutput(`${device.place}/x`, { access: { ca_file: certificate.certFile } });
    expect(await sendOnce(output)).toMatchObject({
      kind: "unanswered",
      message: expect.stringContaining("its certificate is for another name"),
      mayHaveArrived: false,
    });
  });

  test("http at a port that speaks TLS, and https at one that does not, are said", async () => {
    const [plain, secure] = [
      await startDevice(),
      await startDevice(undefined, makeCertificate("IP:127.0.0.1")),
    ];
    const swapped = [plain.place.replace("http", "https"), secure.place.replace("https", "http")];
    const events = await Promise.all(swapped.map((place) => sendOnce(httpOutput(`${place}/x`))));
    expect(events[0]).toMatchObject({
      kind: "unanswered",
      message: expect.stringContaining("is it http://"),
      mayHaveArrived: false,
    });
    expect(events[1]).toMatchObject({ kind: "unanswered", mayHaveArrived: true });
  });

  test.each([
    ["no certificate", "holds no certificate"],
    [null, "cannot be read: it does not exist"],
  ])("a ca_file with %j is refused", async (content, words) => {
    const ca_file = content === null ? "/nowhere/ca.pem" : fileWith(content);
    expect(await sendOnce(httpOutput("https://127.0.0.1:9/x", { access: { ca_file } }))).toMatchObject({
      kind: "refused",
      message: expect.stringContaining(`tls.ca_file ${ca_file} ${words}`),
    });
  });
});
