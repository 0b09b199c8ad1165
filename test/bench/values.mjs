import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { withoutPolls } from "./contestants.mjs";
import { readAnonymous } from "./memory.mjs";
import { startProgram } from "./program.mjs";
import { readSpent } from "./spent.mjs";

const HOUSE = fileURLToPath(new URL("house.mjs", import.meta.url));
const SUBSCRIBER = fileURLToPath(new URL("subscriber.mjs", import.meta.url));
const RULES = 10;
const TOPICS_OF_A_RULE = 10;
const OUTPUTS = 50;
const SETTLING = 20_000;
/** Memory is compared between the first half of them and the second. */
const ROUNDS_OF_VALUES = 6;
const ROUNDS_OF_REPORTS = 3;
const ROUND = 20_000;

/** 100 topics with 5 messages a second each, for vigie with a rule for every ten of them, and for a bare subscriber. */
export async function measureValues(surroundings, report) {
  const rules = Array.from({ length: RULES }, (_, index) => ruleOf(index));
  const turns = await countTurns(surroundings.broker.port);
  const programs = await startPrograms(surroundings, "values", { VIGIE_RULES: JSON.stringify(rules) });
  const turnsBefore = turns.most();
  const { spent, memory } = await measureRounds(programs, ROUNDS_OF_VALUES);
  report.beside("values", spent);
  report.alone("valuesTurns", [((turns.most() - turnsBefore) / (ROUNDS_OF_VALUES * ROUND)) * 1000]);
  const half = ROUNDS_OF_VALUES / 2;
  // Between two garbage collections it goes up and down by some MB.
  const least = (rounds) => Math.min(...rounds);
  report.alone("valuesGrowth", [least(memory.slice(half)) - least(memory.slice(0, half))]);
  await turns.end();
  await endPrograms(programs);
}

/** 50 devices that report 10 times a second each, for vigie with an output for each of them, and for a bare subscriber. */
export async function measureReports(surroundings, report) {
  const outputs = Array.from({ length: OUTPUTS }, (_, index) => outputOf(index));
  const programs = await startPrograms(surroundings, "reports", {
    VIGIE_RULES: JSON.stringify([RULE_OF_OUTPUTS]),
    VIGIE_OUTPUTS: JSON.stringify(outputs),
  });
  const { spent } = await measureRounds(programs, ROUNDS_OF_REPORTS);
  report.beside("reports", spent);
  await endPrograms(programs);
}

/** `what` the house says, which is also the base topic of vigie. */
async function startPrograms({ contestants, services: [service], broker, folder }, what, env) {
  const settings = { ...withoutPolls(), ...env };
  const vigie = await contestants.vigie.start({ service, broker, folder, base: what, env: settings });
  const subscriber = startProgram(process.execPath, [SUBSCRIBER, String(broker.port)]);
  const house = startProgram(process.execPath, [HOUSE, String(broker.port), what]);
  await pause(SETTLING);
  return { vigie, subscriber, house };
}

async function endPrograms(programs) {
  await Promise.all(Object.values(programs).map((program) => program.end()));
}

/** CPU of each second, and vigie's memory after each round. */
async function measureRounds({ vigie, subscriber }, rounds) {
  const spent = { vigie: [], subscriber: [] };
  const memory = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await Promise.all([readSpent(vigie.pid), readSpent(subscriber.pid)]);
    await pause(ROUND);
    const after = await Promise.all([readSpent(vigie.pid), readSpent(subscriber.pid)]);
    for (const [index, name] of ["vigie", "subscriber"].entries()) {
      spent[name].push(((after[index] - before[index]) / ROUND) * 1000);
    }
    memory.push(await readAnonymous(vigie.pid));
  }
  return { spent, memory };
}

/** It is ON at any time: at the first start `else` sends nothing, and then no report would be compared. */
const RULE_OF_OUTPUTS = { id: "known", when: { day: "now", known: true } };

/** What docs/devices.md has for a plug of zigbee2mqtt, with `expect`; in house.mjs each plug says that it is OFF. */
function outputOf(index) {
  return {
    id: `plug_${index}`,
    topic: `house/${index}/set`,
    choose: [{ when: RULE_OF_OUTPUTS.id, payload: "OFF", expect: { state: "OFF" } }],
    else: { payload: "ON", expect: { state: "ON" } },
    confirm: { topic: `house/${index}`, keep: true },
  };
}

/**
 * Some of its topics pass their bounds each second; all those of the first rule some times a second, and it has no hold, so that
 * only the limit of one evaluation a second keeps it from publishing more.
 */
function ruleOf(index) {
  const isFirst = index === 0;
  const any = Array.from({ length: TOPICS_OF_A_RULE }, (_, topic) => ({
    mqtt: {
      topic: `house/${index * TOPICS_OF_A_RULE + topic}`,
      ...(isFirst ? { path: "linkquality", below: 128 } : { path: "battery", below: 20 + topic }),
      max_age: "2h",
    },
  }));
  return { id: `house_${index}`, ...(!isFirst && { hold: "30m" }), when: { any } };
}

/** The most verdicts that one rule has published. */
async function countTurns(port) {
  const counts = new Map();
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
  client.on("message", (topic) => counts.set(topic, (counts.get(topic) ?? 0) + 1));
  await client.subscribeAsync("values/rules/+");
  return { most: () => Math.max(0, ...counts.values()), end: () => client.endAsync() };
}
