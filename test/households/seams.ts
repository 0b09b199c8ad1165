import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IClientPublishOptions, MqttClient } from "mqtt";
import { rememberYield } from "../../src/app/claim.ts";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createDaemon, type DaemonStatus } from "../../src/app/daemon.ts";
import { judgeDaemon } from "../../src/app/health-report.ts";
import { followConfig } from "../../src/app/reload.ts";
import type { Config } from "../../src/config/config.ts";
import { type LoadedConfig, loadConfig } from "../../src/config/load-config.ts";
import { ConfigError } from "../../src/config/problems.ts";
import { COLORS } from "../../src/core/calendar/tariff.ts";
import { RTE } from "../../src/core/sources/rte-source.ts";
import type { Source } from "../../src/core/sources/source.ts";
import type { Owner } from "../../src/core/topics/topic.ts";
import { renderCalendar } from "../../src/http/calendar.ts";
import { renderMetrics } from "../../src/http/metrics.ts";
import { devices } from "../../src/http/page/devices.ts";
import { notices } from "../../src/http/page/notices.ts";
import { openPage } from "../../src/http/page/words.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { type RequestDevice, RequestFailed } from "../../src/http-devices/request-device.ts";
import { ConnectFailed, ConnectionLost, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import {
  type Connect,
  type Connection,
  isSessionKept,
  type ReceivedMessage,
} from "../../src/mqtt/connection.ts";
import { explainFailure } from "../../src/mqtt/explain-connect-failure.ts";
import type { Identity } from "../../src/mqtt/owner.ts";
import { createPublishQueue } from "../../src/mqtt/publish-queue.ts";
import type { Log } from "../../src/runtime/log.ts";
import { inventId } from "../../src/runtime/random-id.ts";
import { createReloadSignal } from "../../src/runtime/reload-signal.ts";
import { VERSION } from "../../src/runtime/version.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import { createService } from "../../src/simulator/answer-request.ts";
// vigie imports it when it starts on the simulator, which must take no virtual time.
import "../../src/simulator/server.ts";
import { emptyState } from "../../src/state/state.ts";
import { NewerState } from "../../src/state/state-format.ts";
import {
  createStore,
  findState,
  reportWrites,
  type Store,
  type StoreOptions,
} from "../../src/state/store.ts";
import type { Broker, Connected } from "./broker.ts";
import type { Color, Day } from "./calendar.ts";
import type { Disk } from "./disk.ts";
import type { HttpAnswer } from "./http-answer.ts";
import type { Machine } from "./machine.ts";
import type { Sources } from "./sources.ts";
import type { Views } from "./trace.ts";
import type { Web } from "./web.ts";

/**
 * All that households know of `src`. No other file here imports from there: when vigie is built in another way, only this file
 * changes. A world (machine, broker, sources, …) says what a house does; how vigie takes it is said here.
 */

// The configuration.

/** As vigie has read it: only this file looks inside. */
export type ReadConfig = LoadedConfig;

/** Reads `vigie.yaml` of a folder as `vigie run` does. Rejects if vigie refuses it. */
export async function readConfigIn(folder: string): Promise<ReadConfig> {
  const loaded = await loadConfig({ file: "vigie.yaml", env: {}, cwd: folder, inContainer: false });
  // Its files are not watched: the household says when they are read again. Their folder is another one each time.
  return { ...loaded, config: { ...loaded.config, state: STATE_FOLDER }, read: [] };
}

/** It names no broker or no source: vigie would begin with its own broker, or with invented days. */
export function isWithoutHouse(read: () => ReadConfig): boolean {
  try {
    const { mqtt, service, official } = read().config;
    const isInvented = service.base_url === "simulator" || official.source === "simulator";
    return mqtt.url === "embedded" || isInvented;
  } catch {
    return false;
  }
}

/** Whether vigie refuses the configuration. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ConfigError;
}

// The program.

/** vigie as `vigie run` starts it, without its lock, its page and its files of health. */
export interface Vigie {
  /** Puts a configuration in force, the first one or another one. */
  start: (config: ReadConfig) => Promise<unknown>;
  /** Reads the file again, which has been edited. `begins` is called if another configuration is put in force. */
  readAgain: (read: () => ReadConfig, begins: () => void) => Promise<void>;
  stop: () => Promise<void>;
  /** The parts of the page that show what was sent to devices. */
  page: () => string;
  /** The texts that it answers over HTTP for programs; null before the first start. */
  views: () => Views | null;
  /** All that it shows beside its topics; null before the first start. */
  shown: () => Shown | null;
}

/** What vigie shows: only this file and that of the goldens look inside. */
export interface Shown {
  view: PageView;
  status: DaemonStatus;
  /** What `/health` says. */
  health: string;
}

/** The house around vigie. */
export interface Worlds {
  machine: Machine;
  broker: Broker;
  sources: Sources;
  web: Web;
  disk: Disk;
  /** The id of vigie's state folder, as a new state file gets it. The minutes of its polls follow from it. */
  installation: string;
  random: () => number;
  /** A line of the log. */
  say: (level: keyof Log, sentence: string, details?: object) => void;
  /** Another vigie owns the base topic. */
  yielded: () => void;
}

/** Opens the state file; all else waits for the first start. Rejects if vigie does not start with this state file. */
export async function openVigie(worlds: Worlds): Promise<Vigie> {
  const { machine, broker, sources, web, random, say, yielded } = worlds;
  // This clock is never a fast one.
  const clock = { ...machine.clock, atRealPace: <T>(answer: Promise<T>) => answer };
  const log: Log = {
    debug: (sentence, details) => say("debug", sentence, details),
    info: (sentence, details) => say("info", sentence, details),
    warn: (sentence, details) => say("warn", sentence, details),
    error: (sentence, details) => say("error", sentence, details),
  };
  const problemLog = createProblemLog(log, clock);
  const store = await openStoreOn(worlds, { log, problemLog, random });
  let otherOwner: Owner | null = null;
  const yieldTo = (owner: Owner) => {
    otherOwner = owner;
    yielded();
  };
  const daemon = createDaemon({
    connect: connectTo(broker, machine),
    openTransport: (source) => transportTo(source, sources),
    requestDevice: requestDeviceIn(web),
    store,
    log,
    problemLog,
    clock,
    random,
    longestSleep: LONGEST_SLEEP,
    identity: identityFor(store, random, machine),
    isAfterCrash: store.state().ended_in_order !== true,
    embeddedPort: 0,
    takeOver: false,
    sinks: [{ name: "yielding", show: ({ broker: { other_owner } }) => other_owner && yieldTo(other_owner) }],
  });
  let inForce: ReadConfig | null = null;
  let calendar = "";
  const start = async (config: Config) => {
    const owner = await daemon.start(config);
    if (owner) yieldTo(owner);
  };
  return {
    start: (config) => {
      inForce = config;
      return start(config.config);
    },
    readAgain: async (read, begins) => {
      const reloadSignal = createReloadSignal();
      const followed = followConfig(inForce!, {
        load: async () => read(),
        restart: async (config) => {
          begins();
          await start(config);
        },
        reloadSignal,
        // That another one is in force is in the trace.
        log: { ...log, info: () => undefined },
        secrets: [],
      });
      reloadSignal.send();
      await followed.stop();
      inForce = followed.current();
    },
    stop: async () => {
      await daemon.stop();
      if (otherOwner) await rememberYield(store, otherOwner, clock.now());
    },
    page: () => {
      const view = daemon.view();
      if (!view) return "";
      const page = openPage(view, "fr");
      return `${devices(page)}${notices(page)}`;
    },
    views: () => {
      const view = daemon.view();
      const health = judgeDaemon(clock.now(), daemon);
      if (!view || !health) return null;
      const days = renderCalendar(view, { colors: COLORS, forecast: null, language: "en" });
      // A long text that seldom changes: the trace holds it once.
      if (days !== calendar) calendar = days;
      return { metrics: renderMetrics(view), calendar, health: health.words, isHealthy: health.healthy };
    },
    shown: () => {
      const view = daemon.view();
      const status = daemon.status();
      const health = judgeDaemon(clock.now(), daemon);
      return view && status && health ? { view, status, health: health.words } : null;
    },
  };
}

/** As `createIdentity` in src/cli/run.ts, with names that follow from the seed. */
function identityFor(store: Store, random: () => number, { clock }: Machine): Identity {
  const { installation, incarnation: previousIncarnation, yielded_to } = store.state();
  return {
    installation,
    incarnation: inventId(random),
    previousIncarnation,
    yieldedTo: yielded_to?.installation,
    host: "house",
    version: VERSION,
    since: clock.now(),
  };
}

/** As `vigie run`. */
const LONGEST_SLEEP = 15_000;

// The state file.

/**
 * vigie reads a copy of its state folder on the real disk, as `openStore` does, so that nothing of a damaged file is read otherwise
 * than in a house; what it renames there is renamed on the disk of the house. It writes to the disk of the house.
 */
async function openStoreOn(
  { disk, installation }: Pick<Worlds, "disk" | "installation">,
  options: StoreOptions,
): Promise<Store> {
  const bytes = disk.read();
  const found = await inCopyOf(disk, async (folder) => {
    const state = await findState(folder, options);
    disk.afterStart(new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])));
    return state;
  });
  return createStore({
    state: found?.state ?? emptyState(installation),
    textOnDisk: found?.isLatest ? String(bytes) : "",
    ...reportWrites(STATE_FOLDER, options, async (text, before) => {
      if (!(await disk.write(Buffer.from(text), before !== ""))) throw diskFull();
    }),
  });
}

