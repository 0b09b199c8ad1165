import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  askOnce,
  fileWith,
  httpOutput,
  manualClock,
  openSink,
  sendOf,
  sendOnce,
  startDevice,
  temporaryFolder,
} from "./devices.ts";

const HARD = "a b&c=ü\n{secret}/../?#%$&";
const ENCODED = encodeURIComponent(HARD);

describe("a sending by GET", () => {
  test("has the payload, the id and the secret percent-encoded in path and query, and no body", async () => {
    const device = await startDevice();
    const url = `${device.place}/relay/{payload}/{id}?turn={payload}&key={secret}&fixed=%41`;
    const output = httpOutput(url, { access: { secret_file: fileWith("s&cr{payload}\n") } });
    expect(await sendOnce(output, HARD)).toEqual({ kind: "acknowledged", number: 1 });
    const [request] = device.heard;
    expect(request?.method).toBe("GET");
    expect(request?.url).toBe(`/relay/${ENCODED}/id-1?turn=${ENCODED}&key=s%26cr%7Bpayload%7D&fixed=%41`);
    expect(request?.body).toBe("");
    expect(request?.headers).toMatchObject({ "user-agent": "vigie/1.2.3", connection: "close" });
    expect(request?.headers).not.toHaveProperty("content-type");
    expect(request?.headers).not.toHaveProperty("cookie");
  });

  test("stays in its folder when the payload is two dots", async () => {
    const device = await startDevice();
    await sendOnce(httpOutput(`${device.place}/relay/{payload}/x`), "..");
    expect(device.heard[0]?.url).toBe("/relay/../x");
  });

  test("goes out with a payload that is half of a letter", async () => {
    const device = await startDevice();
    expect(await sendOnce(httpOutput(`${device.place}/{payload}`), "\ud83d")).toMatchObject({
      kind: "acknowledged",
    });
    expect(device.heard[0]?.url).toBe("/%EF%BF%BD");
  });
});

