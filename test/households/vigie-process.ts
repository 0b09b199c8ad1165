import { inspect } from "node:util";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createDaemon, type Daemon } from "../../src/app/daemon.ts";
import type { Config } from "../../src/config/config.ts";
import type { Identity } from "../../src/mqtt/owner.ts";
import type { Log } from "../../src/runtime/log.ts";
import { inventId } from "../../src/runtime/random-id.ts";
import { VERSION } from "../../src/runtime/version.ts";
import type { Store } from "../../src/state/store.ts";
import type { Broker } from "./broker.ts";
import type { Disk } from "./disk.ts";
import { findLeak } from "./leaks.ts";
import type { Machine } from "./machine.ts";
import type { Sources } from "./sources.ts";
import type { Seen } from "./trace.ts";
import type { Web } from "./web.ts";

/** A configuration as it was read. */
export interface ReadConfig {
  config: Config;
  yaml: string;
}

/** vigie as `vigie run` starts it, without its lock, its page and its files of health. */
export interface VigieProcess {
  isRunning: () => boolean;
  start: (config: ReadConfig) => void;
  /** Puts a configuration in force, when the start or reload before it is done. */
  reload: (config: ReadConfig) => void;
  stop: () => void;
  kill: () => void;
  /** An error that nobody caught ends the process. */
  crash: (error: unknown) => void;
  /** The daemon that runs. */
  daemon: () => Daemon | undefined;
}

interface ProcessOptions {
  machine: Machine;
  broker: Broker;
  sources: Sources;
  web: Web;
  disk: Disk;
  random: () => number;
  tell: (seen: Seen) => void;
}

export function createVigieProcess({
  machine,
  broker,
  sources,
  web,
  disk,
  random,
  tell,
}: ProcessOptions): VigieProcess {
  let running: { daemon: Daemon; busy: Promise<void>; isStopping: boolean } | undefined;

  const end = () => {
    running = undefined;
    // First the broker: what it has to say of this process must not arrive at the next one.
    broker.breakConnections();
    machine.endProcess();
  };
  const crash = (error: unknown) => {
    if (!running) return;
    end();
    tell({ kind: "crash", error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
  /** One after the other, as `followConfig` does. What fails ends the process. */
  const queue = (act: (daemon: Daemon) => Promise<void>) => {
    const own = running;
    if (!own) return;
    own.busy = own.busy.then(() => (running === own ? act(own.daemon) : undefined));
    own.busy.catch((error: unknown) => running === own && crash(error));
  };
  return {
    isRunning: () => running !== undefined,
    start: ({ config, yaml }) => {
      if (running) return;
      machine.startProcess();
      tell({ kind: "start", yaml });
      const log = createTracedLog(machine, tell);
      const store = disk.open();
      const isAfterCrash = store.state().ended_in_order !== true;
      const daemon = createDaemon({
        connect: broker.connect,
        openTransport: sources.openTransport,
        requestDevice: web.request,
        store,
        log,
        problemLog: createProblemLog(log, machine.clock),
        clock: machine.clock,
        random,
        longestSleep: LONGEST_SLEEP,
        identity: identityFor(store, random, machine),
        isAfterCrash,
        embeddedPort: 0,
        takeOver: false,
        sinks: [
          {
            name: "yielding",
            show: ({ broker: { other_owner } }) => other_owner && tell({ kind: "yield" }),
          },
        ],
      });
      running = { daemon, busy: store.flush(), isStopping: false };
      queue(async () => {
        await daemon.start(config);
        tell({ kind: "started" });
      });
    },
    reload: ({ config, yaml }) => {
      if (running?.isStopping) return;
      queue(async (daemon) => {
        tell({ kind: "reload", yaml });
        await daemon.start(config);
        tell({ kind: "started" });
      });
    },
    stop: () => {
      if (!running || running.isStopping) return;
      running.isStopping = true;
      tell({ kind: "stop" });
      queue(async (daemon) => {
        await daemon.stop();
        tell({ kind: "stopped" });
        end();
      });
    },
    kill: () => {
      if (!running) return;
      tell({ kind: "kill" });
      end();
    },
    crash,
    daemon: () => running?.daemon,
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

function createTracedLog(machine: Machine, tell: (seen: Seen) => void): Log {
  const process = machine.process();
  const look = (...words: unknown[]) => {
    const leak = findLeak(
      "the log",
      words.map((one) => (typeof one === "string" ? one : inspect(one))).join(" "),
    );
    if (leak) tell(leak);
  };
  const write = (level: "warn" | "error") => (sentence: string, details?: object) => {
    if (process === machine.process()) tell({ kind: "log", level, sentence });
    look(sentence, details);
  };
  return { debug: look, info: look, warn: write("warn"), error: write("error") };
}

/** As `vigie run`. */
const LONGEST_SLEEP = 15_000;
