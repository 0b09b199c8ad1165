import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt from "mqtt";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createDaemon } from "../../src/app/daemon.ts";
import { judgeDaemon } from "../../src/app/health-report.ts";
import type { DaemonOptions } from "../../src/app/running.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { renderMetrics } from "../../src/http/metrics.ts";
import { renderState } from "../../src/http/state-json.ts";
import { startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";
import type { Log } from "../../src/runtime/log.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { openStore } from "../../src/state/store.ts";
import { folderWith, loadText } from "../config/folder.ts";
import { speedUpTime } from "../support/fast-timers.ts";
import { logTo, SILENT_LOG } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { readPage } from "../support/page-text.ts";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import { freePort, NOBODY } from "../support/ports.ts";
import { lastAnswersOf } from "../support/views.ts";

const FIRST_START = {
  installation: "test",
  incarnation: "one",
  previousIncarnation: null,
  host: "test",
  version: "0",
  since: 0,
};
const NEXT_START = { ...FIRST_START, incarnation: "two", previousIncarnation: "one" };
/** Days are invented; one source answers, with few requests. */
const FEW_ANSWERS = { service: { base_url: "none" }, official: { source: "simulator" } };
/** It depends neither on the day, which is invented, nor on the hour. */
const NEVER = { all: [{ period: "hp" }, { period: "hc" }] };

// vigie waits for answers, pauses between attempts, and gives a disk that hangs two seconds, again and again.
beforeEach(() => speedUpTime(20));

/** It ends with the test. */
function openDaemon(log: Log, more: Partial<DaemonOptions> = {}) {
  const daemon = createDaemon({
    store: createMemoryStore(emptyState("test")),
    log,
    problemLog: createProblemLog(log, more.clock ?? systemClock),
    clock: systemClock,
    random: Math.random,
    longestSleep: 15_000,
    identity: FIRST_START,
    embeddedPort: 0,
    takeOver: false,
    ...more,
  });
  onTestFinished(() => daemon.stop());
  return daemon;
}

test("a reload while a source does not answer says neither that it answers nor once more that it fails", async () => {
  const lines: string[] = [];
  const daemon = openDaemon(logTo(lines));
  const address = `http://${NOBODY}`;
  const settings = { service: { base_url: address }, mqtt: { url: `mqtt://${NOBODY}` } };
  const load = async (more: object) => (await loadText(JSON.stringify({ ...settings, ...more }))).config;
  const ofSource = () => lines.filter((line) => line.includes("forecast service"));
  await daemon.start(await load({}));
  await vi.waitFor(() => expect(ofSource()).toHaveLength(1), PATIENCE);
  await daemon.start(await load({ instance: "again" }));
  await vi.waitFor(() => expect(daemon.view()?.instance).toBe("again"), PATIENCE);
  expect(ofSource()).toEqual([expect.stringContaining("could not be reached")]);
});

test("the polls of each source are counted since the start, and when it answered last is known, also across a reload", async () => {
  // The hourly poll of this installation comes at 37 min 23 s past the hour: not while this test runs.
  vi.setSystemTime("2026-01-05T19:00:00Z");
  // Node.js would send the real date.
  const simulator = await startSimulator({ port: 0, seed: 1, clock: systemClock, sendDate: false });
  const folder = await mkdtemp(join(tmpdir(), "vigie-daemon-"));
  onTestFinished(async () => {
    await simulator.stop();
    await rm(folder, { recursive: true });
  });
  // Stopped before the simulator: what is registered last ends first.
  const daemon = openDaemon(SILENT_LOG);
  const settings = {
    service: { base_url: simulator.url },
    official: { source: simulator.url },

    mqtt: { url: `mqtt://${NOBODY}` },
  };
  const file = join(folder, "vigie.yaml");
  await writeFile(file, JSON.stringify(settings));
  const { config } = await loadConfig({ file, env: {}, cwd: folder, inContainer: false });
  const startAndPoll = async () => {
    await daemon.start(config);
    const answered = () => Object.values(daemon.view()?.pollCounts ?? {}).map((counts) => counts.answered);
    const [before = 0] = answered();
    await vi.waitFor(() => expect(answered()).toEqual([before + 1, before + 1]), PATIENCE);
    return daemon.view()?.pollCounts;
  };
  const none = { answered: 0, partly: 0, failed: 0, not_sent: 0 };
  expect(await startAndPoll()).toEqual({
    service: { ...none, answered: 1 },
    official: { ...none, answered: 1 },
  });
  const after = await startAndPoll();
  expect(after?.service?.answered).toBe(2);
  // So is when they answered last, also where they do not any more.
  const lastAnswers = () => {
    const view = daemon.view();
    return view && lastAnswersOf(view);
  };
  const before = lastAnswers();
  await simulator.stop();
  await daemon.start(config);
  expect(lastAnswers()).toEqual(before);
  expect(before?.saved).toEqual([]);
});

test("the missing value of a rule is no problem any more when a reload removes the rule", async () => {
  const lines: string[] = [];
  const daemon = openDaemon(logTo(lines));
  const rule = { id: "low", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "off" };
  const configWith = async (rules: object[]) =>
    (await loadText(JSON.stringify({ mqtt: { url: "embedded" }, ...FEW_ANSWERS, rules }))).config;
  const values = () => lines.filter((line) => line.includes("ule low") && line.includes("value"));
  await daemon.start(await configWith([rule]));
  const said = expect.stringMatching(/^Rule low counts as OFF \(when_unknown\)/);
  await vi.waitFor(() => expect(values()).toEqual([said]), 60_000);
  await daemon.start(await configWith([rule]));
  await daemon.published();
  expect(values()).toEqual([said]);
  await daemon.start(await configWith([]));
  expect(values()).toEqual([
    said,
    expect.stringMatching(/^No value is missing for rule low any more, after /),
  ]);
});

test("an output whose payload stands keeps vigie neither from a reload nor from a start: what is wanted and expected counts from then on", async () => {
  const HP = { period: "hp" };
  const CONFIRM = { topic: "plug", every: "1h", for: "2h" };
  const configWith = async (when: object, more: object) => {
    const rest = { mqtt: { url: "embedded" }, ...FEW_ANSWERS };
    const outputs = [{ topic: "plug/set", choose: [{ when: "r", payload: "off" }], ...more }];
    return (await loadText(JSON.stringify({ ...rest, rules: [{ id: "r", when }], outputs }))).config;
  };
  const store = createMemoryStore(emptyState("test"));
  const openAt = (time: string) => {
    const ahead = Date.parse(time) - Date.now();
    return openDaemon(SILENT_LOG, { store, clock: { ...systemClock, now: () => Date.now() + ahead } });
  };
  type Daemon = ReturnType<typeof openAt>;
  const statusOf = (daemon: Daemon) => daemon.view()?.outputs[0];
  const startWith = async (daemon: Daemon, when: object, more: object = {}) => {
    await daemon.start(await configWith(when, more));
    await daemon.published();
  };
  const untilSent = async (daemon: Daemon) => {
    await vi.waitFor(() => expect(statusOf(daemon)?.sent?.acknowledged).toBe(true), PATIENCE);
    expect(statusOf(daemon)?.sent).toMatchObject({ payload: "off", stands: true });
  };
  const over = { state: "sent", sent: { stands: false } };
  const noon = openAt("2026-01-05T12:00:00Z");
  await startWith(noon, HP, { confirm: CONFIRM });
  await untilSent(noon);
  await startWith(noon, HP, { confirm: { ...CONFIRM, expect: "OFF" } });
  expect(statusOf(noon)).toMatchObject({ state: "waiting", sent: { expect: "OFF" } });
  await startWith(noon, NEVER);
  expect(statusOf(noon)).toMatchObject(over);
  await startWith(noon, HP);
  await untilSent(noon);
  await noon.stop();
  const night = openAt("2026-01-05T23:00:00Z");
  await startWith(night, HP);
  expect(statusOf(night)).toMatchObject(over);
});

test.skipIf(withoutMosquitto)(
  `an output that is removed goes with its topics and its entity, after a reload and after a restart ${withoutMosquitto}`,
  async () => {
    const broker = await startMosquitto();
    onTestFinished(broker.remove);
    const all = await observe(broker.url);
    onTestFinished(all.disconnect);
    const until = (condition: () => boolean, what: string) => all.until(condition, what, 10 * PATIENCE);
    const outputs = ["boiler", "heater"].map((id) => ({
      id,
      name: { fr: "Chauffe-eau", en: "Boiler" },
      topic: `${id}/set`,
      choose: [{ when: "never", payload: "off" }],
      confirm: { topic: id },
    }));
    const configWith = async (count: number) => {
      const service = { base_url: "simulator", allow_simulator: true };
      const rules = [{ id: "never", when: NEVER }];
      const rest = { mqtt: { url: broker.url }, service, rules, outputs: outputs.slice(0, count) };
      return (await loadText(JSON.stringify(rest))).config;
    };
    const discovery = () => all.retained.get("homeassistant/device/vigie/config") ?? "{}";
    // Asked at each message: the text is long to parse.
    const isEntity = (id: string) => discovery().includes(`"outputs_${id}_state":`);
    const entities = () => JSON.parse(discovery()).components;
    const untilGone = (id: string) =>
      until(
        () =>
          ![...all.retained.keys()].some((topic) => topic.startsWith(`vigie/outputs/${id}/`)) &&
          !isEntity(id),
        "nothing of the output is left",
      );
    const store = createMemoryStore(emptyState("test"));
    const daemon = openDaemon(SILENT_LOG, { store });
    await daemon.start(await configWith(2));
    await until(() => isEntity("boiler") && isEntity("heater"), "the entities are there");
    expect(all.retained.get("vigie/outputs/boiler/state")).toBe("nothing");
    expect(entities().outputs_boiler_state).toMatchObject({
      platform: "sensor",
      device_class: "enum",
      unique_id: "vigie_outputs_boiler_state",
      default_entity_id: "sensor.vigie_outputs_boiler_state",
      name: "Chauffe-eau : sortie",
      state_topic: "vigie/outputs/boiler/state",
      json_attributes_topic: "vigie/outputs/boiler",
      options: ["nothing", "sent", "waiting", "confirmed", "contrary", "failed", "dry"],
      availability_topic: "vigie/availability",
    });
    await daemon.start(await configWith(1));
    await untilGone("heater");
    expect([isEntity("boiler"), all.retained.get("vigie/outputs/boiler/state")]).toEqual([true, "nothing"]);
    await daemon.stop();
    const next = openDaemon(SILENT_LOG, { store, identity: NEXT_START });
    await next.start(await configWith(0));
    await untilGone("boiler");
    expect("rules_never_state" in entities()).toBe(true);
  },
);

test("the problem of an output is over after a reload that ends its choice or removes the output, and the next one is logged", async () => {
  const lines: string[] = [];
  const daemon = openDaemon(logTo(lines), {
    requestDevice: async () => ({ status: 401, headers: new Map(), body: new Uint8Array() }),
  });
  const configWith = async (when: object, outputs: object[]) => {
    const rest = { mqtt: { url: "embedded" }, ...FEW_ANSWERS };
    const rules = [{ id: "r", when }];
    return (await loadText(JSON.stringify({ ...rest, rules, outputs }))).config;
  };
  const always = { any: [{ period: "hp" }, { period: "hc" }] };
  const never = { all: [{ period: "hp" }, { period: "hc" }] };
  const boiler = {
    id: "boiler",
    url: "http://192.0.2.40/{payload}",
    choose: [{ when: "r", payload: "off" }],
  };
  const said = () => lines.filter((line) => /^boiler: |^Nothing /.test(line));
  const refused = expect.stringMatching(/^boiler: .*401/);
  const over = expect.stringMatching(/^Nothing has to be sent to http:\/\/192\.0\.2\.40 any more, after /);
  const gone = expect.stringMatching(
    /^Nothing has to be sent to the former device of output boiler any more, after /,
  );
  const start = async (when: object, outputs: object[], expected: unknown[]) => {
    await daemon.start(await configWith(when, outputs));
    await vi.waitFor(() => expect(said()).toEqual(expected), PATIENCE);
  };
  await start(always, [boiler], [refused]);
  await start(never, [boiler], [refused, over]);
  await start(always, [boiler], [refused, over, refused]);
  await start(always, [], [refused, over, refused, gone]);
  await start(always, [boiler], [refused, over, refused, gone, refused]);
});

test("what-if: The broker is down · a broker that is away is the problem and the first band of the page, after half a minute, until it is back", async () => {
  const clock = fastClock(Date.parse("2026-01-13T11:00:00Z"), 60, systemClock);
  const port = await freePort();
  const seen: string[] = [];
  const daemon = openDaemon(SILENT_LOG, {
    clock,
    wake: () => {
      const { broker, real } = daemon.view() ?? {};
      if (!broker || !real) return;
      const state = `${broker.connected ? "connected" : "away"}, ${real.facts.service.problem_code === "broker"}`;
      if (seen.at(-1) !== state) seen.push(state);
    },
  });
  const { config } = await loadText(
    JSON.stringify({
      mqtt: { url: `mqtt://127.0.0.1:${port}` },
      service: { base_url: "simulator", allow_simulator: true },
    }),
  );
  const untilSeen = (state: string) => vi.waitFor(() => expect(seen.at(-1)).toBe(state), PATIENCE);
  /** On a busy machine half a minute of the fast clock may be over before it is seen that nothing is wrong yet. */
  const becomesProblemAfter = async (begin: () => Promise<unknown>) => {
    await clock.atRealPace(begin().then(() => untilSeen("away, false")));
    await untilSeen("away, true");
  };
  await becomesProblemAfter(() => daemon.start(config));
  const view = daemon.view();
  if (!view) throw new Error("Expected a view");
  expect(JSON.parse(renderState(view)).service).toMatchObject({ problem: true, problem_code: "broker" });
  expect(renderMetrics(view)).toContain('vigie_problem{code="broker"} 1');
  expect(readPage(view, "en")).toMatch(
    new RegExp(
      `^.{0,40}The MQTT broker is not reached since 12:00\\. No device can be commanded over MQTT, and nothing is published\\. .*mqtt://127\\.0\\.0\\.1:${port}\\.`,
    ),
  );
  expect(readPage(view)).toContain(
    "Le broker MQTT n’est pas joignable depuis 12:00. Aucun appareil ne peut être commandé par MQTT, et rien n’est publié",
  );
  const broker = await startEmbeddedBroker({ port, log: SILENT_LOG });
  await untilSeen("connected, false");
  // What is short is no problem.
  await becomesProblemAfter(broker.stop);
  expect(seen).toEqual(["away, false", "away, true", "connected, false", "away, false", "away, true"]);
});

test("since when a broker is away goes on over a reload, and begins anew with another broker", async () => {
  const clock = fastClock(Date.parse("2026-01-13T11:00:00Z"), 60, systemClock);
  const daemon = openDaemon(SILENT_LOG, { clock });
  const configAt = async (port: number, id: string) =>
    (
      await loadText(
        JSON.stringify({
          mqtt: { url: `mqtt://127.0.0.1:${port}` },
          service: { base_url: "simulator", allow_simulator: true },
          rules: [{ id, when: { day: "now", color: "rouge" } }],
        }),
      )
    ).config;
  const since = () => daemon.view()?.broker.away_since;
  const [port, other] = [await freePort(), await freePort()];
  await daemon.start(await configAt(port, "first"));
  await vi.waitFor(() => expect(since()).toBeDefined(), PATIENCE);
  const first = since();
  await daemon.start(await configAt(port, "second"));
  expect(since()).toBe(first);
  await daemon.start(await configAt(other, "second"));
  await vi.waitFor(() => expect(since()).toBeGreaterThan(first ?? 0), PATIENCE);
  const reloaded = clock.now();
  await daemon.start(await configAt(other, "first"));
  expect(since()).toBeLessThan(reloaded);
});

test("what-if: The clock is wrong · a clock that is a day off is not healthy: log and health name both times, and say what to do", async () => {
  const simulator = await startSimulator({ port: 0, seed: 1, clock: systemClock, sendDate: true });
  onTestFinished(() => simulator.stop());
  const clock = { ...systemClock, now: () => systemClock.now() - 24 * 3_600_000 };
  const lines: string[] = [];
  const log = logTo(lines);
  const daemon = openDaemon(log, { clock, problemLog: createProblemLog(log, clock) });
  const settings = { service: { base_url: simulator.url }, mqtt: { url: "embedded" } };
  await daemon.start((await loadText(JSON.stringify(settings))).config);
  const said = () => lines.find((line) => line.startsWith("The clock of this machine is wrong"));
  await vi.waitFor(() => expect(said()).toBeDefined(), PATIENCE);
  await daemon.published();
  const judged = judgeDaemon(clock.now(), daemon);
  expect(judged?.healthy).toBe(false);
  expect(judged?.words).toMatch(
    /^vigie runs; broker reached at .*; data fresh: the service answered \d+ s ago, .*; clock wrong: /,
  );
  for (const words of [judged?.words ?? "", said() ?? ""]) {
    expect(words).toMatch(
      /shows 20\d\d-\d\d-\d\d \d\d:\d\d( UTC)?, and by (its|the) sources it is 20\d\d-\d\d-\d\d \d\d:\d\d/,
    );
    const [shown = 0, truth = 0] = [...words.matchAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g)].map(([at]) =>
      Date.parse(at),
    );
    // The day on which summer time begins or ends has another length.
    expect([23, 24, 25]).toContain(Math.round((truth - shown) / 3_600_000));
    expect(words).toContain("Set it (timedatectl says whether NTP does that)");
  }
});

