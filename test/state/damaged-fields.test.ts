import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createDaemon } from "../../src/app/daemon.ts";
import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { emptyState, type State } from "../../src/state/state.ts";
import { openStore } from "../../src/state/store.ts";
import { loadText } from "../config/folder.ts";
import { forecast, knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { LONG } from "../support/long.ts";
import { NOBODY } from "../support/ports.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vigie-fields-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SERVICE = `http://${NOBODY}/v1`;
const OFFICIAL = `http://${NOBODY}`;
const CONFIG = {
  service: { base_url: SERVICE },
  official: { source: OFFICIAL },
  mqtt: { url: `mqtt://${NOBODY}` },
  rules: [
    {
      id: "ahead",
      hold: "2h",
      threshold: 60,
      when: { day: "next", color: "rouge", confidence: "threshold" },
    },
    { id: "low", when: { mqtt: { topic: "car", below: 40, max_age: "2h" } } },
    { id: "both", when: { any: [{ rule: "ahead" }, { rule: "low" }] } },
  ],
  outputs: [
    {
      topic: "relay/set",
      choose: [{ when: "both", payload: "off" }],
      else: "on",
      confirm: { topic: "relay" },
    },
  ],
};

/** A state that has an entry of every kind. */
function fullState(now: number): State {
  const today = civilDate(now, "Europe/Paris");
  const held = { color: "rouge" as const, confidence: 0.7, hp: 0.7, hc: 0.1 };
  const at = now - 60_000;
  const pause = { until: now + 60_000, turns: 1 };
  const asked = { spent: { day: today, count: 4 }, recent: [at], sent_at: at, pause };
  const days = {
    ...officialDays(addDays(today, -40), addDays(today, -1)),
    [today]: {
      ...official("bleu", { revised_from: "blanc" }),
      prediction: { color: "bleu" as const, confidence: 0.5 },
    },
    [addDays(today, 1)]: forecast("rouge", {
      said_at: at,
      seen_at: at,
      rates: { hp: 0.7, hc: 0.1 },
      by_date: true,
    }),
    [addDays(today, 2)]: forecast("blanc", { said_at: at, seen_at: at }),
  };
  const quota = { rouge: 1, blanc: 2, bleu: 3 };
  const season = {
    label: `${today.slice(0, 4)}-${Number(today.slice(0, 4)) + 1}`,
    ...{ start: addDays(today, -80), end: addDays(today, 280), remaining: quota, total: quota },
    ...{ days_elapsed: 80, days_remaining: 280, seen_at: at },
  };
  const rule = { state: true, since: at, moved: at, turned: at, values: { key: true } };
  const believed = { forecasts: { [addDays(today, 1)]: held }, rules: {} };
  const sent = { payload: "on", expect: "on", at, acknowledged: true, stands: true, answer: "awaited" };
  return {
    ...emptyState("abc"),
    incarnation: "one",
    published: [{ base_topic: "vigie", instance: "vigie", prefix: "homeassistant" }],
    books: { [SERVICE]: knownDaysOf(days, { seasons: { [season.label]: season }, updated_at: at }) },
    clients: {
      [SERVICE]: {
        ...asked,
        ...{ percent: false, history_parameters: { start: "start", end: "end" } },
        ...{
          official_missing: { since: at, answers: 2, last: at },
          asked: { season: today, history: today },
        },
      },
    },
    official_words: { [OFFICIAL]: { [today]: { color: "bleu", first_said: at, confirmed: true } } },
    official_clients: { [OFFICIAL]: { ...asked, failing_since: at } },
    rules: {
      at,
      heard: believed.forecasts,
      rules: {
        ahead: { ...rule, believed: believed.forecasts },
        both: { ...rule, believed_of: { ahead: believed } },
      },
    },
    settings: {
      ahead: {
        enabled: true,
        meanwhile: { enabled: false, from: at, until: now + 3_600_000 },
        threshold: { value: 70, configured: 60 },
      },
    },
    outputs: { "relay/set": { ...sent, choice: "both", because: "low", tries: 1, last_answer: "off" } },
    simulation: { color: "rouge", from: "now", date: today, begun: at, until: now + 3_600_000 },
    values: { car: { hash: "x", at } },
  };
}

type Path = readonly string[];

/** Each value of a JSON text, whatever it is in. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

/** The text with this in place of one value, or of its key. */
function damage(state: State, [key = "", ...rest]: Path, damaged: string): string {
  const replace = (value: unknown, name: string, below: Path): string => {
    const parts = Object.entries(value as object).map(([one, part]) => {
      const [next = "", ...deeper] = below;
      if (one !== name) return [one, JSON.stringify(part)];
      if (below.length > 0) return [one, replace(part, next, deeper)];
      return damaged.startsWith("KEY ") ? [damaged.slice(4), JSON.stringify(part)] : [one, damaged];
    });
    if (Array.isArray(value)) return `[${parts.map(([, text]) => text).join()}]`;
    return `{${parts.map(([one, text]) => `${JSON.stringify(one)}:${text}`).join()}}`;
  };
  return replace(state, key, rest);
}

const OF_NUMBERS = ["1e308", "253402300799999", "1.5", "null"];
const OF_TEXTS = ['"9999-12-31"', '"0000-01-01"', "7"];
const OF_OTHERS = ["null", "[]"];
const OF_KEYS = ["KEY 9999-12-31", "KEY __proto__"];

function damagesOf(path: Path): string[] {
  const value = path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], state);
  if (typeof value === "number") return OF_NUMBERS;
  return [...(typeof value === "string" ? OF_TEXTS : OF_OTHERS), ...OF_KEYS];
}

