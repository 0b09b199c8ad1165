// A stranger at the broker: random messages at the built program for minutes, on both versions of MQTT at once.
import { parseArgs } from "node:util";
import { pick, randomFrom } from "../../src/simulator/random.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { createCleanup } from "../support/vigie.ts";
import { type AttackOutcome, attack } from "./attack.ts";
import type { Queue } from "./house.ts";

const HELP = "npm run stranger -- [--minutes 10] [--seed SEED] [--mqtt 5|4] [--queue unlimited|1000]";
const MINUTE = 60_000;
const VERSIONS = ["5", "4"] as const;
const QUEUES = ["unlimited", "1000"] as const;
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
    mqtt: { type: "string" },
    queue: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const cleanup = createCleanup();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => cleanup.run().finally(() => process.exit(1)));
process.exitCode = await run().finally(cleanup.run);

async function run(): Promise<number> {
  if (values.help) {
    print(HELP);
    return 0;
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`Expected a number of minutes, got ${values.minutes}`);
  if (withoutMosquitto) throw new Error(withoutMosquitto);
  const { seed, mqtt } = values;
  const queue = readQueue(seed);
  print(
    `A stranger at the broker for ${minutes} minutes, seed ${seed}, queue ${queue}, Node ${process.version}`,
  );
  const outcomes = await Promise.all(
    VERSIONS.filter((version) => mqtt === undefined || mqtt === version).map(async (version) => {
      const outcome = await attack(
        { seed, version: version === "5" ? 5 : 4, queue, length: minutes * MINUTE },
        cleanup,
      );
      printOutcome(`MQTT ${version === "5" ? "5" : "3.1.1"}`, outcome);
      return outcome;
    }),
  );
  if (outcomes.length === 0) throw new Error(`Expected --mqtt to be 5 or 4, got ${mqtt}`);
  return outcomes.every(({ wrong }) => wrong.length === 0) ? 0 : 1;
}

/** By the seed, unless told. */
function readQueue(seed: string): Queue {
  const queue = QUEUES.find((one) => one === (values.queue ?? pick(QUEUES, randomFrom(`${seed} queue`))));
  if (queue === undefined) throw new Error(`Expected --queue to be unlimited or 1000, got ${values.queue}`);
  return queue;
}

function printOutcome(
  name: string,
  { messages, bytes, memory, log, recoveries, wrong }: AttackOutcome,
): void {
  const most = memory === null ? "not measured without /proc" : `${memory.toFixed(1)} MB`;
  const sent = `${messages} messages, ${(bytes / 1e6).toFixed(1)} MB`;
  const slowest = Math.max(0, ...recoveries).toFixed(1);
  print(`${name}: ${sent}; memory ${most}; log ${log} bytes; right again within ${slowest} s`);
  for (const line of wrong) print(`${name}: ${line}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
