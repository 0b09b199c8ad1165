import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import mqtt from "mqtt";
import { afterAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { freePort } from "../support/ports.ts";
import { createCleanup } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`the broker of compose.yaml ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("lets in who knows the password of the one secret file, and nobody else", async () => {
    const folder = await cleanup.createFolder();
    const port = await freePort();
    const password = "rain $HOME 'in' \"Spain\"";
    await writeFile(join(folder, "secret"), `${password}\n`);
    await mkdir(join(folder, "data"));
    const child = spawn("sh", ["-c", await script(folder, port)], {
      env: { PATH: `${process.env["PATH"]}:/usr/sbin`, VIGIE_USERNAME: "vigie" },
      stdio: "ignore",
    });
    cleanup.add(async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    });

    const connect = () =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: "vigie", password, reconnectPeriod: 0 });
    const client = await vi.waitFor(connect, { timeout: PATIENCE });
    client.on("error", () => undefined);
    await client.publishAsync("vigie/now/color", "rouge", { qos: 1, retain: true });
    await client.endAsync();
    for (const wrong of [{}, { username: "vigie", password: "no" }]) {
      await expect(
        mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { ...wrong, reconnectPeriod: 0 }),
      ).rejects.toThrow(/not authorized|bad user/i);
    }
    const passwords = join(folder, "tmp", "passwords");
    expect(await readFile(passwords, "utf8")).toMatch(/^vigie:\$\d\$/);
    expect((await stat(passwords)).mode & 0o077).toBe(0);
  });
});

/** What compose.yaml has the container do, in a folder and on a port of one's own. */
async function script(folder: string, port: number): Promise<string> {
  const text = await readFile(join(import.meta.dirname, "..", "..", "compose.yaml"), "utf8");
  const [, , words]: string[] = parse(text).services.mosquitto.command;
  await mkdir(join(folder, "tmp"));
  const asMe = process.getuid?.() === 0 ? "'user root' " : "";
  return (words ?? "")
    .replaceAll("$$", "$")
    .replaceAll("/tmp/", `${join(folder, "tmp")}/`)
    .replaceAll("/run/secrets/mqtt", join(folder, "secret"))
    .replaceAll("/mosquitto/data/", `${join(folder, "data")}/`)
    .replace("'listener 1883'", `${asMe}'listener ${port} 127.0.0.1'`);
}