/** `npm test` damages one value in four, each in another way than the one before. */
function chosenOf(damages: string[], index: number): string[] {
  if (LONG) return damages;
  return index % 4 === 0 ? damages.filter((_, number) => number === (index / 4) % damages.length) : [];
}

const state = fullState(Date.now());
/** Of the many alike days, one is enough. */
const isAlike = ([first, , third, date = ""]: Path) =>
  first === "books" && third === "days" && date < addDays(civilDate(Date.now(), "Europe/Paris"), 0);

const NAMES = Object.keys(state).filter((name) => name !== "version");

describe("a state file with one damaged field", () => {
  const paths = pathsIn(JSON.parse(JSON.stringify(state))).filter((path) => !isAlike(path));

  test.each(NAMES)("within %s: vigie starts from it, and shows everything", async (name) => {
    const { config } = await loadText(JSON.stringify(CONFIG));
    const within = paths.filter(([first]) => first === name);
    const cases = within.flatMap((path, index) =>
      chosenOf(damagesOf(path), index).map((damaged) => ({ path, damaged })),
    );
    for (const { path, damaged } of cases) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      writeFileSync(join(folder, "state.json"), damage(state, path, damaged));
      await startFrom(config).catch((error: Error) => {
        throw new Error(`${path.join(" ")}, ${damaged}: ${error.message}`, { cause: error });
      });
    }
  });

  test("is set aside where its known days hold an instant of no date", async () => {
    const { config } = await loadText(JSON.stringify(CONFIG));
    writeFileSync(join(folder, "state.json"), damage(state, ["books", SERVICE, "updated_at"], "1e308"));
    await startFrom(config);
    expect(readdirSync(folder)).toContain("state.damaged-1.json");
  });
});

type Config = Awaited<ReturnType<typeof loadText>>["config"];

async function startFrom(config: Config): Promise<void> {
  const problemLog = createProblemLog(SILENT_LOG, systemClock);
  const store = await openStore(folder, { log: SILENT_LOG, problemLog, random: Math.random });
  const { installation, incarnation: previousIncarnation } = store.state();
  const daemon = createDaemon({
    store,
    log: SILENT_LOG,
    problemLog,
    clock: systemClock,
    random: Math.random,
    longestSleep: 15_000,
    identity: { installation, incarnation: "two", previousIncarnation, host: "test", version: "0", since: 0 },
    embeddedPort: 0,
    takeOver: false,
  });
  try {
    await daemon.start(config);
    const view = daemon.view();
    if (!view) throw new Error("it shows nothing");
    for (const { render } of ROUTES) render(view, { language: "en", query: new URLSearchParams() });
  } finally {
    await daemon.stop();
  }
}
