import { createServer } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { HAS_CHROMIUM, openBrowser } from "../support/browser.ts";
import { PATIENCE } from "../support/patience.ts";
import { lacking } from "../support/prepared.ts";
import { createCleanup } from "../support/vigie.ts";

/** The rules look at official colours only, so that the invented season alone decides when they turn. */
const CONFIG = {
  service: { base_url: "https://forecast.example.org" },
  official: { source: "rte" },
  state: "./state",
  rules: [
    {
      id: "ahead",
      when: {
        any: [
          { day: "next", color: "rouge", official: true },
          { day: "now", color: "rouge" },
        ],
      },
    },
    { id: "peak", when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] }, lead: "5m" },
  ],
  outputs: [
    {
      topic: "boiler/set",
      choose: [{ when: "peak", payload: "off" }],
      else: "on",
      confirm: { topic: "boiler/state" },
    },
  ],
};

/** Two hours a second: the page has eight seconds and more to show each state, as the clock is slower on a slow machine. */
const ARGS = ["demo", "--config", "vigie.yaml", "--from", "2026-01-20T10:00", "--speed", "7200"];

const why = lacking(HAS_CHROMIUM, "Chromium is not installed (apt-get install chromium)");

describe.skipIf(why !== "")(`vigie demo in a browser${why && `: ${why}`}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("a rouge day is announced, rules turn, a payload would be sent, the day ends; nothing of the house is touched", async () => {
    const house = await startHouse();
    cleanup.add(house.stop);
    const browser = await openBrowser();
    cleanup.add(() => browser.close());
    const vigie = await cleanup.startVigie({
      folder: await cleanup.createFolder(),
      config: { ...CONFIG, mqtt: { url: `mqtt://127.0.0.1:${house.port}` } },
      args: ARGS,
    });
    const url = await vigie.prints(/http:\S+/);
    const page = await (await browser.newContext({ locale: "en-GB" })).newPage();
    const see = (selector: string, hasText: string | RegExp = "") =>
      page.locator(selector, { hasText }).first().waitFor({ state: "attached", timeout: PATIENCE });
    await page.goto(url);
    await see(".banner", "invented");

    await see(".next.rouge:not(.maybe)");
    await see("#rule-ahead .pill.on");
    await see("#rule-peak .pill.on");
    await see(".device .payload", "off");
    // By the clock of the demo, not by that of the browser.
    await see(".device time", /minute|hour/);
    await see(".strip .here.known");
    await see(".now.rouge .until", "tomorrow 06:00");
    await see(".device .payload", "on");
    await see("#rule-peak .pill.off");
    await see(".now.blanc");
    await see("#rule-ahead .pill.off");

    const { code, stdout, stderr } = await vigie.end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(eventsOf(stdout).slice(0, EVENTS.length)).toEqual(EVENTS);
    expect(house.connections()).toBe(0);
  });
});

const EVENTS = [
  "Tue 2026-01-20 10:30  Wednesday 21 January is announced as rouge",
  "Tue 2026-01-20 10:30  Rule ahead is ON",
  "Wed 2026-01-21 05:55  Rule peak is ON",
  'Wed 2026-01-21 05:55  Would send "off" to boiler/set',
  "Wed 2026-01-21 06:00  Wednesday 21 January begins",
  "Wed 2026-01-21 10:30  Thursday 22 January is announced as blanc",
  "Wed 2026-01-21 22:00  Rule peak is OFF",
  'Wed 2026-01-21 22:00  Would send "on" to boiler/set',
  "Thu 2026-01-22 06:00  Thursday 22 January begins",
  "Thu 2026-01-22 06:00  Rule ahead is OFF",
];

/**
 * What is told, without its reasons and forecasts. A poll is made every five minutes from 10:30 on, at a second of its own. A minute takes
 * eight milliseconds, and a busy machine answers one some of these later: it may be noon by then.
 */
function eventsOf(stdout: string): string[] {
  return stdout
    .split("\n")
    .filter((line) => / (?:is announced as|begins:|Rule|Would send) /.test(line))
    .map((line) => line.replace(/ (?:10:[345]|11:\d)\d /, " 10:30 ").replace(/(?<=\d\d:\d\d.*?): .*/, ""));
}

/** A broker of the house, which nobody may ask. */
async function startHouse() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
