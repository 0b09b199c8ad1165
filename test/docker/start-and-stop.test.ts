import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import { freePort, NOBODY } from "../support/ports.ts";
import { withoutDocker } from "./builder.ts";
import { createCleanup, openTree, openVolume, startContainer } from "./container.ts";
import { startContainerAndBroker, untilHealth, WHOLE } from "./running-container.ts";

describe.skipIf(withoutDocker)(`a container ${withoutDocker}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  it("with two variables and no file has its topics on the broker within seconds", async () => {
    const data = await openVolume();
    const tree = await openTree(cleanup);
    const began = Date.now();
    const { until, container } = await startContainerAndBroker(cleanup, { tree, volumes: { "/data": data } });
    await until(WHOLE);
    expect(Date.now() - began).toBeLessThan(onBusyMachine(15_000));
    const status = await readFile(`/proc/${await container.first()}/status`, "utf8");
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(container.lines.filter(({ level }) => level !== "info")).toEqual([]);
    expect(JSON.parse(await readFile(join(data, "state.json"), "utf8"))).toHaveProperty("installation");
  });

  it.concurrent("has the command vigie, for whoever looks into it", async () => {
    const running = await startContainerAndBroker(cleanup);
    await running.until(WHOLE);
    const tree = await openTree(cleanup);
    const ask = async (...words: string[]) => {
      const command = ["vigie", ...words];
      return (await startContainer(cleanup, { ...running.options, tree, command })).ended;
    };
    const { version } = JSON.parse(await readFile(join(tree, "usr/local/lib/vigie/package.json"), "utf8"));
    expect(await ask("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(await ask("show")).toMatchObject({ code: 0, stdout: expect.stringMatching(/vigie: online/) });
    expect((await ask("check", "--live")).code).toBe(0);
    await running.container.end();
    expect(await ask("purge")).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Cleared \d+ topics/),
    });
  });

  it.concurrent("serves its page at every address that it has", async () => {
    const port = await freePort();
    const env = { VIGIE_HTTP_LISTEN: `0.0.0.0:${port}` };
    const { container } = await startContainerAndBroker(cleanup, { env });
    await container.says(/^The page is at/);
    expect(await (await fetch(`http://127.0.0.2:${port}/alive`)).text()).toBe("alive\n");
    expect(await (await fetch(`http://127.0.0.2:${port}/`)).text()).toMatch(/^<!DOCTYPE html>/);
  });

  it.concurrent("with no variable invents nothing: it says what is missing, and ends with 2", async () => {
    const container = await startContainer(cleanup, { tree: await openTree(cleanup), env: {} });
    const { code, stdout, stderr } = await container.ended;
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^VIGIE_SERVICE_BASE_URL: expected the address of a service, .*\nVIGIE_MQTT_URL: expected the address of a broker, .*\n$/,
    );
  });

  it.concurrent("reads vigie.yaml in /data, and its health is found whatever the instance is called", async () => {
    const data = await openVolume();
    await writeFile(join(data, "vigie.yaml"), "instance: house_2\nmqtt: { base_topic: vigie }\n");
    const { until, container } = await startContainerAndBroker(cleanup, { volumes: { "/data": data } });
    await until(WHOLE);
    await untilHealth({ container }, 0);
    expect((await container.says(/starts/)).level).toBe("info");
  });

  it.concurrent("that is stopped ends in order and quickly, and this is not visible during the grace", async () => {
    const { until, container, observer, payloadOf } = await startContainerAndBroker(cleanup);
    await until(WHOLE);
    const before = observer.received.length;
    const began = Date.now();
    expect((await container.end()).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(onBusyMachine(5_000));
    expect(container.lines.at(-1)?.msg).toBe("vigie has stopped");
    expect(observer.received.slice(before).filter(({ topic }) => topic === "vigie/availability")).toEqual([]);
    expect(payloadOf("availability")).toBe("online");
  });

  it.concurrent("that is stopped without a grace is offline at once", async () => {
    const { until, container } = await startContainerAndBroker(cleanup, { env: { VIGIE_MQTT_GRACE: "0s" } });
    await until(WHOLE);
    expect((await container.end()).code).toBe(0);
    await until({ availability: "offline" });
  });

  it.concurrent("ends as quickly while broker and service are down, and on SIGINT", async () => {
    const env = { VIGIE_SERVICE_BASE_URL: `http://${NOBODY}`, VIGIE_MQTT_URL: `mqtt://${NOBODY}` };
    const container = await startContainer(cleanup, { tree: await openTree(cleanup), env });
    await container.says(/broker/);
    const began = Date.now();
    expect((await container.end("SIGINT")).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(onBusyMachine(5_000));
  });

  it.concurrent("writes to /data and /tmp only, its root being read-only", async () => {
    const tree = await openTree(cleanup);
    const before = listing(tree);
    const data = await openVolume();
    const { until, container } = await startContainerAndBroker(cleanup, { tree, volumes: { "/data": data } });
    await until(WHOLE);
    const first = await container.first();
    const root = (await readFile(`/proc/${first}/mountinfo`, "utf8"))
      .split("\n")
      .find((line) => / \/ ro,/.test(line));
    expect(root).toBeDefined();
    // What is being replaced is there twice, or not, for a moment.
    await vi.waitFor(
      async () => expect(await readdir(`/proc/${first}/root/tmp`)).toEqual(["health.json"]),
      PATIENCE,
    );
    await container.end();
    expect(await readdir(data)).toEqual(["state.json", "state.previous.json"]);
    expect(listing(tree)).toBe(before);
  });

  it.concurrent("takes the password from a file, and shows it to nobody", async () => {
    const password = "hunter2-in-the-rye";
    const secrets = await openVolume();
    await writeFile(join(secrets, "mqtt"), `${password}\n`, { mode: 0o644 });
    const passwords = join(secrets, "passwords");
    execFileSync("mosquitto_passwd", ["-c", "-b", passwords, "vigie", password]);
    const { until, container } = await startContainerAndBroker(cleanup, {
      volumes: { "/run/secrets": secrets },
      mosquitto: {
        lines: ["allow_anonymous false", "password_file FOLDER/passwords"],
        files: { passwords: await readFile(passwords, "utf8") },
      },
      credentials: `vigie:${password}@`,
      env: {
        VIGIE_MQTT_USERNAME: "vigie",
        VIGIE_MQTT_PASSWORD_FILE: "/run/secrets/mqtt",
        VIGIE_LOG_LEVEL: "trace",
      },
    });
    await until(WHOLE);
    await container.health();
    const first = await container.first();
    const shown = [
      await readFile(`/proc/${first}/environ`, "latin1"),
      await readFile(`/proc/${first}/cmdline`, "latin1"),
      execFileSync("ps", ["axeww", "-o", "pid,args"]).toString(),
      await readFile(`/proc/${first}/root/tmp/health.json`, "utf8"),
      container.output(),
      (await container.health()).words,
    ];
    expect(shown.filter((text) => text.includes(password))).toEqual([]);
    await container.end();
    expect(container.output()).not.toContain(password);
  });

  it.concurrent("whose password is wrong says so, and which file it came from is told by name only", async () => {
    const container = await startContainer(cleanup, {
      tree: await openTree(cleanup),
      env: {
        VIGIE_SERVICE_BASE_URL: `http://${NOBODY}`,
        VIGIE_MQTT_URL: `mqtt://${NOBODY}`,
        VIGIE_MQTT_PASSWORD_FILE: "/run/secrets/none",
      },
    });
    const { code, stderr } = await container.ended;
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^VIGIE_MQTT_PASSWORD_FILE: expected a file that can be read/),
    ]);
  });
});

/** Every file with its size and the time of its last change. */
function listing(tree: string): string {
  return execFileSync("find", [tree, "-printf", "%P %s %T@ %u\n"], { maxBuffer: 2 ** 26 }).toString();
}
