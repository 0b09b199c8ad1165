import { inspect } from "node:util";
import { findLeak } from "./leaks.ts";
import type { Machine } from "./machine.ts";
import type { ConfigFile } from "./read-config.ts";
import { openVigie, type Shown, type Vigie, type Worlds, whyNoStart } from "./seams.ts";
import type { Seen } from "./trace.ts";

/** vigie as a process of the machine. */
interface VigieProcess {
  isRunning: () => boolean;
  /** When its first start was done, as `steady`; infinite: nothing runs, or it is starting. */
  runsSince: () => number;
  start: (file: ConfigFile) => void;
  /** Puts the configuration in force once more, when the start or reload before it is done. */
  reload: (file: ConfigFile) => void;
  /** The same with one that the owner has edited, if vigie takes it. */
  readAgain: (file: ConfigFile) => void;
  stop: () => void;
  kill: () => void;
  /** An error that nobody caught ends the process. */
  crash: (error: unknown) => void;
  /** What the page shows; empty: nothing runs. */
  page: () => string;
  views: Vigie["views"];
  /** null: nothing runs, or it is starting. */
  shown: () => Shown | null;
}

interface ProcessOptions extends Omit<Worlds, "say" | "yielded"> {
  tell: (seen: Seen) => void;
  /** The process has ended with code 3. */
  yieldEnded: () => void;
}

interface Running {
  /** null: it opens its state file. */
  vigie: Vigie | null;
  busy: Promise<void>;
  /** Its first start. */
  startedAt: number | null;
  isStopping: boolean;
}

export function createVigieProcess({ tell, yieldEnded, ...worlds }: ProcessOptions): VigieProcess {
  const { machine, broker } = worlds;
  let running: Running | undefined;

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
    own.busy = own.busy.then(() => (running === own && own.vigie ? act(own.vigie) : undefined));
    own.busy.catch((error: unknown) => running === own && crash(error));
  };
  const start = async (own: Running, vigie: Vigie, { read }: ConfigFile) => {
    await vigie.start(read());
    if (own.isStopping) return;
    own.startedAt ??= machine.steady();
    tell({ kind: "started" });
  };
  /** When the start or reload before it is done, if vigie does not end meanwhile. */
  const inTurn = (act: (own: Running, vigie: Vigie) => Promise<void>) => {
    const own = running;
    if (!own || own.isStopping) return;
    queue(async (vigie) => {
      if (!own.isStopping) await act(own, vigie);
    });
  };
  const readAgain: VigieProcess["readAgain"] = ({ read, yaml, wrong }) =>
    inTurn(async (own, vigie) => {
      let isAnother = false;
      if (wrong !== undefined) tell({ kind: "wrong edit", isRefused: wrong !== "half" });
      await vigie.readAgain(read, () => {
        isAnother = true;
        tell({ kind: "reload", yaml });
      });
      if (isAnother && !own.isStopping) tell({ kind: "started" });
    });
  const leave = (own: Running, isYielding: boolean) => {
    if (own.isStopping) return;
    own.isStopping = true;
    tell({ kind: isYielding ? "yield" : "stop" });
    const stop = async (vigie: Vigie) => {
      await vigie.stop();
      if (running !== own) return;
      tell({ kind: "stopped" });
      end();
      if (isYielding) yieldEnded();
    };
    // A first start may wait for another vigie, and is broken off.
    if (own.startedAt === null && own.vigie)
      stop(own.vigie).catch((error: unknown) => running === own && crash(error));
    else queue(stop);
  };
  return {
    isRunning: () => running !== undefined,
    runsSince: () => running?.startedAt ?? Number.POSITIVE_INFINITY,
    start: (file) => {
      const { yaml, read } = file;
      if (running) return;
      machine.startProcess();
      const own: Running = { vigie: null, busy: Promise.resolve(), startedAt: null, isStopping: false };
      running = own;
      const say = createTracedLog(machine, tell);
      own.busy = whyNoStart(worlds.disk, read).then(async (why) => {
        if (running !== own) return;
        if (why !== null) {
          end();
          return tell({ kind: "no start", why });
        }
        tell({ kind: "start", yaml });
        own.vigie = await openVigie({ ...worlds, say, yielded: () => leave(own, true) });
      });
      queue((vigie) => start(own, vigie, file));
    },
    reload: (file) => {
      if (file.wrong !== undefined) return readAgain(file);
      inTurn(async (own, vigie) => {
        tell({ kind: "reload", yaml: file.yaml });
        await start(own, vigie, file);
      });
    },
    readAgain,
    stop: () => {
      if (running) leave(running, false);
    },
    kill: () => {
      if (!running) return;
      tell({ kind: "kill" });
      end();
    },
    crash,
    page: () => running?.vigie?.page() ?? "",
    views: () => running?.vigie?.views() ?? null,
    shown: () => running?.vigie?.shown() ?? null,
  };
}

function createTracedLog(machine: Machine, tell: (seen: Seen) => void) {
  const process = machine.process();
  return (level: "debug" | "info" | "warn" | "error", sentence: string, details?: object) => {
    if (process === machine.process()) {
      if (level === "warn" || level === "error") tell({ kind: "log", level, sentence });
      if (level === "info") tell({ kind: "note", sentence });
    }
    const leak = findLeak("the log", `${sentence} ${inspect(details)}`);
    if (leak) tell(leak);
  };
}
