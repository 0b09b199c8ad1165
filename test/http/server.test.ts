import { once } from "node:events";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PageView } from "../../src/http/page-view.ts";
import type { Route } from "../../src/http/routes.ts";
import { knownDaysOf, official } from "../support/known-days.ts";
import { LONG } from "../support/long.ts";
import { freePort } from "../support/ports.ts";
import { lacking } from "../support/prepared.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { viewOf } from "../support/views.ts";
import { ask, connectRaw, type Reply, startServer } from "./running-server.ts";
import { viewWith } from "./view-with.ts";

const SECURITY = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

const withoutIpv6 = lacking(hasIpv6(), "(this machine has no address ::1)");

/** Counts how often it was rendered. */
function countingRoutes() {
  const rendered: string[] = [];
  const words: Route = {
    path: "/",
    type: "text/html; charset=utf-8",
    variesBy: ["language", "query"],
    render: ({ instance }, { language, query }) => {
      const text = `${instance} ${language} ${query.get("q")}`;
      rendered.push(text);
      return text;
    },
  };
  return { rendered, routes: [words] };
}

describe("what is asked for", () => {
  test("is answered with the state, the health and a sign of life, and with nothing else", async () => {
    const health = { healthy: true, words: "vigie runs; broker reached" };
    const { port } = await startServer({ health: () => health });
    const state = await ask(port, "/api/state");
    expect(state).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    expect(JSON.parse(state.body)).toMatchObject({ instance: "vigie", now: { color: "rouge" } });
    expect(await ask(port, "/health")).toMatchObject({
      status: 200,
      body: "vigie runs; broker reached\n",
      headers: { "cache-control": "no-store" },
    });
    Object.assign(health, { healthy: false, words: "broker not reached" });
    expect(await ask(port, "/health")).toMatchObject({ status: 503, body: "broker not reached\n" });
    expect(await ask(port, "/alive")).toMatchObject({ status: 200, body: "alive\n" });
  });

  test.each([
    ...["/api", "/api/state/", "//api/state", "/../api/state", "/api/../api/state", "/api/./state"],
    ...["/%00", "/api/state%00", "/%2e%2e/etc/passwd", "/api%2fstate", "/API/STATE", "/favicon.ico"],
    ...["http://evil.example/api/state", "*", "/events", "/api/../health", "/__proto__", "/constructor"],
  ])("is nothing at %s", async (path) => {
    const { port } = await startServer();
    expect(await ask(port, path)).toMatchObject({ status: 404, headers: SECURITY });
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "is not done with %s",
    async (method) => {
      const { port } = await startServer();
      for (const path of ["/api/state", "/nothing"]) {
        expect(await ask(port, path, { method })).toMatchObject({
          status: 405,
          headers: { allow: "GET, HEAD", ...SECURITY },
        });
      }
    },
  );

  test("may be at most 2048 characters long, with headers of at most 16 KB", async () => {
    const { port } = await startServer();
    expect((await ask(port, `/api/state?${"q".repeat(2037)}`)).status).toBe(200);
    expect((await ask(port, `/api/state?${"q".repeat(2038)}`)).status).toBe(414);
    expect((await ask(port, "/api/state", { headers: { cookie: "c".repeat(20_000) } })).status).toBe(431);
  });

  test.each(["/api/state", "/alive", "/health", "/nothing"])(
    "with HEAD is %s without its body",
    async (path) => {
      const { port } = await startServer();
      const whole = await ask(port, path);
      const head = await ask(port, path, { method: "HEAD" });
      const { date: _, ...headers } = whole.headers;
      expect(head).toMatchObject({ status: whole.status, body: "", headers });
      expect(Number(head.headers["content-length"])).toBe(Buffer.byteLength(whole.body));
    },
  );

  test("with a range is the whole", async () => {
    const { port } = await startServer();
    const whole = await ask(port, "/api/state");
    expect(await ask(port, "/api/state", { headers: { range: "bytes=0-3" } })).toMatchObject({
      status: 200,
      body: whole.body,
    });
  });

  test("is refused kindly while nothing was shown yet", async () => {
    const { port, show } = await startServer();
    show(undefined);
    expect(await ask(port, "/api/state")).toMatchObject({ status: 503, body: "vigie is starting\n" });
  });

  test("is logged once where it cannot be shown, and the others are", async () => {
    let isBroken = true;
    const render = () => {
      if (isBroken) throw new Error("no such colour");
      return "well";
    };
    const routes = [{ path: "/broken", type: "text/plain", variesBy: [], render }];
    const { port, lines } = await startServer({ routes });
    for (const _ of [1, 2]) {
      expect(await ask(port, "/broken")).toMatchObject({ status: 500, headers: SECURITY });
    }
    expect((await ask(port, "/alive")).status).toBe(200);
    isBroken = false;
    expect((await ask(port, "/broken")).body).toBe("well");
    expect(lines.slice(1)).toEqual([
      "/broken cannot be shown: Error: no such colour",
      "/broken can be shown again, after 0 s",
    ]);
  });
});

describe("a text", () => {
  test("has headers that forbid whatever is not its own, and is asked for again each time", async () => {
    const { port } = await startServer();
    const { headers } = await ask(port, "/api/state");
    expect(headers).toMatchObject({ ...SECURITY, "cache-control": "no-cache" });
    expect(Object.keys(headers)).not.toContain("access-control-allow-origin");
    expect(Object.keys(headers)).not.toContain("set-cookie");
  });

  test("that never changes under its name has the same headers, and may be kept", async () => {
    const { port } = await startServer();
    expect(await ask(port, "/page.js")).toMatchObject({
      status: 200,
      headers: { ...SECURITY, "cache-control": "public, max-age=31536000, immutable" },
    });
  });

  test("is dated by the clock of vigie, also where the browser has it", async () => {
    const clock = { at: Date.parse("2026-01-20T19:00:00Z") };
    const { port } = await startServer({ now: () => clock.at });
    const { headers } = await ask(port, "/api/state");
    expect(headers.date).toBe("Tue, 20 Jan 2026 19:00:00 GMT");
    clock.at += 60_000;
    const again = await ask(port, "/api/state", { headers: { "If-None-Match": headers.etag } });
    expect(again).toMatchObject({ status: 304, headers: { date: "Tue, 20 Jan 2026 19:01:00 GMT" } });
  });

  test("is not sent to a browser that has it, until it is another one", async () => {
    const { port, show } = await startServer();
    const { etag = "" } = (await ask(port, "/api/state")).headers;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const headers = { "if-none-match": known };
      expect(await ask(port, "/api/state", { headers })).toMatchObject({
        status: 304,
        body: "",
        headers: { etag, ...SECURITY },
      });
    }
    show(viewWith(new Map(), "other"));
    const later = await ask(port, "/api/state", { headers: { "if-none-match": etag } });
    expect(later.status).toBe(200);
    expect(later.headers.etag).not.toBe(etag);
  });

  test("is rendered again only when the view is another one", async () => {
    const { rendered, routes } = countingRoutes();
    const { loop } = openTestLoop({ clock: { at: Date.parse("2026-01-20T12:00:00Z") } });
    const heard = (payload: string) => ({ values: new Map([["level", { payload, at: 0 }]]) });
    const { port, show } = await startServer({ routes });
    const times = async (view: PageView) => {
      show(view);
      await ask(port, "/");
      return rendered.length;
    };
    const first = viewOf(loop, heard("50"));
    expect(await times(first)).toBe(1);
    expect(await times(first)).toBe(1);
    // A value that turns no rule.
    expect(await times(viewOf(loop, heard("51")))).toBe(2);
    expect(await times(viewOf(loop, { ...heard("51"), homeAssistant: "online" }))).toBe(3);
  });

  test("is rendered once for each view and variant, whoever asks", async () => {
    const { rendered, routes } = countingRoutes();
    const { port, show } = await startServer({ routes });
    const get = (query: string, language: string) =>
      ask(port, `/${query}`, { headers: { "accept-language": language } });
    const asked = [get("?q=1", "fr"), get("?q=1", "fr-FR,fr;q=0.9"), get("?q=1", "en"), get("?q=2", "fr")];
    const first = await Promise.all([...asked, get("?q=1", "fr")]);
    expect(first.map(({ body }) => body)).toEqual(
      ["fr 1", "fr 1", "en 1", "fr 2", "fr 1"].map((words) => `vigie ${words}`),
    );
    expect(new Set(first.map(({ headers }) => headers.etag)).size).toBe(3);
    expect(first[0]?.headers.vary).toBe("Accept-Language");
    expect(rendered).toHaveLength(3);
    show(viewWith(new Map(), "other"));
    expect((await get("?q=1", "fr")).body).toBe("other fr 1");
    expect(rendered).toHaveLength(4);
  });

  test.each([
    ["/", "La semaine", "The week"],
    ["/calendar.ics", "Jour rouge", "Rouge day"],
  ])("is another one in another language: %s", async (path, inFrench, inEnglish) => {
    const days = knownDaysOf({ "2026-01-20": official("rouge") });
    const { loop } = openTestLoop({ clock: { at: Date.parse("2026-01-20T12:00:00Z") }, days });
    const { port, show } = await startServer();
    show(viewOf(loop));
    const french = await ask(port, path, { headers: { "accept-language": "fr" } });
    const headers = { "accept-language": "en", "if-none-match": french.headers.etag };
    const english = await ask(port, path, { headers });
    const words = ({ body }: Reply) => [inFrench, inEnglish].filter((one) => body.includes(one));
    expect([words(french), words(english)]).toEqual([[inFrench], [inEnglish]]);
    expect([french, english].map((text) => text.headers.vary)).toEqual([
      "Accept-Language",
      "Accept-Language",
    ]);
  });

  test("is not kept for every query that somebody invents", async () => {
    const { rendered, routes } = countingRoutes();
    const { port } = await startServer({ routes });
    for (let query = 0; query <= 16; query += 1) await ask(port, `/?q=${query}`);
    await ask(port, "/?q=16");
    expect(rendered).toHaveLength(17);
    await ask(port, "/?q=0");
    expect(rendered).toHaveLength(18);
  });

  test("is not kept for long when nobody asks any more", async () => {
    const { rendered, routes } = countingRoutes();
    const { port } = await startServer({ routes, limits: { keep: 1 } });
    await ask(port, "/");
    await expect.poll(() => ask(port, "/").then(() => rendered.length)).toBeGreaterThan(1);
  });

  test.each([
    ["auto", "fr-CH, fr;q=0.9, en;q=0.8", "fr"],
    ["auto", "de, en;q=0.5, fr;q=0.7", "fr"],
    ["auto", "en-GB,en", "en"],
    ["auto", "fr;q=0, en;q=0.1", "en"],
    ["auto", "de", "en"],
    ["auto", "", "en"],
    ["auto", "french, x-fr", "en"],
    ["fr", "en", "fr"],
    ["en", "fr", "en"],
  ] as const)(
    "is, with http.language: %s and a browser that likes %j, in %s",
    async (language, likes, shown) => {
      const { routes } = countingRoutes();
      const { port } = await startServer({ routes, config: { language } });
      const { body, headers } = await ask(port, "/", { headers: { "accept-language": likes } });
      expect(body).toContain(` ${shown} `);
      expect(headers.vary).toBe("Accept-Language");
    },
  );
});

