import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { DueQuestion, DueSend } from "../../src/core/outputs/due-send.ts";
import type { HttpAccess, HttpTarget, Output } from "../../src/core/outputs/output.ts";
import type { OutputsEvent } from "../../src/core/outputs/take-outputs.ts";
import { createHttpDeviceSink } from "../../src/http-devices/http-device-sink.ts";
import type { RequestDevice } from "../../src/http-devices/request-device.ts";
import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";
import { passTurns } from "../support/turns.ts";

export interface Heard {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

type Answer = (response: ServerResponse, request: Heard, count: number) => void;

/** A device on this machine that answers as the test says; gone when the test ends. */
export async function startDevice(
  answer: Answer = (response) => response.end(),
  tls?: { key: string; cert: string },
) {
  const heard: Heard[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    const one = { method, url, headers, body };
    heard.push(one);
    answer(response, one, heard.length);
  };
  const server = tls ? createHttpsServer(tls, listener) : createHttpServer(listener);
  const { port, connections } = await listen(server);
  return { place: `${tls ? "https" : "http"}://127.0.0.1:${port}`, port, heard, connections };
}

/** Speaks whatever the test says over each connection. */
export async function startTcp(speak: (socket: Socket) => void) {
  const server = createTcpServer((socket) => speak(socket.on("error", () => undefined)));
  const { port, connections } = await listen(server);
  return { place: `http://127.0.0.1:${port}`, port, connections };
}

async function listen(server: Server) {
  const open = new Set<Socket>();
  const connections = { count: 0, open };
  server.on("connection", (socket) => {
    connections.count += 1;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

interface OutputParts {
  id?: string;
  to?: Partial<HttpTarget>;
  access?: Partial<HttpAccess>;
  confirmUrl?: string;
}

/** An output whose address is this one. */
export function httpOutput(url: string, { id = "boiler", to, access, confirmUrl }: OutputParts = {}): Output {
  return {
    id,
    name: { fr: id, en: id },
    language: "en",
    key: id,
    to: { kind: "http", place: new URL(url).origin, url, method: "GET", ...to },
    ...(access && { access: { headers: {}, ...access } }),
    message: false,
    choose: [],
    ...(confirmUrl && {
      confirm: {
        from: { kind: "http" as const, place: new URL(confirmUrl).origin, url: confirmUrl },
        every: 30_000,
        for: 300_000,
        keep: false,
      },
    }),
  };
}

export function sendOf(number: number, payload = "on", output = "boiler"): DueSend {
  return { number, output, payload, by: { kind: "http", id: `id-${number}` } };
}

export function questionOf(number: number, output = "boiler"): DueQuestion {
  return { number, output };
}

interface SinkParts {
  clock?: ClockWithTimers;
  request?: RequestDevice;
}

export function openSink(list: Output[], { clock = systemClock, request }: SinkParts = {}) {
  const events: OutputsEvent[] = [];
  const sink = createHttpDeviceSink({
    outputs: { list, dry_when_simulated: false },
    version: "1.2.3",
    clock,
    post: (event) => events.push(event),
    ...(request && { request }),
  });
  onTestFinished(sink.stop);
  return {
    ...sink,
    events,
    /** Resolves when this many events were posted. */
    posted: async (count: number) => {
      await expect.poll(() => events.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
      return events;
    },
  };
}

/** Sends one payload, and resolves with what came of it. */
export async function sendOnce(output: Output, payload = "on", parts: SinkParts = {}) {
  const sink = openSink([output], parts);
  sink.show([sendOf(1, payload, output.id)], []);
  const [event] = await sink.posted(1);
  await sink.stop();
  return event;
}

/** Asks once, and resolves with what came of it. */
export async function askOnce(output: Output, parts: SinkParts = {}) {
  const sink = openSink([output], parts);
  sink.show([], [questionOf(1, output.id)]);
  const [event] = await sink.posted(1);
  await sink.stop();
  return event;
}

/** A clock that stands still but when the test lets time pass. */
export function manualClock() {
  let steady = 0;
  const waits = new Set<{ due: number; run: () => void }>();
  const clock: ClockWithTimers = {
    now: () => Date.UTC(2026, 0, 5, 10) + steady,
    steady: () => steady,
    after: (milliseconds, run) => {
      const wait = { due: steady + milliseconds, run };
      waits.add(wait);
      return () => waits.delete(wait);
    },
    atRealPace: (answer) => answer,
  };
  const pass = async (milliseconds: number) => {
    const to = steady + milliseconds;
    await settled();
    for (;;) {
      const [next] = [...waits].filter(({ due }) => due <= to).sort((one, other) => one.due - other.due);
      if (!next) break;
      waits.delete(next);
      steady = next.due;
      next.run();
      await settled();
    }
    steady = to;
  };
  return { clock, pass };
}

/** Resolves when all has happened that needs neither time nor the network. */
export function settled(): Promise<void> {
  return passTurns(20);
}

export function fileWith(content: string, name = "secret"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vigie-http-devices-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A key, and a certificate that is signed by itself. */
export function makeCertificate(name: string): { key: string; cert: string; certFile: string } {
  const folder = temporaryFolder();
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30".split(" ");
  const subject = ["-subj", "/CN=device", "-addext", `subjectAltName=${name}`];
  execFileSync("openssl", [...request, "-keyout", keyFile, "-out", certFile, ...subject], {
    stdio: "ignore",
  });
  const read = (path: string) => readFileSync(path, "utf8");
  return { key: read(keyFile), cert: read(certFile), certFile };
}
