import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { disk, readOnly, withoutMounts } from "../support/disk.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

const missing = withoutMosquitto || withoutMounts;

describe.skipIf(missing)(`vigie setup on a disk that cannot be written ${missing}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const env = { VIGIE_CONFIG: "", LANG: "fr_FR.UTF-8" };

  test("is refused before anything is tried, if it is read-only", async () => {
    const folder = await cleanup.createFolder();
    await mkdir(join(folder, "config"));
    const args = ["setup", "--service", "none", "--broker", "mqtt://192.0.2.1"];
    const { code, stdout, stderr } = await runVigie({
      folder,
      env,
      args,
      through: readOnly(join(folder, "config")),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.replaceAll("\u00a0", " ")).toBe(
      "vigie setup: config/vigie.yaml ne peut pas être écrit : il est en lecture seule\n",
    );
  });

  test("writes neither of its files, if the disk is full", async () => {
    const folder = await cleanup.createFolder();
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const official = await serveBleuDays(cleanup);
    const place = join(folder, "config");
    await mkdir(place);
    const args = [
      "setup",
      "--service",
      "none",
      "--official",
      official,
      "--broker",
      broker.url.replace("//", "//me:secret@"),
    ];
    // Room for the password, and not for the configuration; what is left on it is listed before the disk is gone.
    const list = `"$@"; code=$?; echo "left: $(ls '${place}')"; exit $code`;
    const through = [...disk(place, "size=4k"), "sh", "-c", list, "sh"];
    const { code, stdout, stderr } = await runVigie({ folder, env, args, through });
    expect({ code, stderr: stderr.replaceAll("\u00a0", " ") }).toEqual({
      code: 1,
      stderr: "vigie setup: config/vigie.yaml ne peut pas être écrit : le disque est plein\n",
    });
    expect(stdout).toMatch(/^left: $/m);
    expect(await readdir(place)).toEqual([]);
  });
});
