import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Output } from "../../src/core/outputs/output.ts";
import type { RequestDevice } from "../../src/http-devices/request-device.ts";
import { NOBODY } from "../support/ports.ts";
import { askOnce, fileWith, httpOutput, sendOnce, startDevice, startTcp } from "./devices.ts";

/** Each stands in a place of its own, and is nowhere to be seen. */
const HOSTILE = {
  path: "PathToken",
  query: "QueryToken",
  user: "UserName",
  password: "Open%25Sesame",
  header: "HeaderValue",
};
const SECRETS = [
  "HushPlain",
  "Hush/../?#%zz&$&{payload}",
  "Hüsh\u{1f511}",
  "Hush\nSecond: line",
  "Hush\u0000",
];
const SEARCHED =
  /Hush|H%C3%BCsh|Hüsh|PathToken|QueryToken|UserName|Sesame|HeaderValue|PayloadText|DeviceWord/i;

/** What vigie writes by itself, beside the events. */
let written: unknown[] = [];
const hear = (warning: Error) => written.push(warning);

beforeEach(() => {
  written = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => {
      written.push(text);
      return true;
    });
  process.on("warning", hear);
});
afterEach(() => process.off("warning", hear));

function hostileOutput(place: string, secret: string, method: "GET" | "POST", inHeader: boolean): Output {
  const [scheme, host] = place.split("//");
  const address = `${scheme}//${HOSTILE.user}:${HOSTILE.password}@${host}/${HOSTILE.path}`;
  const url = `${address}/{secret}?token=${HOSTILE.query}&key={secret}`;
  return httpOutput(url, {
    to: { method },
    access: {
      secret_file: fileWith(secret, "file"),
      headers: { "X-Key": HOSTILE.header, ...(inHeader && { Authorization: "Bearer {secret}" }) },
    },
    confirmUrl: url,
  });
}

const tcp = (answer: string) => () =>
  startTcp((socket) => socket.once("data", (asked) => socket.end(answer.replace("ASKED", String(asked)))));
const failures: [string, () => Promise<{ place: string }>][] = [
  ["refused port", async () => ({ place: `http://${NOBODY}` })],
  ["refused port over TLS", async () => ({ place: `https://${NOBODY}` })],
  ["unknown name", async () => ({ place: "http://device.invalid" })],
  ["TLS that is none", async () => ({ place: (await startDevice()).place.replace("http", "https") })],
  ["end without a word", tcp("")],
  ["the request echoed, which is not HTTP", tcp("ASKED")],
  ["headers that echo the request and break off", tcp("HTTP/1.1 200 OK\r\nX: ASKED")],
  ["a half answer", tcp("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nASKED DeviceWord")],
  ...[301, 400, 401, 404, 418, 429, 500, 101].map((status): [string, () => Promise<{ place: string }>] => [
    `status ${status}, with the request echoed everywhere`,
    () =>
      startDevice((response, { url = "", headers }) => {
        const target = `http://HushPlain.DeviceWord.example${url}`;
        const echo = encodeURIComponent(`DeviceWord${url}${headers.authorization}`);
        response.writeHead(status, echo, { location: target, "retry-after": echo, "www-authenticate": echo });
        response.end(echo);
      }),
  ]),
  [
    "a long answer",
    () =>
      startDevice((response, { url = "" }) => {
        response.on("error", () => undefined);
        response.end(`DeviceWord${url}`.repeat(10_000));
      }),
  ],
];

describe("neither events nor anything written has a part of an address, a header, a secret, a payload or an answer", () => {
  test.each(failures)("with %s", async (_, start) => {
    const events: unknown[] = [];
    for (const secret of SECRETS)
      for (const [method, inHeader] of [
        ["GET", false],
        ["POST", true],
      ] as const) {
        const { place } = await start();
        const output = hostileOutput(place, secret, method, inHeader);
        events.push(await sendOnce(output, "PayloadText"), await askOnce(output));
      }
    expect(events).toHaveLength(4 * SECRETS.length);
    expect(inspect(events, { depth: 9 })).not.toMatch(SEARCHED);
    expect(inspect(written, { depth: 9 })).not.toMatch(SEARCHED);
  });

  test("with an error of vigie itself that holds the request", async () => {
    const request: RequestDevice = async (asked) => {
      throw new Error(inspect(asked));
    };
    const output = hostileOutput("http://192.0.2.40", "HushPlain", "POST", true);
    const events = [
      await sendOnce(output, "PayloadText", { request } as object),
      await askOnce(output, { request }),
    ];
    expect(events).toMatchObject([{ kind: "unanswered", mayHaveArrived: true }, { kind: "no answer" }]);
    expect(inspect(events)).not.toMatch(SEARCHED);
  });

  test("with a device that repeats its secrets where its state is asked for", async () => {
    for (const secret of SECRETS.filter((one) => !/[\n\0]/.test(one))) {
      const device = await startDevice((response) => {
        const said = [secret, encodeURIComponent(secret), "Open%Sesame"];
        response.end(JSON.stringify({ state: said }).replaceAll("H", "\\u0048"));
      });
      const event = await askOnce(hostileOutput(device.place, secret, "GET", false));
      expect(event).toMatchObject({ kind: "answer" });
      expect(inspect(event)).toContain("***");
      expect(inspect(event)).not.toMatch(SEARCHED);
    }
  });

  test("with headers that cannot be sent", async () => {
    const device = await startDevice();
    const headers = { "transfer-encoding": "HeaderValue", "X-Key": "Header\nValue" };
    const events = await Promise.all(
      Object.entries(headers).map(([name, value]) =>
        sendOnce(httpOutput(`${device.place}/PathToken`, { access: { headers: { [name]: value } } })),
      ),
    );
    expect(events).toMatchObject([{ kind: "refused" }, { kind: "refused" }]);
    expect(inspect(events)).not.toMatch(/HeaderValue|Value|PathToken/);
    expect(device.connections.count).toBe(0);
  });
});
