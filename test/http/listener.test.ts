import { createServer, type Server } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { openListener } from "../../src/http/listener.ts";
import { logTo } from "../support/logs.ts";
import { freePort } from "../support/ports.ts";
import { ask } from "./running-server.ts";

/** Listens at a port of 127.0.0.1, until the test has finished. */
function openAt(port: number) {
  const server = createServer((_, response) => response.end());
  const lines: string[] = [];
  const log = logTo(lines);
  const problemLog = createProblemLog(log, { now: () => 0, steady: () => 0 });
  const options = { server, retryAfter: 60_000, nextPorts: false, log, problemLog };
  const listener = openListener({ host: "127.0.0.1", port }, options);
  onTestFinished(listener.close);
  return { server, lines, listener };
}

/** Too many open files, as the server says it of a connection that it cannot take. */
function failToAccept(server: Server): void {
  server.emit("error", new Error("accept EMFILE"));
}

test("that no connection is accepted is over with the next one that is, and said again when it comes back", async () => {
  const port = await freePort();
  const { server, lines, listener } = openAt(port);
  await listener.tried;
  failToAccept(server);
  failToAccept(server);
  await ask(port, "/");
  failToAccept(server);
  const refused = `No connection is accepted at 127.0.0.1:${port}: accept EMFILE`;
  expect(lines.slice(1)).toEqual([
    refused,
    `Connections are accepted again at 127.0.0.1:${port}, after 0 s`,
    refused,
  ]);
});

test("an address that could not be had is said to be given up when the configuration has it no more", async () => {
  const port = await freePort();
  await openAt(port).listener.tried;
  const { lines, listener } = openAt(port);
  await listener.tried;
  await listener.close();
  expect(lines).toEqual([
    expect.stringMatching(/^The page cannot be served at /),
    `vigie does not try any more to serve the page at 127.0.0.1:${port}, after 0 s`,
  ]);
});

test("an address that is given up before it was tried is no problem", async () => {
  const port = await freePort();
  await openAt(port).listener.tried;
  const { lines, listener } = openAt(port);
  await Promise.all([listener.close(), listener.tried]);
  expect(lines).toEqual([]);
});
