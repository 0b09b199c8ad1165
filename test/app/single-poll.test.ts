import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { pollOnce } from "../../src/app/single-poll.ts";
import { addDays, civilDate, wallTime } from "../../src/core/calendar/dates.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import { EMPTY_MEMORY, readSource } from "../../src/core/sources/source-kept.ts";
import { emptyState } from "../../src/state/state.ts";
import { loadText } from "../config/folder.ts";
import { logTo } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PATIENCE } from "../support/patience.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";

const today = civilDate(Date.now(), "Europe/Paris");
const tomorrow = addDays(today, 1);
/** RTE's words of three days. A season has only its own ones: on 31 August tomorrow is a day of the next one. */
function wordsAt(path: string): Record<string, string> {
  const words = { [addDays(today, -1)]: "BLUE", [today]: "BLUE", [tomorrow]: "WHITE" };
  const isAsked = (date: string) => path === "/tempoLight" || path.endsWith(seasonOf(date).label);
  return Object.fromEntries(Object.entries(words).filter(([date]) => isAsked(date)));
}

/** Both sources at one address, as the test of `vigie once` sets them. */
async function openOnce({ spent = 0, sent_at = Date.now() } = {}) {
  const away = { service: false, rte: false };
  const server = await startPlainService((path) => {
    const isRte = path.startsWith("/tempo");
    if (isRte ? away.rte : away.service) return { status: 400, body: {} };
    if (isRte) return { body: { values: wordsAt(path) } };
    if (path === "/v1/public") return { body: { today: { date: today, color: "bleu" } } };
    return { status: 400, body: {} };
  });
  onTestFinished(server.stop);
  const day = new Date().toISOString().slice(0, 10);
  const memory = { ...EMPTY_MEMORY, spent: { day, count: spent }, sent_at };
  const store = createMemoryStore({ ...emptyState("here"), official_clients: { [server.url]: memory } });
  const lines: string[] = [];
  const ended = new AbortController();
  const once = async (base_url = server.url, source = server.url) => {
    const given = {
      service: { base_url },
      official: { source },
      // By the laws of the tariff tomorrow would be no white day on a Saturday; and vigie warns of its own prices when they are old.
      tariff: { laws: "off", rates: [] },
      mqtt: { url: "embedded" },
      rules: [{ id: "always", when: { not: { known: true, day: "d7", official: true } } }],
      outputs: [
        {
          id: "boiler",
          url: `${server.url}/boiler`,
          choose: [{ when: "always", payload: "off" }],
          else: "on",
        },
      ],
    };
    const { config } = await loadText(JSON.stringify(given));
    const log = logTo(lines);
    const clock = { now: Date.now, steady: () => performance.now() };
    const { signal } = ended;
    const before = server.asked.length;
    const poll = await pollOnce(config, {
      store,
      log,
      problemLog: createProblemLog(log, clock),
      signal,
      heard: null,
    });
    return {
      ...poll,
      tomorrow: poll.topics.get("tomorrow/color")?.payload,
      asked: server.asked.slice(before).filter((path) => path.startsWith("/tempo")),
    };
  };
  const counted = () => readSource(store.state().official_clients[server.url]).spent;
  return { once, away, lines, counted, day, store, end: () => ended.abort() };
}

describe("vigie once with an official source", () => {
  test("asks it for today, tomorrow and the season, and counts that in the state file", async () => {
    const { once, counted, day } = await openOnce();
    const { asked, tomorrow, fresh } = await once("none");
    expect(asked).toEqual(["/tempoLight", expect.stringMatching(/^\/tempo\?season=/)]);
    expect([tomorrow, fresh]).toEqual(["blanc", true]);
    expect(counted()).toEqual({ day, count: 2 });
  });

  test("sends no device anything, and the state file says of none that it may have been sent something", async () => {
    const { once, store } = await openOnce();
    const { topics } = await once("none");
    expect(topics.get("rules/always/state")?.payload).toBe("ON");
    expect(store.state().outputs ?? {}).toEqual({});
  });

  test("keeps to the requests of the day, and says so: what is known is published", async () => {
    const { once, lines, counted, day } = await openOnce({ spent: 79 });
    expect((await once("none")).asked).toEqual(["/tempoLight"]);
    expect(lines).toEqual([expect.stringContaining("all requests that it may send today")]);
    const second = await once("none");
    expect([second.asked, second.tomorrow, second.failures]).toEqual([[], "blanc", []]);
    expect(counted()).toEqual({ day, count: 80 });
  });

  test("goes beyond them once an hour", async () => {
    // A day ago: one of 05:50 or 18:00 is due at any time of the day.
    const { once } = await openOnce({ spent: 80, sent_at: Date.now() - 25 * 3_600_000 });
    expect((await once("none")).asked).toEqual(["/tempoLight"]);
    expect((await once("none")).asked).toEqual([]);
  });

  test("what-if: The official source is down · says the first failure at once, and until when it tries again", async () => {
    const { once, lines, end } = await openOnce();
    const asked = Date.now();
    const polled = once("none", `http://${NOBODY}`);
    await vi.waitFor(() => expect(lines).not.toEqual([]), PATIENCE);
    end();
    await expect(polled).rejects.toThrow();
    const [, failure, until = ""] = /^(.*); trying again until (\d\d:\d\d)$/.exec(lines[0] ?? "") ?? [];
    expect(failure).toMatch(/^The official source at .* could not be reached for GET /);
    const minutes = [240_000, 300_000].map((ms) => wallTime(asked + ms, "Europe/Paris").slice(11, 16));
    expect(minutes).toContain(until);
  });

  test("is content with one source, and says what the other one answered", async () => {
    const { once, away } = await openOnce();
    away.service = true;
    const withoutService = await once();
    expect([withoutService.fresh, withoutService.tomorrow]).toEqual([true, "blanc"]);
    expect(withoutService.failures.join()).toContain("GET /v1/public");
    const neither = await openOnce();
    Object.assign(neither.away, { service: true, rte: true });
    const { fresh, failures } = await neither.once();
    expect([fresh, failures.join()]).toEqual([false, expect.stringContaining("GET /tempoLight")]);
  });
});
