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

  test("a page that is reloaded each minute makes no boundary late", async () => {
    const port = await freePort();
    const { time, until, expectPunctual } = await startVigieBefore(cleanup, {
      at: "2026-01-13T05:00:00Z",
      service: async ({ clock }) => {
        const days = new Map([["2026-01-13", "rouge"] as const]);
        const service = await startFaultyService({ port: 0, seed: 3, clock, sendDate: false, days });
        cleanup.add(service.stop);
        return service.url;
      },
      before: { "next/color": "rouge" },
      env: { VIGIE_HTTP_LISTEN: `127.0.0.1:${port}` },
    });
    const pass = (to: number) => pause(Math.max(0, to - time.clock.now()) / SPEED);
    let isOver = false;
    const pages: string[] = [];
    const reload = async () => {
      while (!isOver) {
        const reloaded = time.clock.now();
        // A connection has ten seconds for a request: at this speed 42 ms, which a busy machine may need.
        const page = await readPage().catch(() => undefined);
        if (page !== undefined) pages.push(page);
        await pass(reloaded + MINUTE);
      }
    };
    const readPage = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
    const reloading = reload();
    await until({ "now/color": "rouge", rouge_hp_now: "ON" });
    expectPunctual();
    await pass(Date.parse("2026-01-13T06:00:00Z"));
    isOver = true;
    await reloading;
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.at(-1)).toContain("<title>rouge · vigie</title>");
  });
});
