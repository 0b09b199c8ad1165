import { parseJson } from "../core/contract/parse-json.ts";
import type { DueSend } from "../core/outputs/due-send.ts";
import type { HttpReports, HttpTarget, Output } from "../core/outputs/output.ts";
import type { OutputsEvent } from "../core/outputs/take-outputs.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import { deadline } from "../runtime/wait.ts";
import { composeQuestion, composeSending, NotComposable } from "./compose-request.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { type DeviceResponse, type RequestDevice, RequestFailed } from "./request-device.ts";

/** One request that is due: it sends a message, or asks a device for its state. */
export type HttpJob = Sending | Question;

interface Sending {
  kind: "sending";
  number: number;
  output: Output;
  to: HttpTarget;
  due: DueSend;
}

interface Question {
  kind: "question";
  number: number;
  output: Output;
  from: HttpReports;
}

interface AttemptContext {
  request: RequestDevice;
  version: string;
  clock: ClockWithTimers;
  dropped: AbortSignal;
}

/** Scheme, host and port: the only part of an address that is shown. */
export function placeOfJob(job: HttpJob): string {
  return job.kind === "sending" ? job.to.place : job.from.place;
}

/** Makes the request, and says what came of it; it never rejects: a stack could hold an address. */
export async function attemptJob(job: HttpJob, context: AttemptContext): Promise<OutputsEvent> {
  const { request, version, clock, dropped } = context;
  const limit = deadline(LIMIT, dropped, () => new Error("too late"), clock);
  const { signal } = limit;
  let stage: Failure["stage"] = "reading files";
  try {
    // A disk that hangs must not keep the place of other requests.
    const composed = await unlessAborted(compose(job, { version, signal }), signal);
    stage = "asking";
    const response = await clock.atRealPace(request(composed, signal));
    return answered(job, response, { now: clock.now(), secrets: composed.secrets });
  } catch (error) {
    return failed(job, { error, stage, isLate: signal.aborted });
  } finally {
    limit.clear();
  }
}

/** Milliseconds for one request, to the last byte of its answer. */
const LIMIT = 10_000;

function compose(job: HttpJob, context: { version: string; signal: AbortSignal }) {
  return job.kind === "sending"
    ? composeSending(job.to, job.output.access, job.due, context)
    : composeQuestion(job.from, job.output, context);
}

function answered(
  job: HttpJob,
  response: DeviceResponse,
  { now, secrets }: { now: number; secrets: readonly string[] },
): OutputsEvent {
  const { number } = job;
  const place = placeOfJob(job);
  if (job.kind === "question") {
    const judgement = judgeAnswer(response, { place, option: "confirm.url", now });
    if (judgement.kind !== "success") return { kind: "no answer", number, message: judgement.message };
    const event = readAnswer(response, number, place);
    return event.kind === "answer" ? { ...event, payload: hideSecrets(event.payload, secrets) } : event;
  }
  const judgement = judgeAnswer(response, { place, option: "url", now });
  if (judgement.kind === "success") return { kind: "acknowledged", number };
  const { message } = judgement;
  if (judgement.kind === "refused") return { kind: "refused", number, message };
  const { retryAfter, mayHaveArrived } = judgement;
  return { kind: "unanswered", number, message, mayHaveArrived, retryAfter, isBusy: true };
}

function readAnswer({ headers, body }: DeviceResponse, number: number, place: string): OutputsEvent {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    const message = `${place} answers in a compressed form that vigie did not ask for`;
    return { kind: "no answer", number, message };
  }
  return { kind: "answer", number, payload: new TextDecoder().decode(body) };
}

/** A device may repeat its token. In JSON it may be written in several ways, so JSON is read first. */
function hideSecrets(answer: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== "");
  if (known.length === 0) return answer;
  const json = parseJson(answer);
  if (typeof json !== "object" || json === null) return maskSecrets(answer, known);
  const hide = (_name: string, value: unknown) => {
    if (typeof value === "string") return maskSecrets(value, known);
    // A number is a secret only as a whole: another one may hold the same digits.
    return typeof value === "number" && known.includes(String(value))
      ? maskSecrets(String(value), known)
      : value;
  };
  return JSON.stringify(json, hide);
}

interface Failure {
  error: unknown;
  stage: "reading files" | "asking";
  isLate: boolean;
}

function failed(job: HttpJob, failure: Failure): OutputsEvent {
  const { number } = job;
  const { error, stage, isLate } = failure;
  const known = error instanceof RequestFailed ? error : null;
  const wasWritten = stage === "asking" && (known?.wasWritten ?? true);
  const message = failureWords(placeOfJob(job), failure, wasWritten);
  if (job.kind === "question") return { kind: "no answer", number, message };
  const isForGood = error instanceof NotComposable || known?.isForGood === true;
  if (isForGood && !isLate) return { kind: "refused", number, message };
  return { kind: "unanswered", number, message, mayHaveArrived: wasWritten, retryAfter: null };
}

function failureWords(place: string, { error, stage, isLate }: Failure, wasWritten: boolean): string {
  const within = `within ${LIMIT / 1000} s`;
  if (isLate && stage === "reading files") return `secret_file or tls.ca_file cannot be read ${within}`;
  if (isLate && wasWritten) return `${place} gives no whole answer ${within}`;
  if (isLate) return `${place} cannot be reached: it takes no connection ${within}`;
  if (error instanceof NotComposable) return error.message;
  const why = error instanceof RequestFailed ? error.message : "vigie failed to make the request";
  return wasWritten
    ? `${place} gives no answer that can be used: ${why}`
    : `${place} cannot be reached: ${why}`;
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
