import { afterEach, describe, expect, test } from "vitest";
import { HTTP_DEVICES, startHttpRelay } from "./http-devices.ts";
import { MESSENGERS, startMessenger } from "./messengers.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

interface Request {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A body of JSON. */
const JSON_TYPE = { "content-type": "application/json" };

async function startRelay(title: string, password?: string) {
  const relay = await startHttpRelay(HTTP_DEVICES[title]!, password);
  stops.push(relay.stop);
  return relay;
}

async function startService(title: string) {
  const documented = MESSENGERS[title]!();
  const messenger = await startMessenger(documented);
  stops.push(messenger.stop);
  return { ...messenger, token: documented.token };
}

async function ask(url: string, { path, method = "GET", headers = {}, body }: Request) {
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, text: await response.text() };
}

const RELAYS: [title: string, off: Request, state: Request, says: RegExp][] = [
  ["Shelly, first generation", { path: "/relay/0?turn=off" }, { path: "/relay/0" }, /"ison":false/],
  [
    "Shelly, second generation and later",
    { path: "/rpc/Switch.Set?id=0&on=false" },
    { path: "/rpc/Switch.GetStatus?id=0" },
    /"output":false/,
  ],
  ["Tasmota", { path: "/cm?cmnd=Power%20off" }, { path: "/cm?cmnd=Power" }, /^\{"POWER":"OFF"\}$/],
  [
    "ESPHome",
    { path: "/switch/Boiler%20relay/turn_off", method: "POST" },
    { path: "/switch/Boiler%20relay" },
    /"state":"OFF","value":false/,
  ],
  ["OpenBeken", { path: "/cm?cmnd=POWER%20OFF" }, { path: "/cm?cmnd=POWER" }, /^\{"POWER":"OFF"\}$/],
];

describe("a relay over HTTP", () => {
  test("there is one of each kind here", () => {
    expect(RELAYS.map(([title]) => title)).toEqual(Object.keys(HTTP_DEVICES));
  });

  test.each(RELAYS)(
    "%s: is switched, says so, and is ON after a power cut",
    async (title, off, state, says) => {
      const relay = await startRelay(title);
      expect(relay.isOn()).toBe(true);
      expect(await ask(relay.url, off)).toMatchObject({ status: 200 });
      expect(relay.isOn()).toBe(false);
      expect(await ask(relay.url, state)).toMatchObject({ status: 200, text: expect.stringMatching(says) });
      await relay.cutPower();
      await expect(ask(relay.url, state)).rejects.toThrow();
      await relay.returnPower();
      expect((await ask(relay.url, state)).text).not.toMatch(says);
      expect(relay.refused).toEqual([]);
    },
  );

  const REFUSED: [title: string, request: Request, status: number][] = [
    ["Shelly, first generation", { path: "/relay/0?turn=OFF" }, 400],
    ["Shelly, first generation", { path: "/relay/7" }, 404],
    ["Shelly, second generation and later", { path: "/rpc/Switch.Set?id=0&on=off" }, 500],
    ["Shelly, second generation and later", { path: "/rpc/Switch.Set?on=false" }, 500],
    ["Shelly, second generation and later", { path: "/rpc/Switch.Off?id=0" }, 404],
    ["Tasmota", { path: "/cm?cmnd=Power%20aus" }, 200],
    ["Tasmota", { path: "/?cmnd=Power%20off" }, 404],
    ["ESPHome", { path: "/switch/Boiler%20relay/turn_off" }, 405],
    ["ESPHome", { path: "/switch/boiler_relay/turn_off", method: "POST" }, 404],
    [
      "ESPHome",
      {
        path: "/switch/Boiler%20relay/turn_off",
        method: "POST",
        body: "off",
        headers: { "content-type": "text/plain" },
      },
      400,
    ],
    ["OpenBeken", { path: "/cm" }, 200],
  ];

  test.each(REFUSED)("%s refuses %o with %i, and stays ON", async (title, request, status) => {
    const relay = await startRelay(title);
    expect(await ask(relay.url, request)).toMatchObject({ status });
    expect(relay.isOn()).toBe(true);
    expect(relay.refused).toHaveLength(1);
  });

  test.each(RELAYS)("%s: obeys nobody without its password", async (title, off) => {
    const relay = await startRelay(title, "s3cret");
    const { status, text } = await ask(relay.url, off);
    expect(title === "Tasmota" ? text : status).toEqual(
      title === "Tasmota" ? expect.stringContaining("WARNING") : 401,
    );
    expect(relay.isOn()).toBe(true);
    expect(relay.refused).toHaveLength(1);
  });

  test.each(["Shelly, first generation", "ESPHome", "OpenBeken"])("%s: Basic opens it", async (title) => {
    const relay = await startRelay(title, "s3cret");
    const [, off] = RELAYS.find(([name]) => name === title)!;
    const authorization = `Basic ${Buffer.from("admin:s3cret").toString("base64")}`;
    expect(await ask(relay.url, { ...off, headers: { authorization } })).toMatchObject({ status: 200 });
    expect(relay.isOn()).toBe(false);
  });

  test("Tasmota: user and password in the address open it", async () => {
    const relay = await startRelay("Tasmota", "s3 cret");
    const path = "/cm?user=admin&password=s3%20cret&cmnd=Power%20OFF";
    expect(await ask(relay.url, { path })).toMatchObject({ status: 200, text: '{"POWER":"OFF"}' });
  });
});