/** Why vigie ends at once with this configuration and what is on this disk, and changes nothing; null: it starts. */
export async function whyNoStart(disk: Disk, read: () => ReadConfig): Promise<string | null> {
  const mute = () => undefined;
  const log: Log = { debug: mute, info: mute, warn: mute, error: mute };
  const problemLog = createProblemLog(log, { now: () => 0, steady: () => 0 });
  try {
    read();
    await inCopyOf(disk, (folder) => findState(folder, { log, problemLog, random: Math.random }));
    return null;
  } catch (error) {
    if (error instanceof NewerState || error instanceof ConfigError) return error.message;
    throw error;
  }
}

async function inCopyOf<T>(disk: Disk, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "vigie-household-"));
  try {
    for (const [name, bytes] of disk.files()) writeFileSync(join(folder, name), bytes);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const STATE_FOLDER = "/var/lib/vigie";

function diskFull(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", syscall: "write" });
}

// The sources.

/** When a source names which colour of a day, in the order of time. */
export type Announce = (date: Day, color: Color) => { at: number; color: Color }[];

interface SimulatedDays {
  seed: number;
  /** Days whose colour is not the invented one. */
  colors: Readonly<Record<Day, Color>>;
  announcements: Announce;
}

/** The answers of the simulator, to a path and at an instant. `tag`: of the answer that vigie has already. */
export function simulateSources({ seed, colors, announcements }: SimulatedDays) {
  let now = 0;
  let requests = 0;
  const days = new Map(Object.entries(colors));
  const answer = createService({ seed, days, announcements }, { now: () => now });
  return (path: string, tag: string, at: number): HttpAnswer => {
    now = at;
    requests += 1;
    // Each request is another client: the simulator limits the requests of one.
    return answer({ method: "GET", url: path, ifNoneMatch: tag, client: String(requests) });
  };
}

function transportTo(source: Source, sources: Sources): Transport {
  const name = source === RTE ? "rte" : "service";
  return {
    get: (path, headers, signal) =>
      new Promise((resolve, reject) => {
        const question = { path, tag: headers["if-none-match"] ?? "" };
        sources.ask(name, question, signal, (answer) => {
          if (!("why" in answer)) return resolve(responseOf(answer));
          const { why, wasSent } = answer;
          const failure = new ServiceUnreachable(source, `GET ${path}`, "memory", why, { unsent: !wasSent });
          reject(signal.aborted ? signal.reason : failure);
        });
      }),
    close: async () => undefined,
  };
}

function responseOf({ status, headers, body }: HttpAnswer) {
  return { status, headers: new Map(Object.entries(headers)), body: new TextEncoder().encode(body) };
}

// Devices over HTTP.

function requestDeviceIn(web: Web): RequestDevice {
  return (request, signal) =>
    new Promise((resolve, reject) =>
      web.request(request, signal, (answer) => {
        if (!("why" in answer)) return resolve(responseOf(answer));
        reject(new RequestFailed(answer.why, { wasWritten: answer.wasSent }));
      }),
    );
}

// The broker.

/** As `connect` of src/mqtt/connection.ts, with the broker of the house. */
function connectTo(broker: Broker, machine: Machine): Connect {
  return ({ version, clientId, session, will, address, post, signal }) =>
    new Promise((resolve, reject) => {
      const end = createEnd();
      const password = address.password?.toString();
      const receive = isSessionKept({ version, session })
        ? post
        : ({ qos: _qos, ...message }: ReceivedMessage) => post(message);
      const client = { version, clientId, password, session, will, receive, ended: end.ended };
      broker.connect(client, signal, (answer) => {
        if (!("code" in answer)) return resolve(createConnection(answer, version, end, machine));
        const { code } = answer;
        const message = `The broker at ${address.host} refuses: ${code}`;
        const sentence = LOGIN_REFUSED.has(code) ? explainFailure(code, message, address.host) : message;
        const failure = new ConnectFailed(sentence, code);
        reject(signal.aborted ? signal.reason : failure);
      });
    });
}

const LOGIN_REFUSED = new Set<string | number>([4, 5, 134, 135]);

/** The end of a connection, as the program learns it. */
interface End {
  isOver: () => boolean;
  /** Why; resolves, never rejects. */
  closed: Promise<string>;
  ended: (why: string) => void;
}

function createEnd(): End {
  let isOver = false;
  let resolve: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolveClosed) => {
    resolve = resolveClosed;
  });
  return {
    isOver: () => isOver,
    closed,
    ended: (why) => {
      isOver = true;
      resolve(why);
    },
  };
}

