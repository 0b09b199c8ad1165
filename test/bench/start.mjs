import mqtt from "mqtt";
import { CONTESTANTS } from "./program.mjs";
import { median } from "./report.mjs";

const RUNS = 9;

/** Milliseconds from the start to the last topic retained: medians of runs by turns. */
export async function measureStart({ services, ...surroundings }, report) {
  const times = { floor: [], vigie: [] };
  const whole = [];
  for (let run = 0; run < RUNS; run += 1) {
    for (const name of Object.keys(times)) {
      const service = services[run % services.length];
      const { first, last } = await startOnce(name, `start${run}${name}`, { ...surroundings, service });
      times[name].push(first);
      if (name === "vigie") whole.push(last);
    }
  }
  const [floor, vigie] = [median(times.floor), median(times.vigie)];
  report.text("Start: until the forecasts are on the broker, the last topic of that snapshot and `online`");
  report.note("start of the floor", floor, "ms");
  report.note("start of vigie", vigie, "ms");
  report.note("  with the season and a year of history", median(whole), "ms");
  report.figure("start, vigie over floor", vigie / floor, 3, "x");
}

async function startOnce(name, base, surroundings) {
  const { start, isDone } = CONTESTANTS[name];
  const observer = await observe(surroundings.broker.port, base);
  const program = start({ ...surroundings, base });
  const first = await observer.until((retained) => isDone(retained, base), program);
  const last =
    name === "floor" ? first : await observer.until((retained) => isWhole(retained, base), program);
  await program.end();
  await observer.end();
  return { first: first - program.started, last: last - program.started };
}

/** History is asked last. */
function isWhole(retained, base) {
  return (retained.get(`${base}/season/used/bleu`) ?? "None") !== "None";
}

async function observe(port, base) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
  const retained = new Map();
  const checks = new Set();
  client.on("message", (topic, payload) => {
    const at = performance.now();
    retained.set(topic, payload.toString());
    for (const check of checks) check(at);
  });
  await client.subscribeAsync(`${base}/#`);
  return {
    until: (holds, program) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`Expected topics, got: ${program.said()}`)), 30_000);
        const check = (at) => {
          if (!holds(retained)) return;
          clearTimeout(limit);
          checks.delete(check);
          resolve(at);
        };
        checks.add(check);
        check(performance.now());
      }),
    end: () => client.endAsync(),
  };
}