test("what-if: The disk is full · a state that cannot be saved is said on the page and by health, which stays well, until it can be saved", async () => {
  const folder = await folderWith({ state: "a file in place of the folder" });
  const path = join(folder, "state");
  const problemLog = createProblemLog(SILENT_LOG, systemClock);
  const store = await openStore(path, { log: SILENT_LOG, problemLog, random: Math.random });
  // It is looked at four times a minute.
  const clock = fastClock(systemClock.now(), 60, systemClock);
  let said = "";
  const daemon = openDaemon(SILENT_LOG, {
    store,
    clock,
    wake: () => {
      const view = daemon.view();
      if (view) said = readPage(view, "en");
    },
  });
  const settings = { ...FEW_ANSWERS, mqtt: { url: "embedded" } };
  await daemon.start((await loadText(JSON.stringify(settings))).config);
  const words = `vigie cannot save anything on the disk All goes on, but a restart would lose what is new. ${path}: `;
  await vi.waitFor(() => expect(said).toContain(words), PATIENCE);
  await daemon.published();
  const health = () => judgeDaemon(clock.now(), daemon);
  expect(health()?.words).toContain(`; state not saved in ${path}: `);
  expect(health()?.healthy).toBe(true);
  await rm(path);
  await store.flush();
  await vi.waitFor(() => expect(said).not.toContain("cannot save"), PATIENCE);
  expect(health()?.words).not.toContain("not saved");
});

