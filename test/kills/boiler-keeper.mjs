// Keeps a boiler's output true over a broker until it is killed. Arguments: the folder of its state, the broker's address.
// Each line on the standard input says what the rule is from now on, ON or OFF: it begins with the first. What the broker
// has, and the state file knows of, is said on the standard output.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { dueSends } from "../../.build/core/outputs/flights.js";
import { readOutputs } from "../../.build/core/outputs/outputs-kept.js";
import { settleOutputs } from "../../.build/core/outputs/settle-outputs.js";
import { startOutputs } from "../../.build/core/outputs/start-outputs.js";
import { takeOutputs } from "../../.build/core/outputs/take-outputs.js";
import { createDeviceSink } from "../../.build/mqtt/device-sink.js";
import { createPublisher } from "../../.build/mqtt/publisher.js";
import { systemClock } from "../../.build/runtime/clock.js";
import { openStore } from "../../.build/state/store.js";

const [folder, url] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });
process.stdout.write("ready\n");
let isPeak = (await once(lines, "line"))[0] === "ON";

const log = { debug: String, info: String, warn: String, error: String };
const problemLog = { starts: String, isOver: String };
const store = await openStore(folder, { log, problemLog, random: Math.random });
const { installation, incarnation: previousIncarnation } = store.state();
const incarnation = `run-${process.pid}`;
await store.save({ ...store.state(), incarnation });

const choose = [{ when: "peak", payload: "off" }];
const name = { fr: "boiler", en: "boiler" };
const output = {
  id: "boiler",
  name,
  language: "en",
  key: "boiler/set",
  to: { kind: "mqtt", topic: "boiler/set", qos: 1, retain: false },
  message: false,
  choose,
  else: { payload: "on" },
};
const outputs = { dry_when_simulated: false, list: [output] };
const at = () => ({ now: systemClock.now(), steady: systemClock.steady() });
let part = startOutputs(readOutputs(store.state()).kept, at(), { outputs });
let saved = 0;
/** As the loop does it: what is due is settled, saved, and shown to the sink. */
const update = () => {
  const verdicts = { verdicts: new Map([["peak", { state: isPeak }]]), facts: {} };
  const both = { withSimulation: verdicts, withoutSimulation: verdicts };
  part = settleOutputs(part, at(), { outputs, verdicts: both });
  const { changes } = part.passing;
  if (changes > saved) {
    saved = changes;
    void store
      .save({ ...store.state(), outputs: part.kept.devices })
      .then(() => post({ kind: "saved", changes }));
  }
  sink.show(dueSends(part));
};
const post = (event) => {
  part = takeOutputs(part, event, at(), { outputs });
  update();
};
const sink = createDeviceSink({ outputs, problemLog, post });
const publisher = createPublisher({
  broker: { url, base_topic: "vigie", grace: 600_000, tls: { verify: true } },
  instance: "vigie",
  identity: { installation, incarnation, previousIncarnation, host: "test", version: "1.0.0", since: 0 },
  clock: systemClock,
  log,
  problemLog,
  random: Math.random,
  takeOver: false,
  post: String,
});
publisher.setTopics(new Map([["a", { payload: "1" }]]));
publisher.connect([sink]);
lines.on("line", (line) => {
  isPeak = line === "ON";
  update();
});
let said;
setInterval(() => {
  const sent = part.kept.devices["boiler/set"];
  if (!sent?.acknowledged || sent.payload !== (isPeak ? "off" : "on") || said === sent.payload) return;
  said = sent.payload;
  void store.flush().then(() => process.stdout.write(`${said}\n`));
}, 1);
