import { type ExecFileException, execFile } from "node:child_process";
import type { Clock } from "./clock.ts";
import { describeDiskError } from "./disk-errors.ts";
import type { ProblemLog } from "./problem-log.ts";

/** Sends the status to systemd, where systemd started this process and asks for it (Type=notify, WatchdogSec=). */
export interface SystemdNotifier {
  /** How often systemd has to hear, in milliseconds: `report` has to be called at least this often. */
  interval: number;
  /**
   * To be called each time that the loop shows that it is alive. Sends at a third of the time after which systemd would
   * restart the process, and at once when the status is new.
   */
  report: (status: () => string, isNew: boolean) => void;
  /** Says that this process is about to end, and why; nothing is sent afterwards. */
  stopping: (status?: string) => Promise<void>;
}

export interface SystemdOptions {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  problemLog: ProblemLog;
  /** Milliseconds that systemd-notify may take; default 10 s. */
  timeout?: number;
}

export function createSystemdNotifier(options: SystemdOptions): SystemdNotifier {
  const { env, clock, problemLog, timeout = NOTIFY_TIMEOUT } = options;
  const { NOTIFY_SOCKET, PATH, WATCHDOG_USEC } = env;
  if (!NOTIFY_SOCKET)
    return { interval: LONGEST_INTERVAL, report: () => undefined, stopping: async () => undefined };
  const interval = reportInterval(WATCHDOG_USEC);
  let nextReport = 0;
  let sending: Promise<void> | undefined;
  let isStopping = false;
  const notify = (...words: string[]) => runSystemdNotify(words, { NOTIFY_SOCKET, PATH }, timeout);
  const send = async (status: string) => {
    try {
      // READY each time: the first one may have been lost.
      await notify("READY=1", "WATCHDOG=1", `STATUS=${status}`);
      problemLog.isOver(KEY, "The status reaches systemd again");
    } catch (error) {
      nextReport = Math.min(nextReport, clock.steady() + RETRY);
      problemLog.starts(
        KEY,
        `The status does not reach systemd, which may restart vigie: ${describeFailure(error)}`,
      );
    }
    sending = undefined;
  };
  return {
    interval,
    report: (status, isNew) => {
      if (isNew) nextReport = 0;
      if (isStopping || sending || clock.steady() < nextReport) return;
      nextReport = clock.steady() + interval;
      sending = send(status());
    },
    stopping: async (status = "stopping") => {
      isStopping = true;
      await sending;
      // A failure changes nothing: the process ends.
      await notify("STOPPING=1", `STATUS=${status}`).catch(() => undefined);
    },
  };
}

function reportInterval(watchdogMicroseconds = ""): number {
  const watchdog = Number(watchdogMicroseconds) / 1000;
  return watchdog > 0 ? Math.min(LONGEST_INTERVAL, watchdog / 3) : LONGEST_INTERVAL;
}

/** Node has no datagrams on unix sockets, so systemd's own program sends the message: 10 ms, once a minute. */
function runSystemdNotify(words: string[], env: NodeJS.ProcessEnv, timeout: number): Promise<void> {
  const options = { env, timeout, killSignal: "SIGKILL" } as const;
  return new Promise((resolve, reject) => {
    execFile("systemd-notify", words, options, (error, _, stderr) => {
      if (error) reject(Object.assign(error, { stderr }));
      else resolve();
    });
  });
}

function describeFailure(error: unknown): string {
  const { killed, code, stderr } = error as ExecFileException;
  if (killed) return "systemd-notify did not end in time";
  if (typeof code === "number") return `systemd-notify failed (${stderr?.trim() || `code ${code}`})`;
  return `systemd-notify cannot be started: ${describeDiskError(error)}`;
}

const KEY = "systemd";
const LONGEST_INTERVAL = 60_000;
const RETRY = 5_000;
/** systemd-notify itself waits up to 5 s until systemd has received its message. */
const NOTIFY_TIMEOUT = 10_000;
