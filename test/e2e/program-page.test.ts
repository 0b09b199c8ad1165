import { spawnSync } from "node:child_process";
import { cp, rm, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { dirname, join } from "node:path";
import { connectAsync } from "mqtt";
import { afterAll, describe, expect, test, vi } from "vitest";
import { LONG } from "../support/long.ts";
import { PATIENCE } from "../support/patience.ts";
import { freePort, NOBODY } from "../support/ports.ts";
import { lacking } from "../support/prepared.ts";
import { serveBleuDays, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup, MAIN, type Vigie, writeConfig } from "../support/vigie.ts";

/** The broker that vigie brings, and the port of its page in the configuration. */
const firstLook = (port: number, more: object = {}) => ({
  service: { base_url: "simulator" },
  mqtt: { url: "embedded" },
  state: "./state",
  http: { listen: `127.0.0.1:${port}` },
  ...more,
});
interface State {
  snapshot: string;
  instance: string;
  now: { color: string };
  rules?: object;
}

const withoutScript = lacking(
  spawnSync("script", ["--version"]).status === 0,
  "(script of util-linux is not installed)",
);

/** The variable that keeps other programs of tests from listening is not set. */
const env = { VIGIE_HTTP_LISTEN: "" };

describe("the views of a running vigie", { concurrent: true }, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);
  const start = async (config: object, { here = true } = {}) => {
    const folder = await cleanup.createFolder();
    return { folder, vigie: await cleanup.startVigie({ folder, config, env, here }) };
  };
  const health = async (port: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`);
    return [answer.status, await answer.text()];
  };
  const state = async (port: number): Promise<State> =>
    JSON.parse(await (await fetch(`http://127.0.0.1:${port}/api/state`)).text());

  test("show the newest value of the house, also where it turns no rule, and why a changed configuration is refused, until it is right or as before", async () => {
    const port = await freePort();
    const rules = [{ id: "low", when: { mqtt: { topic: "house/level", below: 80 } } }];
    const { folder, vigie } = await start(firstLook(port, { rules }));
    await vigie.says(/^The page is at http:/);
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    const page = () => get("/");
    const reached = /broker reached at (\S+?);/;
    await vi.waitFor(
      async () => expect(await health(port)).toContainEqual(expect.stringMatching(reached)),
      PATIENCE,
    );
    const house = await connectAsync(reached.exec(await get("/health"))?.[1] ?? "");
    cleanup.add(() => house.endAsync());
    const shown = async () => /<code><bdi>([^<]*)<\/bdi><\/code>/.exec(await page())?.[1];
    await house.publishAsync("house/level", "50", { retain: true });
    await vi.waitFor(async () => expect(await shown()).toBe("50"), PATIENCE);
    await house.publishAsync("house/level", "79", { retain: true });
    await vi.waitFor(async () => expect(await shown()).toBe("79"), PATIENCE);

    expect(await page()).not.toContain("refused");
    await writeConfig(folder, firstLook(port, { rules, homeassistant: { language: "<de>" } }));
    const words = "homeassistant.language: expected one of fr, en, got &quot;&lt;de&gt;&quot;";
    await vi.waitFor(async () => expect(await page()).toContain(words), PATIENCE);
    expect(await page()).toContain("The configuration that was read last is refused");
    await writeConfig(folder, firstLook(port, { rules }));
    await vi.waitFor(async () => expect(await page()).not.toContain("refused"), PATIENCE);
  });

  test("do not wait for a source that refuses connections", async () => {
    const port = await freePort();
    const { vigie } = await start(firstLook(port, { service: { base_url: `http://${NOBODY}` } }));
    // The first poll has no end within the patience of this test: what fails is tried again for minutes.
    await vigie.says(/^The page is at http:/);
  });

  test("are served once the topics are out, follow the configuration without a gap, and end with vigie", async () => {
    const [port, other] = [await freePort(), await freePort()];
    const rules = [{ id: "ahead", when: { day: "next", color: "rouge" } }];
    const { folder, vigie } = await start(firstLook(port, { rules }), { here: false });
    await vigie.says(/^The page is at http:/);
    // A start that takes longer than three seconds serves the page before its topics are out.
    const isWell = expect.stringMatching(/^vigie runs; broker reached at .*; data invented: /);
    await vi.waitFor(async () => expect(await health(port)).toEqual([200, isWell]), PATIENCE);
    const first = await state(port);
    expect(first.rules).toBeDefined();
    expect(first).toMatchObject({ instance: "vigie", service: { status: "simulated" } });
    expect(first.now.color).toMatch(/^(bleu|blanc|rouge)$/);

    const page = await (
      await fetch(`http://127.0.0.1:${port}/`, { headers: { "Accept-Language": "fr" } })
    ).text();
    expect(page).toContain(">La semaine<");
    for (const [, link] of page.matchAll(/(?:href|src)="(page\.[^"]+|[^"]+\.svg[^"]*)"/g)) {
      const file = await fetch(`http://127.0.0.1:${port}/${link}`);
      expect([link, file.status, file.headers.get("cache-control")]).toEqual([
        link,
        200,
        expect.stringMatching(/immutable/),
      ]);
    }
    const calendar = await fetch(`http://127.0.0.1:${port}/calendar.ics?colors=rouge,blanc&forecast=all`);
    expect([calendar.status, await calendar.text()]).toEqual([
      200,
      expect.stringMatching(/^BEGIN:VCALENDAR/),
    ]);
    const wrong = await fetch(`http://127.0.0.1:${port}/calendar.ics?colors=vert`);
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringMatching(/rouge.*vert/)]);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toMatch(
      /^vigie_color\{[^}]*\} 1$/m,
    );

    // An open page keeps its connection: the address that stays is not closed.
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanup.add(async () => connection.destroy());
    expect((await visit(port, connection)).reused).toBe(false);
    const listen = [`127.0.0.1:${port}`, `127.0.0.1:${other}`];
    await writeConfig(folder, firstLook(port, { http: { listen }, rules: [] }));
    await vigie.says(/^The new configuration is in force/);
    expect((await visit(port, connection)).reused).toBe(true);
    const second = await state(other);
    expect(second.rules).toBeUndefined();
    expect(second.snapshot).not.toBe(first.snapshot);

    const before = vigie.lines.length;
    await writeConfig(folder, firstLook(other));
    await vigie.says(/^The new configuration is in force/, before);
    await expect(visit(port, connection)).rejects.toThrow();

    await writeConfig(folder, firstLook(other, { http: { listen: "nowhere" } }));
    await vigie.says(/http\.listen: expected off, a port such as 8427/);
    expect((await visit(other, connection)).status).toBe(200);
    expect((await vigie.end()).code).toBe(0);
    expect(vigie.lines.at(-1)?.msg).toBe("vigie has stopped");
  });

  test("are there while no broker answers; those of a second vigie on the same port are said to be missing, and it runs on", async () => {
    const port = await freePort();
    const service = await serveBleuDays(cleanup);
    const http = { listen: port };
    const first = await start(vigieConfig(service, `mqtt://${NOBODY}`, { http, instance: "one" }));
    await first.vigie.says(
      /^The page is at http:\/\/127\.0\.0\.1:\d+\/ and at every other address of this machine$/,
    );
    const isAway = expect.stringMatching(/broker not reached at mqtt:\/\/127\.0\.0\.1:9; data fresh/);
    await vi.waitFor(async () => expect(await health(port)).toEqual([503, isAway]), PATIENCE);
    expect(await state(port)).toMatchObject({ service: { status: "ok" } });
    expect((await fetch(`http://127.0.0.1:${port}/alive`)).status).toBe(200);

    const listen = `127.0.0.1:${port}`;
    const more = { http: { listen }, instance: "two" };
    const second = await start(vigieConfig(service, `mqtt://${NOBODY}`, more));
    expect(await second.vigie.says(/^The page cannot be served at/)).toEqual({
      level: "warn",
      msg: `The page cannot be served at ${listen}: the port is in use there. It is tried again every 30 s; another address is set with http.listen`,
    });
    expect((await state(port)).instance).toBe("one");
    expect((await second.vigie.end()).code).toBe(0);
  });

  if (LONG)
    test("in a first look are on the next port if this one is in use, and their address is printed before all else", async () => {
      const port = await freePort();
      const first = await start(firstLook(port));
      const screen = (vigie: Vigie) => vigie.prints(/Open in a browser: \S+\n\n {2}These days are INVENTED/);
      expect(await screen(first.vigie)).toContain(`http://127.0.0.1:${port}/`);
      const second = await start(firstLook(port));
      const next = Number(/127\.0\.0\.1:(\d+)/.exec(await screen(second.vigie))?.[1]);
      expect(next).toBeGreaterThan(port);
      // Each is served by its own vigie: one goes on when the other ends.
      expect(await state(next)).toMatchObject({ service: { status: "simulated" } });
      await second.vigie.end();
      await expect(state(next)).rejects.toThrow();
      expect(await state(port)).toMatchObject({ service: { status: "simulated" } });
    });

  const title = "in a first look at a terminal have their address above the log, of which nothing is lost";
  if (LONG)
    test.skipIf(withoutScript)(`${title} ${withoutScript}`, async () => {
      const port = await freePort();
      const folder = await cleanup.createFolder();
      const command = `echo vigie is process $$; exec ${process.execPath} ${MAIN}`;
      const program = ["script", "--quiet", "--return", "--flush", "--command", command, "/dev/null"];
      const warned = { homeassistant: { exclude: ["nothing"] } };
      const options = { folder, config: firstLook(port, warned), env, program };
      const vigie = await cleanup.startVigie(options);
      const pid = /\d+/.exec(await vigie.prints(/vigie is process \d+\s/))?.[0];
      const text = await vigie.prints(/[\s\S]*The page is at/);
      const lines = [
        `vigie is process \\d+\\s+Open in a browser: http://127.0.0.1:${port}/\\s`,
        ...["has the key nothing", "vigie \\S+ starts with", "The page is at"],
      ];
      expect(text).toMatch(new RegExp(`^${lines.join("[\\s\\S]*")}`));
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
      // Another one, which ends before there is a screen. It has begun nothing, so it warns of nothing.
      const { code, stdout } = await (await cleanup.startVigie(options)).ended;
      expect([code, stdout]).toEqual([3, expect.stringMatching(/is in use by/)]);
      process.kill(Number(pid));
      expect((await vigie.ended).stdout).toMatch(/vigie has stopped\S*\s*$/);
    });

  if (LONG)
    test("are none if http.listen is off, and their code is not asked for", async () => {
      const folder = await cleanup.createFolder();
      const without = join(folder, "dist");
      await cp(dirname(MAIN), without, { recursive: true });
      await rm(join(without, "http.js"));
      await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
      const program = [process.execPath, join(without, "main.js")];
      const config = firstLook(0, { http: { listen: "off" } });
      const vigie = await cleanup.startVigie({ folder, config, env, program });
      await vigie.prints(/npx vigie show/);
      expect(vigie.output()).not.toMatch(/browser|The page/);
    });
});

/** As an open page asks, over the connection of the visit before where that is still there. */
function visit(port: number, agent: Agent) {
  return new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
    const asked = get({ port, host: "127.0.0.1", agent }, (response) => {
      response.resume().once("end", () => {
        resolve({ status: response.statusCode, reused: asked.reusedSocket });
      });
    });
    asked.once("error", reject);
  });
}
