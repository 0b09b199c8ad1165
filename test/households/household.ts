import { createBroker } from "./broker.ts";
import { createDevices } from "./devices.ts";
import { createDisk } from "./disk.ts";
import { followSeries } from "./follow-series.ts";
import { baseTopicOf } from "./generate-options.ts";
import { findLeak } from "./leaks.ts";
import { startMachine } from "./machine.ts";
import { createOtherVigie } from "./other-vigie.ts";
import { randomFrom } from "./random.ts";
import { readConfigs } from "./read-config.ts";
import type { Scenario, ScriptEvent } from "./scenario.ts";
import { isWithoutHouse } from "./seams.ts";
import { openSecrets } from "./secrets.ts";
import { createSources, inventedBy } from "./sources.ts";
import type { Seen, Trace, TraceEvent } from "./trace.ts";
import { createVigieProcess } from "./vigie-process.ts";
import { createWeb } from "./web.ts";
import { readWrongEdits } from "./wrong-edits.ts";

/** Lives a household from its beginning to its end, to vigie's first crash, or until the time for it is over. */
export async function runHousehold(scenario: Scenario, isTimeOver = () => false): Promise<Trace> {
  const secrets = openSecrets();
  const configs = await readConfigs(scenario.configs, secrets.folder);
  const wrongEdits = await readWrongEdits(scenario.events, configs);
  const began = Date.parse(scenario.from);
  const events: TraceEvent[] = [];
  let isOver = false;
  const tell = (seen: Seen) => {
    events.push({ at: machine.clock.now(), steady: machine.steady(), ...seen });
  };
  const machine = startMachine(began, (error) => vigie.crash(error));
  const random = randomFrom(`household/${scenario.seed}`);
  const base = baseTopicOf(scenario);
  const broker = createBroker({ machine, tell: note, isOld: scenario.oldBroker, base });
  const disk = createDisk({ machine, tell: note });
  const sources = createSources({
    machine,
    tell: note,
    ...inventedBy(scenario),
  });
  const devices = createDevices(scenario.devices, {
    machine,
    broker,
    random: randomFrom(`devices/${scenario.seed}`),
  });
  const web = createWeb({ machine, tell: note, devices });
  const otherVigie = createOtherVigie({ base, machine, broker, tell: note });
  const installation = `house${scenario.seed}`;
  const vigie = createVigieProcess({
    machine,
    broker,
    sources,
    web,
    disk,
    installation,
    random,
    tell: note,
    // As systemd and Docker do.
    yieldEnded: () => machine.later(STARTED_AGAIN, start),
  });
  /** Steps of vigie until it is killed. */
  let stepsLeft = Number.POSITIVE_INFINITY;
  /** How many faults are in force; and when something last happened from outside. */
  let faults = 0;
  let disturbed = 0;
  let current = configs[0]!;
  let isAsleep = false;

  function note(seen: Seen): void {
    tell(seen);
    const earlier = events[events.length - MOST_A_MINUTE];
    if (earlier && machine.steady() - earlier.steady < 60_000)
      vigie.crash(new Error("vigie does the same again and again, without end"));
    if (seen.kind === "crash") isOver = true;
    if (STEPS.has(seen.kind)) countStep();
  }
  function countStep(): void {
    stepsLeft -= 1;
    // Not in the middle of what vigie does just now, but before anything else of it.
    if (stepsLeft === 0) machine.later(0, vigie.kill);
  }
  const killAfter = (steps: number) => {
    stepsLeft = steps + 1;
    countStep();
    machine.later(LATEST_KILL, () => {
      if (stepsLeft <= 0 || stepsLeft === Number.POSITIVE_INFINITY) return;
      stepsLeft = Number.POSITIVE_INFINITY;
      vigie.kill();
    });
  };
  /** A fault, or the like, that is over after so many seconds. */
  const forAWhile = (seconds: number, begin: () => void, end: () => void) => {
    faults += 1;
    begin();
    machine.later(seconds * 1000, () => {
      faults -= 1;
      disturbed = machine.steady();
      end();
    });
  };
  const suspend = () => {
    isAsleep = true;
    note({ kind: "suspend" });
    machine.suspend();
  };
  const resume = () => {
    isAsleep = false;
    machine.resume();
    note({ kind: "resume" });
  };
  /** A machine that sleeps does not answer. */
  const askForHealth = () => {
    const views = isAsleep ? null : vigie.views();
    if (views) note({ kind: "health", health: views.health, isHealthy: views.isHealthy });
  };
  /** A machine that sleeps starts it when it is awake again. */
  const start = () => {
    if (isAsleep) machine.later(1_000, start);
    else vigie.start(current);
  };
  const act = (event: ScriptEvent): void => {
    switch (event.kind) {
      case "start":
        // With a part of its file vigie may begin on its own broker and with invented days: in another house.
        if (current.wrong === undefined || !isWithoutHouse(current.read)) start();
        break;
      case "stop":
        vigie.stop();
        break;
      case "kill":
        killAfter(event.steps);
        break;
      case "edit":
        current = wrongEdits.get(event) ?? configs[event.config] ?? configs[0]!;
        // A machine that sleeps reads it when it wakes up.
        machine.arrive(0, () => vigie.readAgain(current));
        break;
      case "reload":
        machine.arrive(0, () => vigie.reload(current));
        break;
      case "jump":
        machine.jump(event.by * 1000);
        note({ kind: "jump", by: event.by * 1000 });
        break;
      case "suspend":
        forAWhile(event.for, suspend, resume);
        if (event.for > KEEPALIVE) machine.later(KEEPALIVE * 1000, broker.breakConnections);
        break;
      case "broker":
        if (event.for > AWAY_LONG) machine.later(AWAY_LONG * 1000, askForHealth);
        forAWhile(
          event.for,
          () => (event.how === "frozen" ? broker.freeze() : broker.goDown(event.how)),
          () => {
            broker.comeUp(event.retained);
            devices.connectAgain();
            otherVigie.connectAgain();
          },
        );
        break;
      case "broker saves":
        broker.save();
        break;
      case "duplicates":
        forAWhile(
          event.for,
          () => broker.setDuplicating(true),
          () => broker.setDuplicating(false),
        );
        break;
      case "password":
        forAWhile(
          event.for,
          () => broker.setLogin(event, event.cuts),
          () => broker.setLogin(null),
        );
        break;
      case "connection lost":
        broker.breakConnections();
        break;
      case "latency":
        forAWhile(
          event.for,
          () => broker.setLatency(event.milliseconds),
          () => broker.setLatency(1),
        );
        break;
      case "refuse":
        forAWhile(
          event.for,
          () => broker.refuse((topic) => topic === event.topic, event.ends),
          () => broker.refuse(null),
        );
        break;
      case "source":
        forAWhile(
          event.for,
          () => sources.setFault(event.source, event.fault),
          () => sources.setFault(event.source, null),
        );
        break;
      case "disk":
        forAWhile(
          event.for,
          () => disk.setFault(event.fault),
          () => disk.setFault(null),
        );
        break;
      case "state file":
        if (!vigie.isRunning()) disk.suffer(event);
        break;
      case "command":
        broker.publish("command", { ...event, retain: event.retain ?? false });
        break;
      case "home assistant":
        broker.publish("home assistant", {
          topic: "homeassistant/status",
          payload: event.payload,
          retain: false,
        });
        break;
      case "foreign":
        broker.publish("house", { ...event, retain: event.retain ?? true });
        break;
      case "other vigie":
        forAWhile(event.for, () => otherVigie.start(event.how), otherVigie.end);
        break;
      case "delete":
        for (const topic of broker.retained().keys())
          if (`${topic}/`.startsWith(`${event.below}/`))
            broker.publish("house", { topic, payload: "", retain: true });
        break;
      case "report":
        broker.publish("device", event);
        break;
      case "press":
        devices.press(event.device);
        break;
      case "power":
        devices.cutPower(event);
        break;
      case "web":
        web.setFault(event.host, event.device, event.fault);
        machine.later(event.for * 1000, () => web.setFault(event.host, event.device, null));
        break;
      case "secret file":
        secrets.remove(event.name);
        tell({ kind: "secret file", name: event.name, isThere: false });
        machine.later(event.for * 1000, () => {
          secrets.write(event.name);
          tell({ kind: "secret file", name: event.name, isThere: true });
        });
        break;
      case "series":
        followSeries(event, { machine, broker, random: randomFrom(`${event.topic}/${event.at}`) });
        break;
      case "quiet": {
        const page = vigie.page();
        // One that had to leave the base topic does nothing until the other vigie has been silent for long.
        const isOwner =
          events.findLast(({ kind }) => kind === "yield" || kind === "connected")?.kind !== "yield";
        const isSettled = vigie.runsSince() < machine.steady() - SETTLES;
        const isQuiet = isSettled && isOwner && broker.isUp() && faults === 0;
        const leak = findLeak("the page", page);
        const read = () => ({ retained: broker.retained(), page, views: vigie.views() });
        if (isQuiet) tell({ kind: "quiet", since: disturbed, ...read() });
        else if (leak) tell(leak);
        break;
      }
      case "look":
        tell({
          kind: "look",
          name: event.name,
          yaml: current.yaml,
          retained: broker.retained(),
          stateFile: disk.read()?.toString() ?? null,
          shown: vigie.shown(),
        });
        break;
    }
  };
  for (const event of scenario.events) {
    machine.later(event.at * 1000, () => {
      if (event.kind !== "quiet" && event.kind !== "look") disturbed = machine.steady();
      act(event);
    });
  }
  try {
    await machine.live(scenario.length * 1000, () => isOver || isTimeOver());
  } finally {
    machine.endProcess();
    machine.restore();
    secrets.close();
  }
  return { began, events };
}

/** What may be the last thing that vigie does. */
const STEPS = new Set<Seen["kind"]>(["request", "answer", "published", "acknowledged", "write", "connected"]);
/** What is seen in a minute; some thousands are usual on a new connection. */
const MOST_A_MINUTE = 6_000;
const LATEST_KILL = 10_000;
/** Milliseconds after which a vigie that left the base topic to another one is started again. */
const STARTED_AGAIN = 90_000;
/** Seconds after which vigie has noticed that the broker is away. */
const AWAY_LONG = 150;
/** Milliseconds that a start may take until all is right. */
const SETTLES = 100_000;
/** Seconds: one and a half times vigie's keepalive. */
const KEEPALIVE = 90;
