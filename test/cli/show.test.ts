import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { healthPath, writeHealth } from "../../src/app/health-file.ts";
import { show } from "../../src/cli/show.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { settleable } from "../../src/runtime/wait.ts";
import { folderWith } from "../config/folder.ts";
import { PATIENCE } from "../support/patience.ts";
import { runCommand } from "../support/run-command.ts";
import { settled } from "../support/test-loop.ts";

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
    err: `${away}. problem: broker: the running vigie has not reached ${url}, so no device can be commanded over MQTT\n`,
  });
});

test.each([
  ["nothing", [Buffer.of()]],
  ["nothing but that the connection is made", [Buffer.of(0x20, 3, 0, 0, 0), Buffer.of()]],
])(
  "vigie show ends after ten seconds at a broker that takes the connection and answers %s",
  async (_, answers) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const left = [...answers];
    const hasSaidAll = settleable();
    const server = createServer((socket) => {
      socket
        .on("error", () => undefined)
        .on("data", () => {
          socket.write(left.shift() ?? Buffer.of());
          if (left.length === 0) hasSaidAll.settle();
        });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `mqtt://127.0.0.1:${port}`;
    const cwd = await folderWith({
      "config/vigie.yaml": `service: { base_url: "https://192.0.2.1" }\nmqtt: { url: "${url}" }\n`,
    });
    let ending: unknown = "waits";
    void runCommand((io) => show([], io), { cwd }).then((ended) => {
      ending = ended;
    });
    await hasSaidAll.promise;
    await vi.advanceTimersByTimeAsync(9_999);
    await settled();
    expect(ending).toBe("waits");
    await vi.advanceTimersByTimeAsync(1);
    // Such a broker does not answer a good-bye either. While `waitFor` looks, time goes on.
    await vi.waitFor(
      () =>
        expect(ending).toEqual({
          code: 1,
          out: "",
          err: `vigie show: The broker at ${url} has not answered within 10 s. Check that it is not frozen or overloaded, and that the port is that of a broker\n`,
        }),
      PATIENCE,
    );
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
