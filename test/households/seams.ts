import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createDaemon } from "../../src/app/daemon.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { ConfigError } from "../../src/config/problems.ts";
import { RTE } from "../../src/core/sources/rte-source.ts";
import type { Source } from "../../src/core/sources/source.ts";
import { devices } from "../../src/http/page/devices.ts";
import { notices } from "../../src/http/page/notices.ts";
import { openPage } from "../../src/http/page/words.ts";
import { type RequestDevice, RequestFailed } from "../../src/http-devices/request-device.ts";
import type { Identity } from "../../src/mqtt/owner.ts";
import type { Log } from "../../src/runtime/log.ts";
import { inventId } from "../../src/runtime/random-id.ts";
import { VERSION } from "../../src/runtime/version.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import { createService } from "../../src/simulator/answer-request.ts";
import type { Store } from "../../src/state/store.ts";
import type { Broker } from "./broker.ts";
import type { Disk } from "./disk.ts";
import { type HttpAnswer, NoAnswer } from "./http-answer.ts";
import type { Color, Day } from "./judges/truth/calendar.ts";
import type { Machine } from "./machine.ts";
import type { Sources } from "./sources.ts";
import type { Web } from "./web.ts";

/**
 * All that households know of `src`. No other file here imports from there: when vigie is built in another way, only this file
 * changes. A world (machine, broker, sources, …) says what a house does; how vigie takes it is said here.
 */

// The configuration.

/** As vigie has read it: only `openVigie` looks inside. */
export type ReadConfig = Config;

/** Reads `vigie.yaml` of a folder as `vigie run` does. Rejects if vigie refuses it. */
export async function readConfigIn(folder: string): Promise<ReadConfig> {
  const { config } = await loadConfig({ file: "vigie.yaml", env: {}, cwd: folder, inContainer: false });
  return config;
}

/** Whether vigie refuses the configuration. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ConfigError;
}

// The program.

/** vigie as `vigie run` starts it, without its lock, its page and its files of health. */
export interface Vigie {
  /** Puts a configuration in force, the first one or another one. */
  start: (config: ReadConfig) => Promise<void>;
  stop: () => Promise<void>;
  /** The parts of the page that show what was sent to devices. */
  page: () => string;
}

interface Worlds {
  machine: Machine;
  broker: Broker;
  sources: Sources;
  web: Web;
  disk: Disk;
  random: () => number;
  /** A line of the log. */
  say: (level: keyof Log, sentence: string, details?: object) => void;
  /** Another vigie owns the base topic. */
  yielded: () => void;
}

/** Opens the state file; all else waits for the first start. */
export function openVigie({ machine, broker, sources, web, disk, random, say, yielded }: Worlds): Vigie {
  // This clock is never a fast one.
  const clock = { ...machine.clock, atRealPace: <T>(answer: Promise<T>) => answer };
  const log: Log = {
    debug: (sentence, details) => say("debug", sentence, details),
    info: (sentence, details) => say("info", sentence, details),
    warn: (sentence, details) => say("warn", sentence, details),
    error: (sentence, details) => say("error", sentence, details),
  };
  const store = disk.open();
  const daemon = createDaemon({
    connect: broker.connect,
    openTransport: (source) => transportTo(source, sources),
    requestDevice: requestDeviceIn(web),
    store,
    log,
    problemLog: createProblemLog(log, clock),
    clock,
    random,
    longestSleep: LONGEST_SLEEP,
    identity: identityFor(store, random, machine),
    isAfterCrash: store.state().ended_in_order !== true,
    embeddedPort: 0,
    takeOver: false,
    sinks: [{ name: "yielding", show: ({ broker: { other_owner } }) => other_owner && yielded() }],
  });
  const saved = store.flush();
  return {
    start: async (config) => {
      await saved;
      await daemon.start(config);
    },
    stop: daemon.stop,
    page: () => {
      const view = daemon.view();
      if (!view) return "";
      const page = openPage(view, "fr");
      return `${devices(page)}${notices(page)}`;
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
    get: async (path, headers, signal) => {
      try {
        return responseOf(await sources.ask(name, path, headers["if-none-match"] ?? "", signal));
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        const unsent = !error.wasSent;
        throw new ServiceUnreachable(source, `GET ${path}`, "memory", error.message, { unsent });
      }
    },
    close: async () => undefined,
  };
}

function responseOf({ status, headers, body }: HttpAnswer) {
  return { status, headers: new Map(Object.entries(headers)), body: new TextEncoder().encode(body) };
}

// Devices over HTTP.

function requestDeviceIn(web: Web): RequestDevice {
  return async (request, signal) => {
    try {
      return responseOf(await web.request(request, signal));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw new RequestFailed(error.message, { wasWritten: error.wasSent });
    }
  };
}
