import { inspect } from "node:util";
import type { Broker } from "./broker.ts";
import type { Disk } from "./disk.ts";
import { findLeak } from "./leaks.ts";
import type { Machine } from "./machine.ts";
import type { ConfigFile } from "./read-config.ts";
import { openVigie, type Vigie } from "./seams.ts";
import type { Sources } from "./sources.ts";
import type { Seen } from "./trace.ts";
import type { Web } from "./web.ts";

/** vigie as a process of the machine. */
export interface VigieProcess {
  isRunning: () => boolean;
  start: (file: ConfigFile) => void;
  /** Puts a configuration in force, when the start or reload before it is done. */
  reload: (file: ConfigFile) => void;
  stop: () => void;
  kill: () => void;
  /** An error that nobody caught ends the process. */
  crash: (error: unknown) => void;
  /** What the page shows; empty: nothing runs. */
  page: () => string;
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
  let running: { vigie: Vigie; busy: Promise<void>; isStopping: boolean } | undefined;

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
  const queue = (act: (vigie: Vigie) => Promise<void>) => {
    const own = running;
    if (!own) return;
    own.busy = own.busy.then(() => (running === own ? act(own.vigie) : undefined));
    own.busy.catch((error: unknown) => running === own && crash(error));
  };
  return {
    isRunning: () => running !== undefined,
    start: ({ config, yaml }) => {
      if (running) return;
      machine.startProcess();
      tell({ kind: "start", yaml });
      const vigie = openVigie({
        machine,
        broker,
        sources,
        web,
        disk,
        random,
        say: createTracedLog(machine, tell),
        yielded: () => tell({ kind: "yield" }),
      });
      running = { vigie, busy: vigie.opened, isStopping: false };
      queue(async () => {
        await vigie.start(config);
        tell({ kind: "started" });
      });
    },
    reload: ({ config, yaml }) => {
      if (running?.isStopping) return;
      queue(async (vigie) => {
        tell({ kind: "reload", yaml });
        await vigie.start(config);
        tell({ kind: "started" });
      });
    },
    stop: () => {
      if (!running || running.isStopping) return;
      running.isStopping = true;
      tell({ kind: "stop" });
      queue(async (vigie) => {
        await vigie.stop();
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
    page: () => running?.vigie.page() ?? "",
  };
}

function createTracedLog(machine: Machine, tell: (seen: Seen) => void) {
  const process = machine.process();
  return (level: "debug" | "info" | "warn" | "error", sentence: string, details?: object) => {
    const isSeen = level === "warn" || level === "error";
    if (isSeen && process === machine.process()) tell({ kind: "log", level, sentence });
    const leak = findLeak("the log", `${sentence} ${inspect(details)}`);
    if (leak) tell(leak);
  };
}
