import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { HAS_CHROMIUM, openBrowser } from "../support/browser.ts";
import { blockOf, readPage } from "../support/guide.ts";
import { servePage } from "../support/page-server.ts";
import { PAGE_STATES } from "../support/page-states.ts";
import { onBusyMachine } from "../support/patience.ts";
import { freePort } from "../support/ports.ts";
import { lacking } from "../support/prepared.ts";
import { createCleanup } from "../support/vigie.ts";

const GUIDE = readPage("docs/page.md");

/** A name that the browser finds on this machine, and vigie does not know as one of its own. */
const NAME = "home.localhost";

interface Proxy {
  name: string;
  /** The guide's block in a whole configuration. */
  config: (block: string, port: number, folder: string) => string;
  args: (config: string, folder: string) => string[];
}

const PROXIES: Proxy[] = [
  {
    name: "nginx",
    config: (block, port, folder) => `
daemon off; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
  server { listen 127.0.0.1:${port}; ${block} }
}`,
    args: (config, folder) => ["-c", config, "-p", folder, "-e", join(folder, "errors")],
  },
  {
    name: "caddy",
    config: (block, port) => `{
  admin off
  auto_https off
}
${block.replace("home.example.org", `http://${NAME}:${port}`)}`,
    args: (config) => ["run", "--adapter", "caddyfile", "--config", config],
  },
];

describe.each(PROXIES)("behind $name as docs/page.md has it", ({ name, config, args }) => {
  const isThere = HAS_CHROMIUM && !spawnSync(name, ["version"]).error;
  const why = lacking(isThere, `Chromium or ${name} is not installed (apt-get install chromium ${name})`);
  const cleanup = createCleanup();
  let browser: Browser;
  let running: ChildProcess | undefined;
  beforeAll(async () => {
    if (why === "") browser = await openBrowser();
  });
  afterEach(async () => {
    if (running && running.exitCode === null) {
      const gone = once(running, "exit");
      running.kill();
      await gone;
    }
  });
  afterAll(async () => {
    await browser?.close();
    await cleanup.run();
  });

  test.skipIf(why)(`the page works below a path and under another name, and is live ${why}`, async () => {
    const [rouge, blanc] = [await PAGE_STATES["rouge now"]?.(), await PAGE_STATES["blanc now"]?.()];
    if (!rouge || !blanc) throw new Error("Expected two states of the page");
    const now = () => rouge.facts.at + 3 * 60_000;
    const server = await servePage({ view: rouge, language: "fr", now });
    cleanup.add(server.stop);
    const [port, folder] = [await freePort(), await cleanup.createFolder()];
    const block = blockOf(GUIDE, `file: ${name === "caddy" ? "Caddyfile" : name}`);
    const path = join(folder, "config");
    await writeFile(path, config(block.replace("192.0.2.20:8427", `127.0.0.1:${server.port}`), port, folder));
    running = spawn(name, args(path, folder), {
      stdio: "ignore",
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    });
    const at = (where: string) =>
      fetch(`http://127.0.0.1:${port}${where}`, { headers: { Host: `${NAME}:${port}` } });
    await expect.poll(() => at("/vigie/alive").then(({ status }) => status, String)).toBe(200);

    const page = await browser.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(`http://${NAME}:${port}/vigie`);
    await page.locator("h1", { hasText: "rouge" }).waitFor();
    expect(page.url()).toBe(`http://${NAME}:${port}/vigie/`);
    expect(await page.evaluate("getComputedStyle(document.body).fontSize")).toBe("16px");
    // What has not changed is not sent again, through the proxy either.
    await page.waitForResponse((response) => response.status() === 304);
    // By vigie's clock, which the proxy passes on.
    await page.locator(".state", { hasText: "il y a 3 minutes" }).waitFor();
    server.show(blanc);
    const begun = Date.now();
    await page.locator("h1", { hasText: "blanc" }).waitFor();
    expect(Date.now() - begun).toBeLessThan(onBusyMachine(6_000));
    expect(asked.filter((url) => !url.startsWith(`http://${NAME}:${port}/vigie`))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
