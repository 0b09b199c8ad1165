import { type ExecFileException, execFile } from "node:child_process";
import type { Clock } from "./clock.ts";
import { describeDiskError } from "./disk-errors.ts";
import type { ProblemLog } from "./problem-log.ts";

/** systemd, where it started this process and asked to be told how it is (Type=notify, WatchdogSec=). */
export interface Supervisor {
  /**
   * To be called as often as the loop beats: says that vigie works, with one line of how it is, at a third of the time
   * after which systemd would take it for frozen, and at once where there is news.
   */
  hear: (words: () => string, isNews: boolean) => void;
  /** vigie is about to end. */
  leave: () => Promise<void>;
}

export interface SupervisorOptions {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  problemLog: ProblemLog;
  /** Milliseconds that systemd-notify may take; 10 s unless told. */
  patience?: number;
}

export function openSupervisor(options: SupervisorOptions): Supervisor {
  const { env, clock, problemLog, patience = PATIENCE } = options;
  const { NOTIFY_SOCKET, PATH, WATCHDOG_USEC } = env;
  if (!NOTIFY_SOCKET) return { hear: () => undefined, leave: async () => undefined };
  const every = intervalOf(WATCHDOG_USEC);
  let due = 0;
  let telling: Promise<void> | undefined;
  let left = false;
  const notify = (...words: string[]) => runNotify(words, { NOTIFY_SOCKET, PATH }, patience);
  const tell = async (status: string) => {
    try {
      // READY each time: the first word may have been lost.
      await notify("READY=1", "WATCHDOG=1", `STATUS=${status}`);
      problemLog.isOver(KEY, "systemd can be told again how vigie is");
    } catch (error) {
      due = Math.min(due, clock.steady() + RETRY);
      problemLog.starts(KEY, `systemd cannot be told how vigie is, and may restart it: ${why(error)}`);
    }
    telling = undefined;
  };
  return {
    hear: (words, isNews) => {
      if (isNews) due = 0;
      if (left || telling || clock.steady() < due) return;
      due = clock.steady() + every;
      telling = tell(words());
    },
    leave: async () => {
      left = true;
      await telling;
      // Whether it is heard or not, vigie goes.
      await notify("STOPPING=1", "STATUS=leaving").catch(() => undefined);
    },
  };
}

function intervalOf(microseconds = ""): number {
  const watchdog = Number(microseconds) / 1000;
  return watchdog > 0 ? Math.min(EVERY, watchdog / 3) : EVERY;
}

/** Node has no datagrams on unix sockets, so systemd's own program carries the word: 10 ms, once a minute. */
function runNotify(words: string[], env: NodeJS.ProcessEnv, timeout: number): Promise<void> {
  const options = { env, timeout, killSignal: "SIGKILL" } as const;
  return new Promise((resolve, reject) => {
    execFile("systemd-notify", words, options, (error, _, stderr) => {
      if (error) reject(Object.assign(error, { stderr }));
      else resolve();
    });
  });
}

function why(error: unknown): string {
  const { killed, code, stderr } = error as ExecFileException;
  if (killed) return "systemd-notify did not end in time";
  if (typeof code === "number") return `systemd-notify failed (${stderr?.trim() || `code ${code}`})`;
  return `systemd-notify cannot be started: ${describeDiskError(error)}`;
}

const KEY = "systemd";
const EVERY = 60_000;
const RETRY = 5_000;
/** systemd-notify waits up to 5 s for its word to be heard. */
const PATIENCE = 10_000;