const SENT: Record<string, (token: string) => Request> = {
  ntfy: (token) => ({ path: `/${token}`, method: "POST", body: "rouge" }),
  Gotify: (token) => ({
    path: "/message",
    method: "POST",
    headers: { ...JSON_TYPE, "x-gotify-key": token },
    body: '{"message":"rouge","priority":5}',
  }),
  Telegram: (token) => ({
    path: `/bot${encodeURIComponent(token)}/sendMessage`,
    method: "POST",
    headers: JSON_TYPE,
    body: '{"chat_id":123456789,"text":"rouge"}',
  }),
  Matrix: (token) => ({
    path: "/_matrix/client/v3/rooms/!abcdefg:example.org/send/m.room.message/1",
    method: "PUT",
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    body: '{"msgtype":"m.text","body":"rouge"}',
  }),
  Signal: () => ({
    path: "/v2/send",
    method: "POST",
    headers: JSON_TYPE,
    body: '{"message":"rouge","number":"+33600000001","recipients":["+33600000002"]}',
  }),
  "Home Assistant": (token) => ({
    path: `/api/webhook/${token}`,
    method: "POST",
    headers: JSON_TYPE,
    body: '{"message":"rouge"}',
  }),
};

describe("a service that delivers messages", () => {
  test.each(Object.keys(MESSENGERS))("%s: delivers what its documentation allows", async (title) => {
    const service = await startService(title);
    const { status } = await ask(service.url, SENT[title]!(service.token));
    expect(status).toBe(title === "Signal" ? 201 : 200);
    expect(service.delivered).toEqual(["rouge"]);
    expect(service.refused).toEqual([]);
  });

  test.each(Object.keys(MESSENGERS).filter((title) => title !== "Signal"))(
    "%s: delivers nothing with another token",
    async (title) => {
      const service = await startService(title);
      await ask(service.url, SENT[title]!("another"));
      expect(service.delivered).toEqual([]);
      expect(service.refused).toHaveLength(1);
    },
  );

  test.each(Object.keys(MESSENGERS).filter((title) => title !== "ntfy"))(
    "%s: delivers nothing of a plain text",
    async (title) => {
      const service = await startService(title);
      const { headers, ...sent } = SENT[title]!(service.token);
      const plain = { ...headers, "content-type": "text/plain" };
      await ask(service.url, { ...sent, headers: plain, body: "rouge" });
      expect(service.delivered).toEqual([]);
      expect(service.refused).toHaveLength(1);
    },
  );

  test("a request that is lost is not delivered, one whose answer is lost is; Matrix knows it when it comes again", async () => {
    const service = await startService("Matrix");
    const sent = SENT["Matrix"]!(service.token);
    service.loseRequests(1);
    await expect(ask(service.url, sent)).rejects.toThrow();
    expect(service.delivered).toEqual([]);
    service.loseAnswers(1);
    await expect(ask(service.url, sent)).rejects.toThrow();
    expect(await ask(service.url, sent)).toMatchObject({ status: 200 });
    expect(service.delivered).toEqual(["rouge"]);
  });
});