function createConnection(
  connected: Connected,
  version: 4 | 5,
  { closed, isOver }: End,
  machine: Machine,
): Connection {
  const isMqtt5 = version === 5;
  const client = createClient(connected, isOver);
  return {
    version,
    publish: createPublishQueue(client as unknown as MqttClient, {
      version,
      limits: {},
      closed,
      limitAnswer: (answer) => answer,
    }),
    ...createSubscriptions(connected, version, closed),
    ping: () => undefined,
    cutOff: connected.cutOff,
    closed,
    close: async ({ reasonCode, endSession = false } = {}) => {
      const how = { sendsWill: isMqtt5 && reasonCode === 4, endsSession: isMqtt5 && endSession };
      disconnect(connected, client.unanswered, how, machine);
      await closed;
    },
  };
}

/** The part of an MQTT.js client that a publish queue uses. */
function createClient(connected: Connected, isOver: () => boolean) {
  let lastId = 0;
  let unanswered = 0;
  const publish = (
    topic: string,
    payload: string,
    { qos = 0, retain = false, properties }: IClientPublishOptions,
    done: (error?: Error) => void,
  ) => {
    const expiry = properties?.messageExpiryInterval;
    unanswered += 1;
    lastId = connected.publish({ topic, payload, retain, qos, expiry }, (answer) => {
      unanswered -= 1;
      done(answer === "refused" ? notAuthorized() : undefined);
    });
  };
  return {
    get connected() {
      return !isOver();
    },
    publish,
    getLastMessageId: () => lastId,
    removeOutgoingMessage: () => undefined,
    sendPing: () => undefined,
    unanswered: () => unanswered,
  };
}

