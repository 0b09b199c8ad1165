import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chown, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readImage } from "../docker/container.ts";
import { BROKER_PASSWORD, FORM } from "../support/app-vigie.ts";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import { TOKEN } from "../support/supervisor.ts";
import { createCleanup } from "../support/vigie.ts";
import { APP_ADDRESS, askApp, openHouse, SUPERVISOR_ADDRESS, withoutImage } from "./house.ts";

const BOILER = { use: "boiler", kind: "shelly_gen1", place: "shellies/boiler" };
const RULE = { id: "rouge", colors: "rouge", day: "now" };

describe.skipIf(withoutImage)(`the image of the app ${withoutImage}`, () => {
  const cleanup = createCleanup();
  afterEach(cleanup.run);

  const openStarted = async (options: object = FORM) => {
    const house = await openHouse(cleanup);
    const broker = await house.startBroker();
    await house.writeOptions(options);
    const app = await house.start();
    const topics = await house.watch(broker, app);
    return { house, broker, app, ...topics };
  };

  test("adds the program to its base, and nothing else; no health check of its own restarts it", async () => {
    const tree = process.env["VIGIE_TREE"] ?? "";
    const base = new Set(readFileSync(`${tree}.base`, "utf8").trim().split("\n"));
    const all = execFileSync("find", ["."], { cwd: tree, maxBuffer: 2 ** 26 })
      .toString()
      .trim()
      .split("\n");
    const added = all.filter((name) => !base.has(name));
    const inside = added.filter((name) => !name.startsWith("./usr/local/lib/vigie"));
    // Where folders of the machine are mounted.
    expect(inside.filter((name) => !["./data", "./config"].includes(name))).toEqual([]);
    expect(added).toContain("./usr/local/lib/vigie/dist/main.js");
    expect(await readImage()).toMatchObject({
      User: "",
      Entrypoint: ["sh", "/usr/local/lib/vigie/start.sh"],
    });
    expect(await readImage()).not.toHaveProperty("Healthcheck.Test");
  });

  test("takes the options that only root may read, and runs as a user without any right beyond its folder", async () => {
    const { house, app, until } = await openStarted({ ...FORM, rules: [RULE], outputs: [BOILER] });
    await until({ availability: "online", "rules/rouge/state": /ON|OFF/, "outputs/boiler/state": "nothing" });
    const status = await readFile(`/proc/${await app.first()}/status`, "utf8");
    const line = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(status)?.[1]?.trim();
    expect([line("Uid"), line("Gid"), line("Groups")]).toEqual([
      "1000\t1000\t1000\t1000",
      "1000\t1000\t1000\t1000",
      "",
    ]);
    for (const name of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) expect(line(name)).toMatch(/^0+$/);
    expect(line("NoNewPrivs")).toBe("1");
    const { uid, mode } = await stat(join(house.data, "options.json"));
    expect([uid, mode & 0o777]).toEqual([1000, 0o600]);
    // The program is the first process: a stop reaches it.
    const began = Date.now();
    expect((await app.end()).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(onBusyMachine(5_000));
    expect(app.lines.at(-1)?.msg).toBe("vigie has stopped");
  });

  test("starts again and again with what the Supervisor writes anew for root", async () => {
    const { house, broker, app, until } = await openStarted();
    await until({ availability: "online" });
    await app.end();
    await house.writeOptions({ ...FORM, rules: [RULE] });
    const second = await house.start();
    await until({ "rules/rouge/state": /ON|OFF/ });
    process.kill(await second.first(), "SIGKILL");
    await second.ended;
    await house.writeOptions({ ...FORM, rules: [{ ...RULE, id: "third" }] });
    const third = await house.start();
    const topics = await house.watch(broker, third);
    await topics.until({ availability: "online", "rules/third/state": /ON|OFF/ });
  });

  test("lets Home Assistant alone reach the page in the sidebar, and asks nobody for a name there", async () => {
    const { app } = await openStarted();
    await app.says(/The page is at http:\/\/127\.0\.0\.1:8099/);
    await app.says(/The page is at http:\/\/127\.0\.0\.1:8427/);
    // As its watchdog asks.
    expect(await askApp("/alive", { from: SUPERVISOR_ADDRESS })).toEqual({ status: 200, body: "alive\n" });
    for (const from of ["127.0.0.1", APP_ADDRESS]) {
      const { status, body } = await askApp("/", { from });
      expect([status, body]).toEqual([
        403,
        expect.stringMatching(/may not connect: it is not in http\.listen/),
      ]);
    }
    // The other port is reached only once its owner has opened it.
    for (const path of ["/calendar.ics", "/metrics", "/api/state", "/"])
      expect((await askApp(path, { from: "127.0.0.1", port: 8427 })).status).toBe(200);
  });

  test("follows /config/vigie.yaml, beside which lie the blueprints, and an example that counts as soon as it is renamed", async () => {
    const { house, app, until } = await openStarted({ ...FORM, language: "en", outputs: [BOILER] });
    await until({ availability: "online", "outputs/boiler/state": "nothing" });
    const example = await readFile(join(house.config, "vigie.example.yaml"), "utf8");
    for (const language of ["en", "fr"])
      expect(readdirSync(join(house.config, "blueprints", language))).toContain("boiler.yaml");
    await writeFile(join(house.config, "vigie.yaml"), example);
    await app.says(/^The new configuration is in force/);
    await until({ "rules/no_rouge/state": /./, availability: "online" });
    await writeFile(join(house.config, "vigie.yaml"), "rules: [{}]\n");
    await app.says(/^Configuration: \/config\/vigie\.yaml:1:9 rules\[0\]\.id: expected an id/);
    await vi.waitFor(
      async () => expect((await askApp("/", { from: SUPERVISOR_ADDRESS })).body).toContain("is refused"),
      PATIENCE,
    );
  });

  test("shows its secrets to nobody", async () => {
    const { house, app, until } = await openStarted();
    await until({ availability: "online" });
    await app.says(/The page is at http:\/\/127\.0\.0\.1:8427/);
    const pages = ["/", "/api/state", "/metrics", "/health"].map((path) =>
      askApp(path, { from: SUPERVISOR_ADDRESS }),
    );
    const shown = [
      await readFile(`/proc/${await app.first()}/cmdline`, "latin1"),
      ...(await Promise.all(pages)).map(({ body }) => body),
      await readFile(`/proc/${await app.first()}/root/tmp/health.json`, "utf8"),
    ];
    await app.end();
    shown.push(app.output());
    for (const secret of [BROKER_PASSWORD, TOKEN])
      expect(shown.filter((text) => text.includes(secret))).toEqual([]);
    expect(readdirSync(house.data).toSorted()).toEqual(["options.json", "state.json", "state.previous.json"]);
  });

  test("says that its options cannot be read where /data cannot be written at its first start", async () => {
    const house = await openHouse(cleanup);
    await house.writeOptions(FORM);
    const app = await house.start(["unshare", "--mount", "sh", "-c", ON_READ_ONLY, house.data]);
    await app.prints(/\/data cannot be given to the user node/);
    await app.says(
      /^Configuration: \/data\/options\.json ne peut pas être lu\u00a0: cet utilisateur n’en a pas le droit/,
    );
    await vi.waitFor(
      async () =>
        expect((await askApp("/", { from: SUPERVISOR_ADDRESS })).body).toContain("/data/options.json"),
      PATIENCE,
    );
    expect((await askApp("/alive", { from: SUPERVISOR_ADDRESS })).status).toBe(200);
  });

  test.each([
    ["read-only", ON_READ_ONLY, /^The state cannot be saved in \/data: it is read-only/],
    ["full", ON_FULL, /^The state cannot be saved in \/data: the disk is full/],
  ])("goes on while /data is %s, and says so on its page", async (_, script, words) => {
    const house = await openHouse(cleanup);
    const broker = await house.startBroker();
    await house.writeOptions({ ...FORM, outputs: [BOILER] });
    // It started before, when /data was right.
    await chown(join(house.data, "options.json"), 1000, 1000);
    const app = await house.start(["unshare", "--mount", "sh", "-c", script, house.data]);
    const topics = await house.watch(broker, app);
    await app.says(words);
    await topics.until({ availability: "online", "outputs/boiler/state": "nothing" });
    await vi.waitFor(
      async () =>
        expect((await askApp("/", { from: SUPERVISOR_ADDRESS })).body).toContain("rien enregistrer"),
      PATIENCE,
    );
  });
});

/** What is mounted for the container alone, and gone with it. */
const ON_READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
const ON_FULL =
  'cp -p "$0/options.json" "$0.options" && mount -t tmpfs -o size=16k,mode=777 tmpfs "$0" && cp -p "$0.options" "$0/options.json" && head -c 20000 /dev/zero >"$0/rest"; exec "$@"';
