import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { finishOutputs, outputsOptions } from "../../.build/config/outputs-options.js";
import { rulesOptions } from "../../.build/config/rules-options.js";
import { systemClock } from "../../.build/runtime/clock.js";
import { startSimulator } from "../../.build/simulator/server.js";
import { CONFIG, openMeasuredLoop } from "./measured-loop.mjs";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const QUIET = "2026-07-06T22:00:00Z";
const WINTER = "2026-01-04T23:00:00Z";

/**
 * The seven days of a week in summer, when hardly anything happens, and of one in January. A day with values each second takes
 * half a minute of CPU: two days of it tell as much.
 */
export async function measureDays({ folder }, report) {
  const quiet = await measureSomeDays(Date.parse(QUIET), join(folder, "quiet"));
  const house = await measureSomeDays(Date.parse(QUIET), join(folder, "house"), { ...startHouse(), days: 2 });
  const devices = await measureSomeDays(Date.parse(QUIET), join(folder, "devices"), {
    ...startDevices(),
    days: 2,
  });
  const official = await measureSomeDays(Date.parse(QUIET), join(folder, "official"), { hasOfficial: true });
  const winter = await measureSomeDays(Date.parse(WINTER), join(folder, "winter"));
  const tell = (name, days, what) =>
    report.alone(
      name,
      days.map((day) => day[what]),
    );
  for (const what of ["requests", "messages", "writes"]) tell(what, quiet, what);
  report.text(mostSent(quiet));
  tell("officialRequests", official, "officialRequests");
  tell("officialMessages", official, "messages");
  tell("officialWrites", official, "writes");
  tell("houseMessages", house, "messages");
  tell("houseWrites", house, "writes");
  report.text(mostSent(house));
  tell("deviceWrites", devices, "writes");
  tell("winterMessages", winter, "messages");
  report.text(mostSent(winter));
}

/** Some days, minute by minute; the day before it holds the first start, with a year of history. */
async function measureSomeDays(
  from,
  folder,
  { rules = CONFIG.rules, outputs, publish, days: count = 7, hasOfficial = false } = {},
) {
  const time = { now: from, from };
  const clock = {
    ...systemClock,
    now: () => time.now,
    steady: () => time.now - from,
    after: (milliseconds, run) => {
      time.now += milliseconds;
      queueMicrotask(run);
      return () => undefined;
    },
  };
  const simulator = await startSimulator({ port: 0, seed: 1, clock, sendDate: false });
  const official = hasOfficial ? simulator.url : null;
  const measured = await openMeasuredLoop({
    service: simulator.url,
    official,
    clock,
    folder,
    rules,
    outputs,
  });
  const answer = outputs && connectDevices(measured, time);
  const days = [];
  for (let day = 0; day <= count; day += 1) days.push(await measureDay(measured, time, { publish, answer }));
  await measured.close();
  await simulator.stop();
  return days.slice(1);
}

async function measureDay({ loop, counts, pollIfDue }, time, { publish, answer }) {
  Object.assign(counts, { requests: 0, officialRequests: 0, writes: 0 });
  counts.topics.clear();
  const end = time.now + DAY;
  for (let look = time.now; look < end; look += MINUTE) {
    while (nextWake(loop, time) <= look) {
      time.now = Math.max(time.now, nextWake(loop, time));
      await pollIfDue();
      await answer?.();
    }
    time.now = Math.max(time.now, look);
    for (let second = look; publish && second < look + MINUTE; second += 1_000) {
      time.now = Math.max(time.now, second);
      loop.post({ kind: "values", heard: publish(time.now), kept: {}, isSettled: true });
      // Values are looked at at the end of this turn of the event loop.
      await nextTurn();
    }
    await pollIfDue();
    await answer?.();
  }
  const messages = [...counts.topics.values()].reduce((sum, count) => sum + count, 0);
  return { ...counts, topics: new Map(counts.topics), messages };
}

/** When time alone changes something. */
function nextWake(loop, { from }) {
  const { boundary } = loop.view();
  return Math.min(boundary.now, from + boundary.steady);
}

/** The rules as shipped and two on values that arrive each second: a battery, and a temperature that is never quite still. */
function startHouse() {
  const [battery, cold] = rulesOptions.parse([
    { id: "battery", hold: "30m", when: { mqtt: { topic: "car", path: "soc", below: 40, max_age: "2h" } } },
    { id: "cold", hold: "1h", when: { mqtt: { topic: "garden", below: 12, max_age: "6h" } } },
  ]);
  const publish = (at) => {
    const day = (at % DAY) / DAY;
    const noise = Math.sin(at * 12.9898);
    const heard = new Map();
    heard.set("car", { payload: JSON.stringify({ soc: 90 - 60 * day }), at });
    heard.set("garden", { payload: String(18 - 8 * Math.cos(2 * Math.PI * day) + noise / 2), at });
    return heard;
  };
  return { rules: [...CONFIG.rules, battery, cold], publish };
}

/** Ten devices that report what they do: off in off-peak hours, and on in peak hours. */
function startDevices() {
  const rules = rulesOptions.parse([{ id: "peak", when: { period: "hp" } }]);
  const list = Array.from({ length: 10 }, (_, index) => ({
    topic: `device/${index}/set`,
    choose: [{ when: "peak", payload: "off" }],
    else: "on",
    confirm: { topic: `device/${index}` },
  }));
  return { rules: [...CONFIG.rules, ...rules], outputs: finishOutputs(outputsOptions.parse(list), "en") };
}

/** The broker acknowledges each payload, and each device reports a second after the one before. */
function connectDevices({ loop, noteWrites }, time) {
  const post = async (event) => {
    loop.post({ kind: "outputs", event });
    await nextTurn();
    await noteWrites();
  };
  loop.post({ kind: "outputs", event: { kind: "connection opened", connection: 1, version: 5 } });
  loop.post({ kind: "outputs", event: { kind: "reports read", connection: 1 } });
  let answered = 0;
  return async () => {
    for (;;) {
      const due = loop.view().sends.filter(({ number }) => number > answered);
      if (due.length === 0) return;
      answered = Math.max(...due.map(({ number }) => number));
      for (const { number } of due) await post({ kind: "acknowledged", number });
      for (const { payload, by } of due) {
        time.now += 1_000;
        const topic = by.topic.slice(0, -"/set".length);
        await post({ kind: "report", topic, payload, retain: false });
      }
    }
  };
}

function mostSent(days) {
  const sums = new Map();
  for (const [topic, count] of days.flatMap(({ topics }) => [...topics])) {
    sums.set(topic, (sums.get(topic) ?? 0) + count);
  }
  const rows = [...sums].sort(([, one], [, other]) => other - one);
  const shown = rows.slice(0, SHOWN).map(([topic, count]) => `${topic} ${count}`);
  return `by topic, of these days: ${shown.join(", ")}; ${rows.length - SHOWN} topics fewer times`;
}

const SHOWN = 20;
