import { MINUTE, SECOND } from "../calendar.ts";
import { isKind, type Trace, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/** "`vigie health` …: vigie runs; broker not reached at …" (docs/what-if.md), which is unhealthy (docs/docker-nas.md). */
export const healthAwayJudge: Judge = {
  name: "health without the broker",
  find: (trace) => trace.events.flatMap((event) => judgeAt(event, trace)),
};

function judgeAt(event: TraceEvent, { events }: Trace): Finding[] {
  if (!isKind(event, "health")) return [];
  const { steady, health, isHealthy } = event;
  const before = events.filter((one) => one.steady <= steady);
  const ofBroker = before.findLast((one) => isKind(one, "broker down", "broker up"));
  const isAway = ofBroker?.kind === "broker down" && steady - ofBroker.steady > NOTICED;
  const ofProcess = before.findLast((one) => isKind(one, ...OF_PROCESS));
  const hasSlept = before.some(
    (one) => isKind(one, "suspend", "resume", "jump") && one.steady > steady - 5 * MINUTE,
  );
  const isRunning = ofProcess?.kind === "started" && steady - ofProcess.steady > MINUTE;
  if (!isAway || !isRunning || hasSlept) return ["skipped"];
  const isRight =
    health.startsWith("vigie runs") && health.includes("; broker not reached at ") && !isHealthy;
  const sentence = `the broker is away, and /health says "${health}", with ${isHealthy ? 200 : 503}`;
  return [isRight ? "right" : { at: steady, sentence }];
}

const OF_PROCESS = ["start", "started", "stop", "stopped", "kill", "crash", "yield", "reload"] as const;
/** vigie notices a frozen broker within one and a half minutes, or two if it waits for an answer to a message. */
const NOTICED = 2 * MINUTE + 20 * SECOND;