describe("a name in Host", () => {
  const own = [
    "127.0.0.1",
    "192.168.1.7:8427",
    "[::1]",
    "[fe80::1]:8427",
    "localhost:8427",
    "nas",
    "LOCALHOST",
  ];
  const house = ["nas.local", "nas.lan:80", "nas.home.arpa", "vigie.internal", "nas.local."];
  test.each([...own, ...house, "vigie.example.org", "VIGIE.example.org:443"])(
    "%s is vigie's",
    async (host) => {
      const { port } = await startServer({ config: { hosts: ["vigie.example.org"] } });
      expect((await ask(port, "/alive", { headers: { host } })).status).toBe(200);
    },
  );

  const foreign = ["evil.example", "evil.example:8427", "localhost.evil.example", "127.0.0.1.evil.example"];
  const odd = [
    "notlocal.",
    "vigie.fritz.box",
    ".",
    "a b",
    "[evil]",
    "example.org",
    "xvigie.example.org",
    "evil.example/.local",
    "1.2.3",
  ];
  test.each([...foreign, ...odd.slice(1)])("%s is somebody else's", async (host) => {
    const { port } = await startServer({ config: { hosts: ["vigie.example.org"] } });
    for (const path of ["/alive", "/health", "/api/state", "/"]) {
      expect(await ask(port, path, { headers: { host } })).toMatchObject({ status: 421, headers: SECURITY });
    }
  });

  test("has to be there", async () => {
    const { port } = await startServer();
    await connectRaw(port, "GET /alive HTTP/1.1\r\n\r\n").hears(/^HTTP\/1.1 400 /);
    await connectRaw(port, "GET /alive HTTP/1.0\r\n\r\n").hears(/^HTTP\/1.1 421 /);
  });

  test("may be any one for a proxy, whose other requests are judged as all are", async () => {
    const proxies = [{ address: "127.0.0.2", prefix: 32, family: "ipv4" }] as const;
    const { port } = await startServer({ config: { proxies: [...proxies] } });
    const headers = { host: "home.example" };
    const proxy = { headers, localAddress: "127.0.0.2" };
    expect((await ask(port, "/alive", proxy)).status).toBe(200);
    expect((await ask(port, "/alive", { ...proxy, method: "POST" })).status).toBe(405);
    expect((await ask(port, "/alive", { headers })).status).toBe(421);
    const forwarded = { ...headers, "x-forwarded-for": "127.0.0.2", "x-forwarded-host": "localhost" };
    expect((await ask(port, "/alive", { headers: forwarded })).status).toBe(421);
  });
});