describe("a disk that hangs", () => {
  const NEVER_SAVED = new Promise<never>(() => undefined);

  test("keeps vigie neither from a reload, nor from what the new configuration publishes and sends, nor from its end", async () => {
    const store = createMemoryStore(emptyState("test"));
    let hangs = false;
    const lines: string[] = [];
    const daemon = openDaemon(logTo(lines), {
      store: {
        ...store,
        save: (state) => (hangs ? NEVER_SAVED : store.save(state)),
        flush: () => (hangs ? NEVER_SAVED : store.flush()),
      },
    });
    const configWith = async (base_topic: string, more: object) => {
      const mqtt = { url: "embedded", base_topic };
      return (await loadText(JSON.stringify({ mqtt, ...FEW_ANSWERS, ...more }))).config;
    };
    await daemon.start(await configWith("before", {}));
    await daemon.published();
    hangs = true;
    await daemon.start(
      await configWith("after", {
        rules: [{ id: "r", when: { any: [{ period: "hp" }, { period: "hc" }] } }],
        outputs: [{ topic: "plug/set", choose: [{ when: "r", payload: "off" }] }],
      }),
    );
    expect(daemon.status()?.config.mqtt.base_topic).toBe("after");
    await daemon.published();
    await vi.waitFor(() => expect(lines).toContainEqual(expect.stringMatching(/^Sent "off" /)), PATIENCE);
    await vi.waitFor(
      () => expect(lines).toContainEqual(expect.stringMatching(/^Cleared \d+ topics below before: /)),
      PATIENCE,
    );
    const began = performance.now();
    await daemon.stop();
    expect(performance.now() - began).toBeLessThan(onBusyMachine(5_000));
  });
});

