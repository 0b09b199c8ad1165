import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { healthPath, writeHealth } from "../../src/app/health-file.ts";
import type { Health } from "../../src/app/judge-health.ts";
import { health } from "../../src/cli/health.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { folderWith } from "../config/folder.ts";
import { runCommand } from "../support/run-command.ts";

const SRC = join(import.meta.dirname, "..", "..", "src");

afterEach(() => vi.unstubAllEnvs());

const well = (): Health => ({
  at: systemClock.now(),
  pid: process.pid,
  broker: { connected: true, url: "mqtt://broker", port: null },
  data: { last_success: systemClock.now(), newest: "2026-01-12", official_success: null, service: "real" },
});

interface Place {
  files?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  args?: string[];
}

/** In a folder of its own, which is the temporary one, too. */
async function open({ files = {}, env = {}, args = [] }: Place = {}) {
  const cwd = await folderWith(files);
  vi.stubEnv("TMPDIR", cwd);
  const ask = () =>
    runCommand((io) => health(args, io), {
      env: env["RUNTIME_DIRECTORY"] ? { ...env, RUNTIME_DIRECTORY: cwd } : env,
      cwd,
    });
  const write = async (state: string, written: Partial<Health> = {}) =>
    writeHealth(await healthPath(join(cwd, state), {}), { ...well(), ...written });
  return { cwd, ask, write };
}

describe("vigie health", () => {
  test("reads no pipe in place of the health file: nobody may ever write into it", async () => {
    const { cwd, ask } = await open();
    execFileSync("mkfifo", [await healthPath(join(cwd, "state"), {})]);
    expect(await ask()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be read: it is a pipe/),
    });
  });

  test("takes a file with an instant of which no date can be told for none of vigie's", async () => {
    const { ask, write } = await open();
    await write("state", { at: 1e308 });
    expect((await ask()).err).toMatch(/vigie does not run here/);
  });

  test("says by its exit code and one line whether loop and broker are well", async () => {
    const { ask, write } = await open();
    expect(await ask()).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/^vigie health: vigie does not run here/),
    });
    await write("state");
    expect(await ask()).toEqual({
      code: 0,
      out: expect.stringMatching(/^vigie runs; broker reached .*\n$/),
      err: "",
    });
    await write("state", { broker: { ...well().broker, connected: false } });
    expect(await ask()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/vigie runs; broker not reached/),
    });
    await write("state", { at: systemClock.now() - 100_000 });
    expect(await ask()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/vigie hangs: its last report is/),
    });
  });

  test("is well while only the service is away: no restart would help", async () => {
    const { ask, write } = await open();
    await write("state", {
      data: { last_success: 0, newest: "2026-01-12", official_success: null, service: "real" },
    });
    expect(await ask()).toMatchObject({ code: 0, out: expect.stringContaining("data old") });
  });

  test.each([
    ["the file", { files: { "config/vigie.yaml": "state: house_2\n" } }],
    ["the file that is named", { files: { "a.yaml": "state: ./house_2\n" }, args: ["--config", "a.yaml"] }],
    ["VIGIE_CONFIG", { files: { "a.yaml": "state: house_2\n" }, env: { VIGIE_CONFIG: "a.yaml" } }],
    [
      "the variable before the file",
      { files: { "config/vigie.yaml": "state: no\n" }, env: { VIGIE_STATE: "house_2" } },
    ],
    [
      "a file that a variable names",
      {
        files: { name: "house_2\n" },
        env: { VIGIE_STATE_FILE: "name", VIGIE_SERVICE_BASE_URL: "http://s", VIGIE_MQTT_URL: "mqtt://b" },
      },
    ],
    ["STATE_DIRECTORY", { files: { "config/vigie.yaml": "\n" }, env: { STATE_DIRECTORY: "house_2:other" } }],
  ])("looks for the state folder that %s gives", async (_, place) => {
    const { ask, write } = await open(place);
    await write("state");
    expect((await ask()).code).toBe(1);
    await write("house_2");
    expect(await ask()).toMatchObject({ code: 0, err: "" });
  });

  test("of a second configuration never reads the health of the first one", async () => {
    const files = { "config/vigie.yaml": "", "second.yaml": "state: ./second\n" };
    const { ask, write, cwd } = await open({ files, args: ["--config", "second.yaml"] });
    await write("state");
    expect(await ask()).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        new RegExp(
          `^vigie health: vigie does not run here, .* \\(looked for ${cwd}/vigie-\\w+-health.json\\)\n$`,
        ),
      ),
    });
  });

  test("needs no configuration where systemd or the image names the folder", async () => {
    const files = { "config/vigie.yaml": "instance: [\n" };
    const { ask, cwd } = await open({ files, env: { RUNTIME_DIRECTORY: "here" } });
    await writeHealth(join(cwd, "health.json"), well());
    expect(await ask()).toMatchObject({ code: 0, err: "" });
  });

  test("asks only for the state folder: what else became wrong in the file is not the running vigie's illness", async () => {
    const { ask, write } = await open({
      files: { "config/vigie.yaml": "state: house\nmqtt: { url: 5 }\n" },
    });
    await write("house");
    expect(await ask()).toMatchObject({ code: 0, err: "" });
  });

  test.each([
    [["--lives"], {}, /^vigie health: .*--lives/],
    [["--config", "other.yaml"], {}, /other\.yaml \(named by --config\)/],
    [[], { "config/vigie.yaml": "state: 5\n" }, /vigie\.yaml:1:\d+ state: expected the path of a folder/],
  ])("with %j and %j ends with 2", async (args, files, words) => {
    const { ask } = await open({ args, files });
    expect(await ask()).toMatchObject({ code: 2, out: "", err: expect.stringMatching(words) });
  });

  test("loads neither zod nor yaml before it has to: a small machine asks every 30 s, for years", () => {
    const loaded = loadedBy("cli/health.ts");
    expect(loaded).toContain("app/judge-health.ts");
    expect(loaded.filter((name) => !(name.endsWith(".ts") || name.startsWith("node:")))).toEqual([]);
  });
});

/** What an import of this file brings with it. */
function loadedBy(path: string, seen = new Set<string>()): string[] {
  seen.add(path);
  if (!path.endsWith(".ts")) return [...seen];
  const text = readFileSync(join(SRC, path), "utf8");
  for (const [, from = ""] of text.matchAll(/^(?:import|export) (?!type)[^;]*?from "([^"]+)"/gms)) {
    const next = from.startsWith(".") ? normalize(join(dirname(path), from)) : from;
    if (!seen.has(next)) loadedBy(next, seen);
  }
  return [...seen];
}
