import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { MINUTE, SPEED, withoutFakeTime } from "../support/fake-time.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { freePort } from "../support/ports.ts";
import { startVigieBefore } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`the page of the built program at ${SPEED} times real speed ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("a page that is open and is reloaded each minute makes no boundary late", async () => {
    const port = await freePort();
    const { time, until, expectPunctual } = await startVigieBefore(cleanup, {
      at: "2026-01-13T05:00:00Z",
      service: async ({ clock }) => {
        const days = new Map([["2026-01-13", "rouge"] as const]);
        const service = await startFaultyService({ port: 0, seed: 3, clock, sendDate: false, days });
        cleanup.add(service.stop);
        return service.url;
      },
      before: { "next/color": "rouge", "rules/later/state": "OFF" },
      config: { rules: [{ id: "later", when: { between: ["06:40", "12:00"] } }] },
      env: { VIGIE_HTTP_LISTEN: `127.0.0.1:${port}` },
    });
    const pass = (to: number) => pause(Math.max(0, to - time.clock.now()) / SPEED);
    const leaving = new AbortController();
    const pages: string[] = [];
    const views: string[] = [];
    const get = (headers = {}) => fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal, headers });
    // A connection has ten seconds for a request: at this speed 42 ms, which a busy machine may need.
    const goOn = async (pause: number, visit: () => Promise<void>) => {
      while (!leaving.signal.aborted) {
        const began = time.clock.now();
        await visit().catch(() => undefined);
        await pass(began + pause);
      }
    };
    const visits = [
      goOn(MINUTE, async () => void pages.push(await (await get()).text())),
      goOn(5_000, async () => {
        const { status, headers } = await get({ "If-None-Match": views.at(-1) ?? "" });
        if (status === 200) views.push(headers.get("etag") ?? "");
      }),
    ];
    await until({ "now/color": "rouge", rouge_hp_now: "ON" });
    expectPunctual();
    await until({ "rules/later/state": "ON" });
    expectPunctual(40 * MINUTE);
    expect(pages.length).toBeGreaterThan(5);
    expect(new Set(views).size).toBeGreaterThan(1);
    const before = pages.length;
    await expect.poll(() => pages.length).toBeGreaterThan(before + 1);
    leaving.abort();
    await Promise.all(visits);
    expect(pages.at(-1)).toContain("<title>rouge · vigie</title>");
  });
});