test("the state says that vigie ended in order, not after a reload, and no longer when the next one starts", async () => {
  const store = createMemoryStore(emptyState("test"));
  const daemon = openDaemon(SILENT_LOG, { store });
  const settings = { ...FEW_ANSWERS, mqtt: { url: "embedded" } };
  await daemon.start((await loadText(JSON.stringify(settings))).config);
  expect(store.state().ended_in_order).toBeUndefined();
  const moved = { ...settings, mqtt: { ...settings.mqtt, base_topic: "moved" } };
  await daemon.start((await loadText(JSON.stringify(moved))).config);
  expect(store.state().ended_in_order).toBeUndefined();
  await daemon.stop();
  expect(parseState(serialiseState(store.state())).ended_in_order).toBe(true);
  await openDaemon(SILENT_LOG, { store }).start((await loadText(JSON.stringify(settings))).config);
  expect(store.state().ended_in_order).toBeUndefined();
});

test("what was not worth a write is written when vigie stops: a value that turned no rule", async () => {
  const store = createMemoryStore(emptyState("test"));
  const daemon = openDaemon(SILENT_LOG, { store, demoSpeed: 720 });
  const rules = [{ id: "low", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "off" }];
  const settings = { ...FEW_ANSWERS, mqtt: { url: "embedded" }, rules };
  await daemon.start((await loadText(JSON.stringify(settings))).config);
  const car = await mqtt.connectAsync(`mqtt://127.0.0.1:${daemon.status()?.embeddedPort}`);
  const say = async (payload: string) => {
    await car.publishAsync("car", payload, { qos: 1, retain: true });
    const heard = () => daemon.view()?.values.get("car")?.payload;
    await vi.waitFor(() => expect(heard()).toBe(payload), PATIENCE);
  };
  const isOn = () => daemon.status()?.view.verdicts.some(({ state }) => state);
  await daemon.published();
  expect(daemon.view()).toMatchObject({ homeAssistant: null, demoSpeed: 720 });
  await car.publishAsync("homeassistant/status", "online");
  await vi.waitFor(() => expect(daemon.view()?.homeAssistant).toBe("online"), PATIENCE);
  await say("39");
  await vi.waitFor(() => expect(isOn()).toBe(true), PATIENCE);
  await vi.waitFor(() => expect(daemon.status()?.view.sinceStart.unpolled).toEqual([]), PATIENCE);
  await say("38");
  await car.endAsync();
  const { saving } = daemon.status()?.view ?? {};
  await daemon.stop();
  expect(daemon.status()?.view.saving.number).toBe(saving?.number);
  expect(store.state().values).not.toEqual(saving?.given.values);
  expect(store.state().values).toEqual({ car: { hash: expect.any(String), at: expect.any(Number) } });
});

