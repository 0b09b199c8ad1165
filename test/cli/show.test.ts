import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { healthPath, writeHealth } from "../../src/app/health-file.ts";
import { show } from "../../src/cli/show.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { folderWith } from "../config/folder.ts";
import { onBusyMachine } from "../support/patience.ts";
import { runCommand } from "../support/run-command.ts";

afterEach(() => vi.unstubAllEnvs());

test("vigie show says to start vigie where nothing answers in place of its embedded broker", async () => {
  const cwd = await folderWith({ "config/vigie.yaml": "mqtt: { url: embedded }\n" });
  vi.stubEnv("TMPDIR", cwd);
  const port = await freePort();
  // What a vigie that has ended leaves behind.
  await writeHealth(await healthPath(join(cwd, "state"), {}), {
    at: 0,
    pid: process.pid,
    broker: { connected: true, url: `mqtt://127.0.0.1:${port}`, port },
    data: { last_success: null, newest: null, official_success: null, service: "invented" },
  });
  expect(await runCommand((io) => show([], io), { cwd })).toEqual({
    code: 1,
    out: "",
    err: `vigie show: No vigie runs with this configuration: its embedded broker does not answer at mqtt://127.0.0.1:${port}, and its last report is of 1970-01-01 01:00. Start vigie first, or name the configuration file of the vigie that runs (--config)\n`,
  });
});

test("vigie show says of a broker that is away what the running vigie says of it", async () => {
  const url = `mqtt://127.0.0.1:${await freePort()}`;
  const cwd = await folderWith({
    "config/vigie.yaml": `service: { base_url: "https://192.0.2.1" }\nmqtt: { url: "${url}" }\n`,
  });
  vi.stubEnv("TMPDIR", cwd);
  const write = async (connected: boolean) =>
    writeHealth(await healthPath(join(cwd, "state"), {}), {
      at: systemClock.now(),
      pid: process.pid,
      broker: { connected, url, port: null },
      data: { last_success: null, newest: null, official_success: null, service: "real" },
    });
  const away = `vigie show: The broker at ${url} is not listening (connection refused). Check that it is running and that the port is right`;
  await write(true);
  expect(await runCommand((io) => show([], io), { cwd })).toMatchObject({ code: 1, err: `${away}\n` });
  await write(false);
  expect(await runCommand((io) => show([], io), { cwd })).toMatchObject({
    code: 1,
    err: `${away}. problem: broker: the running vigie has not reached ${url}, so no device can be commanded\n`,
  });
});

test.concurrent.each([
  ["nothing", Buffer.of()],
  ["nothing but that the connection is made", Buffer.of(0x20, 3, 0, 0, 0)],
])(
  "vigie show ends after ten seconds at a broker that takes the connection and answers %s",
  async (_, answer) => {
    const server = createServer((socket) => socket.on("error", () => undefined).write(answer)).listen(
      0,
      "127.0.0.1",
    );
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `mqtt://127.0.0.1:${port}`;
    const cwd = await folderWith({
      "config/vigie.yaml": `service: { base_url: "https://192.0.2.1" }\nmqtt: { url: "${url}" }\n`,
    });
    const began = performance.now();
    expect(await runCommand((io) => show([], io), { cwd })).toEqual({
      code: 1,
      out: "",
      err: `vigie show: The broker at ${url} has not answered within 10 s. Check that it is not frozen or overloaded, and that the port is that of a broker\n`,
    });
    expect(performance.now() - began).toBeLessThan(onBusyMachine(13_000));
  },
);

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
