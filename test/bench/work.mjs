import { join } from "node:path";
import { addDays } from "../../.build/core/calendar/dates.js";
import { learn } from "../../.build/core/days/learn.js";
import { look } from "../../.build/core/loop/look.js";
import { settle } from "../../.build/core/loop/settle.js";
import { startKnown } from "../../.build/core/loop/start.js";
import { renderPage } from "../../.build/http/page/render-page.js";
import { systemClock } from "../../.build/runtime/clock.js";
import { CONFIG, openMeasuredLoop } from "./measured-loop.mjs";
import { startProgram, VIGIE } from "./program.mjs";
import { threadTime } from "./spent.mjs";

const FROM = "2026-07-07T12:00:00Z";
const POLLS = 60;
const RUNS = 500;

/** CPU of this process; the simulator is another process, and its clock runs fast, so that its limit of 60 a minute is none. */
export async function measureWork({ folder }, report) {
  const options = ["simulator", "--port", "0", "--from", FROM, "--speed", "240"];
  const simulator = startProgram(process.execPath, [VIGIE, ...options]);
  const [, service] = await simulator.says(/vigie simulator: (http:\S+)/);
  const time = { now: Date.parse(FROM) + 300_000 };
  const clock = {
    ...systemClock,
    now: () => time.now,
    steady: () => time.now,
    after: (milliseconds, run) => {
      time.now += milliseconds;
      queueMicrotask(run);
      return () => undefined;
    },
  };
  const measured = await openMeasuredLoop({ service, clock, folder: join(folder, "work") });
  await measured.poll();
  measured.counts.topics.clear();
  const polls = [];
  for (let poll = 0; poll < POLLS; poll += 1) {
    time.now += 10_000;
    const before = process.cpuUsage();
    await measured.poll();
    polls.push(spentSince(before));
  }
  await measured.close();
  await simulator.end();
  report.text(`A poll with nothing new: ${measured.counts.topics.size} topics differed in ${POLLS} polls`);
  report.alone("work", polls);
  const { kept } = measured.loop.known();
  const known = { ...kept, days: addOfficialDays(kept.days, time.now) };
  const at = { now: clock.now(), steady: clock.steady() };
  const refreshWith = (rules) => createRefresh(known, at, { ...measured.config, rules });
  const refresh = refreshWith(CONFIG.rules);
  report.alone("refresh", timeRuns(refreshWith([])));
  report.alone("refreshRules", timeRuns(refresh));
  report.alone("render", timeRenders(refresh()));
}

/** What the loop does after each event that may change something: it settles, and looks. */
function createRefresh(kept, at, config) {
  let known = startKnown(kept, { at, config, broker: "", before: null });
  const protect = (_part, run) => {
    run();
    return true;
  };
  return () => {
    const settled = settle(known, at, { config, protect });
    known = settled.known;
    return look(known, at, config, settled);
  };
}

function timeRenders(found) {
  const view = {
    ...found,
    version: "bench",
    instance: "vigie",
    tariff: CONFIG.tariff,
    rules: CONFIG.rules,
    broker: { connected: true, url: "mqtt://127.0.0.1" },
    homeAssistant: null,
  };
  return timeRuns(() => renderPage(view, { language: "fr" }));
}

function timeRuns(work) {
  return Array.from({ length: RUNS }, () => {
    const before = threadTime();
    work();
    return threadTime() - before;
  });
}

/** The known days, and as many official days before the oldest as make 400 in all. */
function addOfficialDays(knownDays, now) {
  const [oldest] = Object.keys(knownDays.days);
  const missing = 400 - Object.keys(knownDays.days).length;
  const rates = { hp: 0.1612, hc: 0.1325 };
  const words = { color: "bleu", raw: null, rates, predicted_color: "bleu", prediction_confidence: 0.9 };
  const entries = Array.from({ length: missing }, (_, days) => ({
    date: addDays(oldest, days - missing),
    ...words,
  }));
  const answer = { kind: "history", start: addDays(oldest, -missing), end: oldest, entries };
  return learn(knownDays, answer, now, CONFIG.tariff);
}

function spentSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