function notAuthorized(): Error {
  return Object.assign(new Error("Publish error: Not authorized"), { code: 135 });
}

function createSubscriptions(
  connected: Connected,
  version: 4 | 5,
  closed: Promise<string>,
): Pick<Connection, "subscribe" | "unsubscribe"> {
  const isMqtt5 = version === 5;
  /** Rejects when the connection ends first. */
  const ask = (question: (resolve: () => void, reject: (error: Error) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      const lost = () => reject(new ConnectionLost("The connection to the broker is gone"));
      if (!connected.isOpen()) return lost();
      void closed.then(lost);
      question(resolve, reject);
    });
  return {
    subscribe: (filter, how = "with retained") => {
      const qos = how === "newest only" ? 0 : 1;
      const asPublished = isMqtt5 && qos === 1;
      const withRetained = !isMqtt5 || how !== "without retained";
      return ask((resolve, reject) =>
        connected.subscribe(filter, { qos, asPublished, withRetained }, (answer) => {
          if (answer === "granted") resolve();
          else reject(new SubscribeRefused(`The broker refuses the subscription to ${filter}`));
        }),
      );
    },
    unsubscribe: (filter) => ask((resolve) => connected.unsubscribe(filter, resolve)),
  };
}

/** As MQTT.js: DISCONNECT goes out when all is acknowledged; after a while the connection is cut off. */
function disconnect(
  connected: Connected,
  unanswered: () => number,
  how: { sendsWill: boolean; endsSession: boolean },
  { steady, arrive }: Machine,
): void {
  const end = steady() + CLOSE_LIMIT;
  const tryToEnd = () => {
    if (!connected.isOpen()) return;
    const within = end - steady();
    if (within <= 0) return connected.cutOff("the broker closed it");
    if (unanswered() > 0) return arrive(CLOSE_LOOK, tryToEnd);
    connected.disconnect({ ...how, within });
  };
  tryToEnd();
}

/** Milliseconds. */
const CLOSE_LIMIT = 1_500;
const CLOSE_LOOK = 10;
