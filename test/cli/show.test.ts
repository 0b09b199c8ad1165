import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { healthPath, writeHealth } from "../../src/app/health-file.ts";
import { show } from "../../src/cli/show.ts";
import { folderWith } from "../config/folder.ts";
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

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