describe("a sending with a body", () => {
  test("is the payload as text, however it is written", async () => {
    const device = await startDevice();
    await sendOnce(httpOutput(`${device.place}/set`, { to: { method: "POST" } }), HARD);
    const [request] = device.heard;
    expect(request).toMatchObject({ method: "POST", url: "/set", body: HARD });
    expect(request?.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  test("is JSON where the payload was written as an object", async () => {
    const device = await startDevice();
    const output = httpOutput(`${device.place}/set`, { to: { method: "POST" } });
    await sendOnce(output, '{"a":1}');
    expect(device.heard[0]?.headers["content-type"]).toBe("application/json");
    expect(device.heard[0]?.body).toBe('{"a":1}');
  });

  test("goes by PUT, with the content type that is configured", async () => {
    const device = await startDevice();
    const to = { method: "PUT", content_type: "text/csv" } as const;
    await sendOnce(httpOutput(`${device.place}/set`, { to }), "1;2");
    expect(device.heard[0]).toMatchObject({ method: "PUT", body: "1;2" });
    expect(device.heard[0]?.headers["content-type"]).toBe("text/csv");
  });

  test.each(["POST", "PUT"] as const)(
    "has none by %s where the payload stands in the address",
    async (method) => {
      const device = await startDevice();
      await sendOnce(httpOutput(`${device.place}/set?to={payload}`, { to: { method } }), "on");
      expect(device.heard[0]).toMatchObject({ method, url: "/set?to=on", body: "" });
      expect(device.heard[0]?.headers["content-length"]).toBe("0");
      expect(device.heard[0]?.headers).not.toHaveProperty("content-type");
    },
  );

  test("may be an empty payload", async () => {
    const device = await startDevice();
    await sendOnce(httpOutput(`${device.place}/set`, { to: { method: "POST" } }), "");
    expect(device.heard[0]).toMatchObject({ body: "" });
    expect(device.heard[0]?.headers["content-length"]).toBe("0");
  });
});

describe("headers", () => {
  test("have the secret in its place, letter for letter", async () => {
    const device = await startDevice();
    const access = {
      headers: { Authorization: "Bearer {secret}", "X-Twice": "{secret}{secret}" },
      secret_file: fileWith("to$&ken\r\n"),
    };
    await sendOnce(httpOutput(`${device.place}/x`, { access }));
    expect(device.heard[0]?.headers).toMatchObject({
      authorization: "Bearer to$&ken",
      "x-twice": "to$&kento$&ken",
    });
  });

  test("have user and password of the address as Basic login, and the address has them no more", async () => {
    const device = await startDevice();
    const url = device.place.replace("//", "//us%20er:p%40ss%C3%BC@");
    await sendOnce(httpOutput(`${url}/x`));
    const login = Buffer.from("us er:p@ssü").toString("base64");
    expect(device.heard[0]).toMatchObject({ url: "/x", headers: { authorization: `Basic ${login}` } });
    expect(device.heard[0]?.headers.host).toBe(new URL(device.place).host);
  });

  test("go with a question to the same host, and to no other", async () => {
    const [device, other] = [await startDevice(), await startDevice()];
    const access = { headers: { "X-Key": "{secret}" }, secret_file: fileWith("k") };
    const ask = (sent: string) =>
      askOnce(httpOutput(`${sent}/x`, { access, confirmUrl: `${device.place}/state?k={secret}` }));
    await ask(device.place);
    await ask(other.place);
    await ask("http://192.0.2.40");
    await ask(device.place.replace("http:", "https:"));
    const keys = device.heard.map(({ headers }) => headers["x-key"]);
    expect(keys).toEqual(["k", "k", undefined, undefined]);
    expect(device.heard.map(({ url }) => url)).toEqual(Array(4).fill("/state?k=k"));
  });

  test("that are written out are masked if the device repeats them", async () => {
    const device = await startDevice((response, { headers }) => response.end(JSON.stringify(headers)));
    const url = `${device.place.replace("//", "//admin:hush%40home@")}/x`;
    const access = { headers: { Authorization2: "Bearer abcdefgh" } };
    const event = await askOnce(httpOutput(url, { access, confirmUrl: url }));
    expect(JSON.stringify(event)).toContain("***");
    expect(JSON.stringify(event)).not.toMatch(/abcdefgh|hush|YWRtaW46/);
  });

  test("go with a question about an output that is sent over MQTT", async () => {
    const device = await startDevice();
    const output = httpOutput(`${device.place}/x`, {
      access: { headers: { "X-Key": "k" } },
      confirmUrl: `${device.place}/state`,
    });
    const to = { kind: "mqtt", topic: "boiler/set", qos: 1, retain: false } as const;
    await askOnce({ ...output, to });
    expect(device.heard[0]?.headers).toMatchObject({ "x-key": "k" });
  });
});

describe("braces in a path that are no placeholder", () => {
  test("are sent as they are", async () => {
    const device = await startDevice();
    await sendOnce(httpOutput(`${device.place}/%7Bid%7D/{payload}?x=%7Bpayload%7D`), "on");
    expect(device.heard[0]?.url).toBe("/%7Bid%7D/on?x=%7Bpayload%7D");
  });
});

describe("the secret", () => {
  test("keeps in a path what may stand in one, so that a token is there as its service wrote it", async () => {
    const device = await startDevice();
    const secret_file = fileWith("123:A-b_c~.!$&'()*+,;=@/?#%{id} é");
    await sendOnce(httpOutput(`${device.place}/bot{secret}/send?key={secret}`, { access: { secret_file } }));
    expect(device.heard[0]?.url).toBe(
      "/bot123:A-b_c~.!$&'()*+,;=@%2F%3F%23%25%7Bid%7D%20%C3%A9/send?key=123%3AA-b_c~.!%24%26'()*%2B%2C%3B%3D%40%2F%3F%23%25%7Bid%7D%20%C3%A9",
    );
  });

  test.each([
    ["a mark of UTF-8 before it", "\uFEFFtoken\n", "token"],
    ["line breaks", "token\r\n\n", "token"],
  ])("is read without %s", async (_title, content, token) => {
    const device = await startDevice();
    await sendOnce(httpOutput(`${device.place}/{secret}`, { access: { secret_file: fileWith(content) } }));
    expect(device.heard[0]?.url).toBe(`/${token}`);
  });

  test("is read at each request", async () => {
    const device = await startDevice();
    const secret_file = fileWith("one");
    const output = httpOutput(`${device.place}/{secret}`, { access: { secret_file } });
    await sendOnce(output);
    writeFileSync(secret_file, "two\n");
    await sendOnce(output);
    expect(device.heard.map(({ url }) => url)).toEqual(["/one", "/two"]);
  });

  test("that is not there refuses a sending, and leaves a question without answer", async () => {
    const device = await startDevice();
    const access = { secret_file: "/nowhere/at/all" };
    const output = httpOutput(`${device.place}/{secret}`, {
      access,
      confirmUrl: `${device.place}/s/{secret}`,
    });
    const message =
      "secret_file /nowhere/at/all cannot be read: it does not exist; check its path, and that the user of vigie may read it";
    expect(await sendOnce(output)).toEqual({ kind: "refused", number: 1, message });
    expect(await askOnce(output)).toEqual({ kind: "no answer", number: 1, message });
    expect(device.heard).toEqual([]);
  });

  test("is not read from a file that is too long to be one", async () => {
    const secret_file = fileWith("x".repeat(2_000_000));
    const event = await sendOnce(httpOutput("http://127.0.0.1:9/{secret}", { access: { secret_file } }));
    expect(event).toMatchObject({ kind: "refused" });
    expect(event).toHaveProperty(
      "message",
      expect.stringContaining("cannot be read: it is larger than 1024 KB"),
    );
  });

  test("that is empty is refused", async () => {
    const secret_file = fileWith("\n");
    const event = await sendOnce(httpOutput("http://127.0.0.1:9/{secret}", { access: { secret_file } }));
    expect(event).toMatchObject({
      kind: "refused",
      message: `secret_file ${secret_file} is empty: write the secret into it`,
    });
  });

  test.each(["tok\nen", "tökén", "tok\u0000en", "tok\u007fen"])(
    "that no header can have is refused without being shown: %j",
    async (secret) => {
      const device = await startDevice();
      const access = { headers: { "X-Key": "{secret}" }, secret_file: fileWith(secret) };
      const event = await sendOnce(httpOutput(`${device.place}/x`, { access }));
      expect(event).toMatchObject({ kind: "refused" });
      expect(JSON.stringify(event)).not.toMatch(/tok|tök/);
      expect(device.heard).toEqual([]);
    },
  );

  test("that does not come within ten seconds leaves the sending for later", async () => {
    const { clock, pass } = manualClock();
    const secret_file = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [secret_file]);
    // Somebody who could write, and does not.
    const writer = openSync(secret_file, "r+");
    const sink = openSink([httpOutput("http://127.0.0.1:9/{secret}", { access: { secret_file } })], {
      clock,
    });
    sink.show([sendOf(1)], []);
    await pass(10_000);
    closeSync(writer);
    expect(await sink.posted(1)).toMatchObject([
      {
        kind: "unanswered",
        message: "secret_file or tls.ca_file cannot be read within 10 s",
        mayHaveArrived: false,
      },
    ]);
  });

  test("that nothing asks for is not read", async () => {
    const device = await startDevice();
    const access = { secret_file: "/nowhere" };
    expect(await sendOnce(httpOutput(`${device.place}/x`, { access }))).toMatchObject({
      kind: "acknowledged",
    });
  });
});

test("no proxy of the environment is used", async () => {
  const [device, proxy] = [await startDevice(), await startDevice()];
  const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : proxy.place;
  try {
    expect(await sendOnce(httpOutput(`${device.place}/x`))).toMatchObject({ kind: "acknowledged" });
  } finally {
    names.forEach((name, index) => {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    });
  }
  expect(proxy.connections.count).toBe(0);
});