describe("the order of what a start and an end do", () => {
  /** Each write and each message, as they come. */
  const watch = async () => {
    const broker = await startEmbeddedBroker({ port: 0, log: SILENT_LOG });
    onTestFinished(() => broker.stop());
    const seen: string[] = [];
    const observer = await mqtt.connectAsync(broker.url);
    onTestFinished(() => observer.endAsync(true));
    observer.on("message", (topic, payload) => seen.push(`${topic} ${payload}`));
    await observer.subscribeAsync("#");
    const memory = createMemoryStore(emptyState("test"));
    const store: typeof memory = {
      ...memory,
      save: async (state) => {
        await memory.save(state);
        seen.push(`saved: ${state.published.map(({ base_topic }) => base_topic).join(", ")}`);
      },
    };
    const start = async (base_topic: string, more: object = {}) => {
      const daemon = openDaemon(SILENT_LOG, {
        store,
        beforePublishing: async () => void seen.push("health"),
      });
      const mqttConfig = { url: broker.url, base_topic };
      const service = { base_url: "simulator", allow_simulator: true };
      const settings = { mqtt: mqttConfig, service, ...more };
      await daemon.start((await loadText(JSON.stringify(settings))).config);
      await daemon.published();
      return daemon;
    };
    return { observer, seen, store, start };
  };

  test("a start saves its place, writes health, claims the base topic, then come topics, online, discovery, and what was before is cleared", async () => {
    const { seen, start } = await watch();
    const former = await start("former");
    await former.stop();
    seen.length = 0;
    await start("newer");
    const first = (pattern: RegExp) => seen.findIndex((one) => pattern.test(one));
    const ORDER = [
      /^saved: former, newer$/,
      /^health$/,
      /^newer\/owner \{/,
      /^newer\/service\/status /,
      /^newer\/availability online$/,
      /^homeassistant\/device\/.* \{/,
      /^former\/service\/status $/,
      /^saved: newer$/,
    ];
    await vi.waitFor(() => expect(first(/^saved: newer$/)).toBeGreaterThan(0), PATIENCE);
    const places = ORDER.map(first);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    // Nothing at all is published before the claim.
    expect(seen.filter((one) => !one.startsWith("saved") && one !== "health")[0]).toMatch(/^newer\/owner/);
  });

  test("an end saves the command that the broker hands over while vigie leaves it", async () => {
    const { observer, store, start } = await watch();
    const rules = [{ id: "r", when: { day: "now", color: "rouge" } }];
    const daemon = await start("vigie", { rules });
    await observer.publishAsync("vigie/rules/r/enabled/set", "OFF", { qos: 1 });
    await daemon.stop();
    expect(store.state().settings).toMatchObject({ r: { enabled: false } });
  });
});
