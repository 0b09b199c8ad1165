import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { onBusyMachine } from "../support/patience.ts";
import { NOBODY } from "../support/ports.ts";
import { withoutDocker } from "./builder.ts";
import { askHealth, createCleanup, openTree, readImage } from "./container.ts";
import { startContainerAndBroker, untilHealth, WHOLE } from "./running-container.ts";

const LIMIT = onBusyMachine(300);

describe.skipIf(withoutDocker)(`the image's health check ${withoutDocker}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  it.concurrent("is unhealthy until vigie has started, and then healthy, within the start period of the image", async () => {
    const began = Date.now();
    const running = await startContainerAndBroker(cleanup);
    await running.container.first();
    const answers = await untilHealth(running, 0);
    expect(
      answers.slice(0, -1).every(({ words }) => /vigie does not run here|broker not reached/.test(words)),
    ).toBe(true);
    expect(answers.at(-1)?.words).toMatch(/^vigie runs; broker reached at mqtt:.*; data /);
    const { Healthcheck } = await readImage();
    expect((Date.now() - began) * 1e6).toBeLessThan(Healthcheck.StartPeriod);
  });

  it.concurrent("stays healthy while only the service is down: no restart would help", async () => {
    const running = await startContainerAndBroker(cleanup, {
      env: { VIGIE_SERVICE_BASE_URL: `http://${NOBODY}` },
    });
    await running.until({ availability: "online" });
    await untilHealth(running, 0);
    const { code, words } = await running.container.health();
    expect([code, words]).toEqual([
      0,
      expect.stringMatching(/data missing: the service has not answered yet/),
    ]);
  });

  it.concurrent("is unhealthy while the broker is down, and healthy after its return", async () => {
    const running = await startContainerAndBroker(cleanup);
    await running.until(WHOLE);
    await untilHealth(running, 0);
    await running.broker.end();
    const [ill] = (await untilHealth(running, 1)).slice(-1);
    expect(ill?.words).toMatch(/^vigie health: vigie runs; broker not reached at mqtt:.*; data fresh/);
    await running.broker.start();
    await untilHealth(running, 0);
  });

  it.concurrent("is unhealthy when the loop hangs, and healthy when it continues", async () => {
    const running = await startContainerAndBroker(cleanup);
    await running.until(WHOLE);
    await untilHealth(running, 0);
    const first = await running.container.first();
    process.kill(first, "SIGSTOP");
    const frozen = Date.now();
    const [ill] = (await untilHealth(running, 1, 2_000)).slice(-1);
    expect(ill?.words).toMatch(/^vigie health: vigie hangs: its last report is 1 min old; broker unknown/);
    expect(Date.now() - frozen).toBeGreaterThan(55_000);
    process.kill(first, "SIGCONT");
    await untilHealth(running, 0);
  });

  it.concurrent("fails where nothing runs", async () => {
    expect(await askHealth(await openTree(cleanup))).toMatchObject({ code: 2 });
  });

  it(`answers in under ${LIMIT} ms`, async () => {
    const running = await startContainerAndBroker(cleanup);
    await running.until(WHOLE);
    await untilHealth(running, 0);
    const { Healthcheck, Env } = await readImage();
    const inside = ["--target", String(await running.container.first()), "--mount", "--pid", "--root"];
    // As the engine asks: without the runner's own reading of the image's configuration.
    const as = ["chroot", "--userspec=1000:1000", "/", "env", "-i", ...Env, ...Healthcheck.Test.slice(1)];
    const times = Array.from({ length: 10 }, () => {
      const begin = performance.now();
      execFileSync("nsenter", [...inside, ...as]);
      return performance.now() - begin;
    });
    // Whatever else runs on this machine only adds to it.
    expect(Math.min(...times)).toBeLessThan(LIMIT);
  });
});