describe("while nothing is in force", () => {
  test("the page says why, in the language of the configuration, and nothing else is there but /alive and /health", async () => {
    const { port, show } = await startServer({ nothingInForce: ["x: wrong"], config: { language: "fr" } });
    show(undefined);
    const page = await ask(port, "/", { headers: { "accept-language": "en" } });
    expect(page).toMatchObject({
      status: 200,
      body: expect.stringContaining("<li><bdi>x: wrong</bdi></li>"),
      headers: { ...SECURITY, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    });
    expect(page.body).toContain("vigie ne fonctionne pas encore");
    // The script of the page asks for the page that takes its place.
    expect((await ask(port, "/page.js")).status).toBe(200);
    expect([(await ask(port, "/alive")).status, (await ask(port, "/health")).status]).toEqual([200, 200]);
    for (const path of ["/api/state", "/metrics", "/calendar.ics"])
      expect(await ask(port, path)).toMatchObject({ status: 503, body: "vigie is starting\n" });
  });
});

describe("http.allow", () => {
  const allow = [{ address: "127.0.0.2", prefix: 31, family: "ipv4" }] as const;

  test("lets in the peers that it names, and believes no header", async () => {
    const { port } = await startServer({ config: { allow: [...allow] } });
    const from = (localAddress: string, headers = {}) => ask(port, "/alive", { localAddress, headers });
    expect((await from("127.0.0.2")).status).toBe(200);
    expect((await from("127.0.0.3")).status).toBe(200);
    expect((await from("127.0.0.4")).status).toBe(403);
    expect(await from("127.0.0.1", { "x-forwarded-for": "127.0.0.2" })).toMatchObject({
      status: 403,
      body: "127.0.0.1 may not connect: it is not in http.allow\n",
      headers: SECURITY,
    });
  });

  test.skipIf(withoutIpv6)(`knows an IPv4 address in IPv6 form ${withoutIpv6}`, async () => {
    const port = await freePort();
    await startServer({ config: { listen: [{ host: null, port }], allow: [...allow] } });
    expect((await ask(port, "/alive", { localAddress: "127.0.0.2" })).status).toBe(200);
    expect((await ask(port, "/alive")).body).toMatch(/^127\.0\.0\.1 may not/);
    const ipv6 = await ask(port, "/alive", { host: "::1" });
    expect(ipv6.body).toMatch(/^::1 may not/);
  });

  test("counts at once for a connection that is open when it changes", async () => {
    const { port, configure } = await startServer();
    const request = "GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const connection = connectRaw(port, request);
    await connection.hears(/^HTTP\/1.1 200 [\s\S]*alive\n/);
    await configure({ allow: [...allow] });
    connection.socket.write(request);
    await connection.hears(/alive\nHTTP\/1.1 403 /);
    await connection.closed;
  });
});

describe("who may connect to one address of http.listen", () => {
  const only = [{ address: "127.0.0.2", prefix: 32, family: "ipv4" }] as const;

  test("is said there, and nobody else may, whatever http.allow says; other addresses go by http.allow", async () => {
    const [own, other] = [await freePort(), await freePort()];
    const listen = [
      { host: "127.0.0.1", port: own, allow: [...only] },
      { host: "127.0.0.1", port: other },
    ];
    const allow = [{ address: "127.0.0.3", prefix: 32, family: "ipv4" as const }];
    const { configure } = await startServer({ config: { listen } });
    const from = async (localAddress: string, port: number) =>
      (await ask(port, "/alive", { localAddress })).status;
    expect(await ask(own, "/alive")).toMatchObject({
      status: 403,
      body: "127.0.0.1 may not connect: it is not in http.listen\n",
    });
    expect([await from("127.0.0.2", own), await from("127.0.0.1", other)]).toEqual([200, 200]);
    await configure({ listen, allow });
    expect([await from("127.0.0.2", own), await from("127.0.0.3", own)]).toEqual([200, 403]);
    expect([await from("127.0.0.2", other), await from("127.0.0.3", other)]).toEqual([403, 200]);
    // The same address, with others who may: it is not closed meanwhile.
    await configure({ listen: [{ host: "127.0.0.1", port: own, allow }] });
    expect([await from("127.0.0.2", own), await from("127.0.0.3", own)]).toEqual([403, 200]);
  });
});

describe("somebody who takes his time", () => {
  test("with the headers is cut off, and others are answered meanwhile", async () => {
    const { port } = await startServer({ limits: { request: 300 } });
    const slow = Array.from({ length: 20 }, () =>
      connectRaw(port, "GET /alive HTTP/1.1\r\nHost: localhost\r\n"),
    );
    const dripping = setInterval(() => slow.forEach(({ socket }) => void socket.write("x")), 20);
    onTestFinished(() => clearInterval(dripping));
    expect((await ask(port, "/alive")).status).toBe(200);
    await Promise.all(slow.map(({ closed }) => closed));
    expect(slow.map(({ text }) => text().split("\r\n")[0])).toEqual(
      slow.map(() => "HTTP/1.1 408 Request Timeout"),
    );
  });

  test("and sends nothing at all is cut off", async () => {
    const { port } = await startServer({ limits: { request: 200 } });
    const { socket, closed } = connectRaw(port);
    socket.resume();
    await closed;
  });

  test("with a body is not waited for", async () => {
    const { port } = await startServer();
    for (const method of ["POST", "GET"]) {
      const head = `${method} /alive HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`;
      const sender = connectRaw(port, head);
      await sender.hears(method === "GET" ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 405 /);
      await sender.closed;
    }
    const chunked = "GET /alive HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n";
    const sender = connectRaw(port, chunked);
    await sender.hears(/^HTTP\/1.1 200 /);
    await sender.closed;
  });

  test("with reading is cut off", async () => {
    const body = "x".repeat(30_000_000);
    const routes = [{ path: "/", type: "text/plain", variesBy: [], render: () => body }];
    const { port } = await startServer({ routes, limits: { silence: 300, connections: 1, kept: 0 } });
    const { socket, closed } = connectRaw(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "connect");
    socket.pause();
    // There is room for another one when vigie has given this one up.
    await expect.poll(() => statusOf(port)).toBe(200);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(body.length);
  });
});

const MANY = LONG ? 1_000 : 300;

describe(`${MANY} connections of one peer at once`, () => {
  test("are answered, 192 of them, or closed, and then others are answered", async () => {
    // None of those that were answered makes room for another one meanwhile.
    const { port } = await startServer({ limits: { request: 200_000, silence: 200_000 } });
    const all = Array.from({ length: MANY }, () =>
      connectRaw(port, "GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    );
    const outcomes = await Promise.all(
      all.map(({ hears, closed }) =>
        Promise.race([hears(/"instance":"vigie"/).then(() => "answered"), closed.then(() => "closed")]).catch(
          () => "closed",
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "answered")).toHaveLength(192);
    for (const { socket } of all) socket.destroy();
    await expect.poll(() => statusOf(port)).toBe(200);
  });
});

describe("connections that say nothing", () => {
  const silent = (port: number, count: number) => Array.from({ length: count }, () => connectRaw(port));

  test("of one peer leave others their place, and are given back", async () => {
    const { port } = await startServer({ limits: { connections: 8, ofPeer: 5, kept: 1 } });
    const all = silent(port, 20);
    await Promise.all(all.slice(5).map(({ closed }) => closed));
    expect((await ask(port, "/alive", { localAddress: "127.0.0.2" })).status).toBe(200);
    expect(await statusOf(port)).toBe(0);
    for (const { socket } of all) socket.destroy();
    await expect.poll(() => statusOf(port)).toBe(200);
  });

  test("of those who may not connect leave the others their place", async () => {
    const allow = [{ address: "127.0.0.2", prefix: 32, family: "ipv4" as const }];
    const { port } = await startServer({
      limits: { connections: 8, ofStrangers: 5, kept: 1 },
      config: { allow },
    });
    const all = silent(port, 20);
    await Promise.all(all.slice(5).map(({ closed }) => closed));
    expect((await ask(port, "/alive", { localAddress: "127.0.0.2" })).status).toBe(200);
  });
});

describe("other peers that hold all places that they can", () => {
  const proxies = [{ address: "127.0.0.9", prefix: 32, family: "ipv4" as const }];
  const limits = { connections: 12, ofPeer: 8, kept: 2 };
  const [here, proxy, ...others] = ["127.0.0.1", "127.0.0.9", "127.0.0.2", "127.0.0.3"] as const;

  test.each([
    { peers: others, answered: [here, proxy] },
    { peers: [here, ...others], answered: [proxy] },
    { peers: [proxy, ...others], answered: [here] },
  ])("leave one to $answered: $peers", async ({ peers, answered }) => {
    const { port } = await startServer({ limits, config: { proxies } });
    for (const peer of peers) for (let count = 0; count < 20; count += 1) connectRaw(port, "", peer);
    await expect.poll(() => statusOf(port, "127.0.0.4")).toBe(0);
    for (const peer of answered) expect([peer, await statusOf(port, peer)]).toEqual([peer, 200]);
  });

  test("and read nothing of what is sent leave this machine and the proxy theirs", async () => {
    const body = "x".repeat(30_000_000);
    const routes = [{ path: "/", type: "text/plain", variesBy: [], render: () => body }];
    const { port } = await startServer({ limits, routes, config: { proxies } });
    for (const peer of others) {
      for (let count = 0; count < 20; count += 1) {
        connectRaw(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", peer).socket.pause();
      }
    }
    await expect.poll(() => statusOf(port, "127.0.0.4")).toBe(0);
    for (const peer of [here, proxy]) expect([peer, await statusOf(port, peer)]).toEqual([peer, 200]);
  });
});

describe("an address", () => {
  test.skipIf(withoutIpv6)(`may be one of IPv6 ${withoutIpv6}`, async () => {
    const port = await freePort();
    const { server } = await startServer({ config: { listen: [{ host: "::1", port }] } });
    expect((await ask(port, "/alive", { host: "::1" })).status).toBe(200);
    expect(server.addresses()).toEqual([`http://[::1]:${port}/`]);
  });

  test("may be all addresses, or several", async () => {
    const [everywhere, second] = [await freePort(), await freePort()];
    const listen = [
      { host: null, port: everywhere },
      { host: "127.0.0.3", port: second },
    ];
    const { server, lines } = await startServer({ config: { listen } });
    expect((await ask(everywhere, "/alive", { host: "127.0.0.9" })).status).toBe(200);
    expect((await ask(second, "/alive", { host: "127.0.0.3" })).status).toBe(200);
    await expect(ask(second, "/alive")).rejects.toThrow("ECONNREFUSED");
    expect(server.addresses()).toEqual([`http://127.0.0.1:${everywhere}/`, `http://127.0.0.3:${second}/`]);
    expect(lines).toContain(
      `The page is at http://127.0.0.1:${everywhere}/ and at every other address of this machine`,
    );
  });

  test("that is in use is said once, and tried again until it is free", async () => {
    const holder = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => holder.listen(port, "127.0.0.1", resolve));
    const { lines, server } = await startServer({ port, limits: { retryAfter: 20 } });
    expect(lines).toEqual([
      `The page cannot be served at 127.0.0.1:${port}: the port is in use there. It is tried again every 0 s; another address is set with http.listen`,
    ]);
    expect(server.addresses()).toEqual([]);
    await new Promise((resolve) => holder.close(resolve));
    await expect.poll(() => statusOf(port)).toBe(200);
    expect(lines.slice(1)).toEqual([`The page is at http://127.0.0.1:${port}/, after 0 s`]);
  });

  test("that is in use is another port in a first look", async () => {
    const first = await startServer();
    const second = await startServer({ port: first.port, nextPorts: true });
    const [address = ""] = second.server.addresses();
    const port = Number(/:(\d+)\//.exec(address)?.[1]);
    expect(port).toBeGreaterThan(first.port);
    expect((await ask(port, "/alive")).status).toBe(200);
    expect(second.lines).toEqual([`The page is at ${address}`]);
  });

  test("that this machine does not have is said, and tried again", async () => {
    const port = await freePort();
    const { lines } = await startServer({ config: { listen: [{ host: "192.0.2.1", port }] } });
    expect(lines).toEqual([
      expect.stringMatching(
        /^The page cannot be served at 192\.0\.2\.1:\d+: this machine does not have that address, or not yet\. It is tried again every 30 s/,
      ),
    ]);
  });

  test("that stays in the configuration keeps its connections; one that goes is closed, one that comes is opened", async () => {
    const { port, configure, config, lines } = await startServer();
    const alive = "GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const connection = connectRaw(port, alive);
    await connection.hears(/alive\n/);
    const second = { host: "127.0.0.3", port };
    await configure({ listen: [...config.listen, second], language: "fr" });
    expect((await ask(port, "/alive", { host: "127.0.0.3" })).status).toBe(200);
    expect(lines).toHaveLength(2);
    connection.socket.write(alive);
    await connection.hears(/alive\n[\s\S]*alive\n/);
    // All addresses: that of the first one is in the way until it is closed.
    await configure({ listen: [{ host: "0.0.0.0", port }] });
    await connection.closed;
    expect((await ask(port, "/alive", { host: "127.0.0.7" })).status).toBe(200);
    await configure({ listen: [] });
    await expect(ask(port, "/alive")).rejects.toThrow("ECONNREFUSED");
  });

  test("that comes while vigie stops is not opened", async () => {
    const { server, configure } = await startServer();
    const coming = await freePort();
    const configured = configure({ listen: [{ host: "127.0.0.1", port: coming }] });
    await server.stop();
    await configured;
    expect(server.addresses()).toEqual([]);
    await expect(ask(coming, "/alive")).rejects.toThrow("ECONNREFUSED");
  });

  test("is free again as soon as vigie stops, whatever is connected", async () => {
    const { port, server } = await startServer();
    const silent = Array.from({ length: 50 }, () => connectRaw(port));
    const waiting = connectRaw(port, "GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await waiting.hears(/alive\n/);
    await server.stop();
    await Promise.all([...silent, waiting].map(({ closed }) => closed));
    await expect(ask(port, "/alive")).rejects.toThrow("ECONNREFUSED");
    expect((await startServer({ port })).server.addresses()).toHaveLength(1);
  });
});

/** 0: the connection is refused or closed. */
function statusOf(port: number, localAddress = "127.0.0.1"): Promise<number> {
  return ask(port, "/alive", { localAddress }).then(
    ({ status }) => status,
    () => 0,
  );
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));
}
