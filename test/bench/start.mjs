import { observe } from "./observer.mjs";
import { readSpent } from "./spent.mjs";

const RUNS = 7;

/** Milliseconds from the start to the last topic, in runs by turns. */
export async function measureStart({ contestants, services, ...surroundings }, report) {
  const names = Object.keys(contestants);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const spent = Object.fromEntries(names.map((name) => [name, []]));
  const whole = { vigie: [], source: [] };
  for (let turn = 0; turn < RUNS; turn += 1) {
    for (const name of names) {
      const place = {
        ...surroundings,
        service: services[turn % services.length],
        base: `start${turn}${name}`,
      };
      const run = await startOnce(contestants[name], place);
      times[name].push(run.first);
      spent[name].push(run.spent);
      whole[name]?.push(run.last);
    }
  }
  report.beside("start", times);
  if (process.platform === "linux") report.beside("startSpent", spent);
  report.beside("whole", whole);
}

/** Milliseconds from its start to the last topic. */
export async function startOnce({ start, isDone, isWhole = isDone }, surroundings) {
  const observer = await observe(surroundings.broker.port, surroundings.base);
  const program = await start(surroundings);
  const first = await observer.until(isDone, program);
  const spent = process.platform === "linux" ? await readSpent(program.pid) : undefined;
  const last = await observer.until(isWhole, program);
  await program.end();
  await observer.clear();
  await observer.end();
  return { first: first - program.started, last: last - program.started, spent };
}
