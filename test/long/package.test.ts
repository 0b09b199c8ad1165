import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../support/vigie.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);

/** All files of the package. */
const FILES = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "config/homeassistant/en/announcement-alarm.yaml",
  "config/homeassistant/en/boiler.yaml",
  "config/homeassistant/en/charging.yaml",
  "config/homeassistant/en/energy.yaml",
  "config/homeassistant/en/evening-message.yaml",
  "config/homeassistant/en/preheat.yaml",
  "config/homeassistant/fr/announcement-alarm.yaml",
  "config/homeassistant/fr/boiler.yaml",
  "config/homeassistant/fr/charging.yaml",
  "config/homeassistant/fr/energy.yaml",
  "config/homeassistant/fr/evening-message.yaml",
  "config/homeassistant/fr/preheat.yaml",
  "config/homeassistant/packages/en/vigie_energy.yaml",
  "config/homeassistant/packages/fr/vigie_energy.yaml",
  "config/vigie.schema.json",
  "config/vigie.yaml",
  "dist/broker.js",
  "dist/broker.js.map",
  "dist/http.js",
  "dist/http.js.map",
  "dist/licenses-first-look.txt",
  "dist/licenses-http.txt",
  "dist/licenses-setup.txt",
  "dist/licenses.txt",
  "dist/main.js",
  "dist/main.js.map",
  "dist/setup.js",
  "dist/setup.js.map",
  "dist/simulator.js",
  "dist/simulator.js.map",
  "docs/README.md",
  "docs/architecture.md",
  "docs/automations.md",
  "docs/calendar-and-metrics.md",
  "docs/demo.md",
  "docs/development.md",
  "docs/devices.md",
  "docs/docker-nas.md",
  "docs/energy.md",
  "docs/entities.md",
  "docs/evcc.md",
  "docs/figures.md",
  "docs/fr/README.md",
  "docs/fr/devices.md",
  "docs/fr/docker-nas.md",
  "docs/fr/energy.md",
  "docs/fr/evcc.md",
  "docs/fr/home-assistant-os.md",
  "docs/fr/images/page-rules.png",
  "docs/fr/images/page-season.png",
  "docs/fr/images/page.png",
  "docs/fr/page.md",
  "docs/fr/raspberry-pi.md",
  "docs/fr/recipes.md",
  "docs/fr/rules.md",
  "docs/fr/setup.md",
  "docs/fr/tariff.md",
  "docs/home-assistant-os.md",
  "docs/images/page-rules.png",
  "docs/images/page-season.png",
  "docs/images/page.png",
  "docs/jeedom.md",
  "docs/messages.md",
  "docs/mosquitto.md",
  "docs/node-red.md",
  "docs/outputs.md",
  "docs/page.md",
  "docs/raspberry-pi.md",
  "docs/recipes.md",
  "docs/rules.md",
  "docs/service.md",
  "docs/setup.md",
  "docs/shell.md",
  "docs/simulator.md",
  "docs/sources.md",
  "docs/state.schema.json",
  "docs/tariff.md",
  "docs/topics.md",
  "docs/what-if.md",
  "package.json",
  "systemd/install.sh",
  "systemd/uninstall.sh",
  "systemd/vigie",
  "systemd/vigie.service",
];

describe("the package", () => {
  const cleanup = createCleanup();
  let running = "";
  let contents: string[] = [];

  beforeAll(async () => {
    running = await cleanup.createFolder();
    // `npm test` has built it; building it again would pull the program away from under the other tests.
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", running], { cwd: ROOT });
    const [name = ""] = (await run("ls", [running])).stdout.split("\n");
    contents = (await run("tar", ["-tzf", join(running, name)])).stdout.trim().split("\n");
    await writeFile(join(running, "package.json"), "{}");
    const offline = ["--offline", "--no-audit", "--no-fund", "--omit=dev"];
    await run("npm", ["install", ...offline, join(running, name)], { cwd: running });
  });
  afterAll(cleanup.run);

  const vigie = (...args: string[]) =>
    run("npx", ["--no-install", "vigie", ...args], {
      cwd: running,
      env: { ...process.env, VIGIE_CONFIG: "" },
    });

  it("holds the program, its configuration and its guides, and nothing else", () => {
    expect(contents.map((path) => path.replace(/^package\//, "")).sort()).toEqual(FILES);
  });

  it("needs no other package", async () => {
    const { stdout } = await run("ls", ["-A", join(running, "node_modules")]);
    expect(stdout.split("\n").filter((name) => name && !name.startsWith("."))).toEqual(["vigie"]);
  });

  it("says the version that package.json says", async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect((await vigie("--version")).stdout.trim()).toBe(version);
  });

  it("runs as npx vigie: what it ships as configuration is right", async () => {
    const shipped = join(running, "node_modules", "vigie", "config", "vigie.yaml");
    expect((await vigie("check", "--config", shipped)).stdout).toMatch(/is right/);
  });

  it("says without a configuration what it needs, and invents nothing", async () => {
    const failed = await vigie("check").catch((error: { code: number; stderr: string }) => error);
    expect(failed).toMatchObject({ code: 2 });
    expect(failed.stderr).toMatch(/VIGIE_SERVICE_BASE_URL/);
    expect(failed.stderr).toMatch(/VIGIE_MQTT_URL/);
  });
});

describe("a checkout", () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  it("has after npm ci a vigie that npx runs, also when it is built anew", async () => {
    const folder = await cleanup.createFolder();
    const checkout = join(folder, "vigie");
    await mkdir(checkout);
    for (const name of ["package.json", "package-lock.json", "rolldown.config.js", "src", "config"])
      await cp(join(ROOT, name), join(checkout, name), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
    // Whoever has just cloned it, in an account of their own.
    const env = { ...process.env, HOME: folder, npm_config_cache: join(folder, "cache"), VIGIE_CONFIG: "" };
    const at = (...command: [string, ...string[]]) =>
      run(command[0], command.slice(1), { cwd: checkout, env });
    const version = async () => (await at("npx", "--offline", "vigie", "--version")).stdout.trim();
    // What npm ci runs at its end; it would fetch packages before that.
    await at("npm", "run", "prepare");
    const { version: expected } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect(await version()).toBe(expected);
    await rm(join(checkout, "dist"), { recursive: true });
    await at("npm", "run", "build");
    expect((await stat(join(checkout, "dist", "main.js"))).mode & 0o777).toBe(0o755);
    expect(await version()).toBe(expected);
  });
});
