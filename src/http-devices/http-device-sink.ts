import type { DueQuestion, DueSend } from "../core/outputs/due-send.ts";
import type { Output, Outputs } from "../core/outputs/output.ts";
import type { OutputsEvent } from "../core/outputs/take-outputs.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import { attemptJob, type HttpJob, placeOfJob } from "./attempt-job.ts";
import { createHostLimits } from "./host-limits.ts";
import { type RequestDevice, requestDevice } from "./request-device.ts";

interface HttpDeviceSinkOptions {
  outputs: Outputs;
  version: string;
  clock: ClockWithTimers;
  /** Called with each thing that happens, never within `show`. */
  post: (event: OutputsEvent) => void;
  request?: RequestDevice | undefined;
}

/** Sends what is due for devices to their addresses, asks them for their state, and posts what came of it. */
export interface HttpDeviceSink {
  /**
   * All that is due now, one request at the most for each output. A number that is due for longer is sent or asked once. What is
   * not due any more is dropped; only a sending that has begun is not.
   */
  show: (sends: readonly DueSend[], questions: readonly DueQuestion[]) => void;
  /** Begins nothing any more. Resolves when the sendings that have begun are answered, and the answers are posted. */
  allAnswered: () => Promise<void>;
  /** Ends all requests, and posts which sendings were cut off. Nothing is posted after that. */
  stop: () => Promise<void>;
}

interface Entry {
  job: HttpJob;
  stage: "waiting" | "under way" | "over";
  isDue: boolean;
  /** Aborts when nobody wants to hear the answer any more. */
  dropped: AbortController;
  ended: Promise<void>;
}

export function createHttpDeviceSink(options: HttpDeviceSinkOptions): HttpDeviceSink {
  const { outputs, version, clock, post, request = requestDevice } = options;
  const byId = new Map(outputs.list.map((output) => [output.id, output]));
  const limits = createHostLimits(clock);
  /** By kind and number, in the order in which they came. */
  const entries = new Map<string, Entry>();
  /** The ids of those that gave no answer the last time. */
  const silent = new Set<string>();
  let isEnding = false;
  let cancelTimer: () => void = () => undefined;

  const all = (stage: Entry["stage"], kind?: HttpJob["kind"]) =>
    [...entries.values()].filter((one) => one.stage === stage && (!kind || one.job.kind === kind));
  /** A question that was dropped takes a moment to end. */
  const isBusy = ({ id }: Output) => all("under way").some(({ job }) => job.output.id === id);

  /** Sendings before questions; of both, first those to devices that answered the last time. */
  const inTurn = () => {
    const rank = ({ job }: Entry) => (job.kind === "question" ? 2 : 0) + (silent.has(job.output.id) ? 1 : 0);
    return all("waiting").sort((one, other) => rank(one) - rank(other));
  };

  const perform = async (entry: Entry) => {
    const { job, dropped } = entry;
    const event = await attemptJob(job, { request, version, clock, dropped: dropped.signal });
    if (hasAnswered(event)) silent.delete(job.output.id);
    else if (!dropped.signal.aborted) silent.add(job.output.id);
    if (!dropped.signal.aborted) post(event);
    else if (event.kind === "unanswered") postCutOff(entry, event.mayHaveArrived);
    limits.end(placeOfJob(job));
    entry.stage = "over";
    forgetOver();
    beginAll();
  };
  const postCutOff = ({ job: { number } }: Entry, mayHaveArrived: boolean) =>
    post({ kind: "cut off", number, mayHaveArrived });
  const begin = (entry: Entry) => {
    entry.stage = "under way";
    limits.begin(placeOfJob(entry.job));
    entry.ended = perform(entry);
  };
  const beginAll = () => {
    cancelTimer();
    if (isEnding) return;
    let shortest = Number.POSITIVE_INFINITY;
    for (const entry of inTurn()) {
      if (isBusy(entry.job.output)) continue;
      const wait = limits.waitFor(placeOfJob(entry.job));
      if (wait === 0) begin(entry);
      else if (wait !== null) shortest = Math.min(shortest, wait);
    }
    if (shortest !== Number.POSITIVE_INFINITY) cancelTimer = clock.after(shortest, beginAll);
  };
  const forgetOver = () => {
    for (const [key, { stage, isDue }] of entries) if (!isDue && stage !== "under way") entries.delete(key);
  };
  return {
    show: (sends, questions) => {
      if (isEnding) return;
      for (const entry of entries.values()) entry.isDue = false;
      for (const job of [...sendingJobs(sends, byId), ...questionJobs(questions, byId)]) {
        const key = `${job.kind} ${job.number}`;
        const entry = entries.get(key);
        if (entry) entry.isDue = true;
        else entries.set(key, newEntry(job));
      }
      forgetOver();
      for (const { isDue, dropped } of all("under way", "question")) if (!isDue) dropped.abort();
      beginAll();
    },
    allAnswered: async () => {
      isEnding = true;
      cancelTimer();
      await Promise.all(all("under way", "sending").map(({ ended }) => ended));
    },
    stop: async () => {
      isEnding = true;
      cancelTimer();
      for (const entry of all("waiting", "sending")) postCutOff(entry, false);
      const underWay = all("under way");
      for (const { dropped } of underWay) dropped.abort();
      await Promise.all(underWay.map(({ ended }) => ended));
    },
  };
}

function newEntry(job: HttpJob): Entry {
  return { job, stage: "waiting", isDue: true, dropped: new AbortController(), ended: Promise.resolve() };
}

function hasAnswered(event: OutputsEvent): boolean {
  return event.kind === "unanswered" ? event.isBusy === true : event.kind !== "no answer";
}

type ById = ReadonlyMap<string, Output>;

function sendingJobs(sends: readonly DueSend[], byId: ById): HttpJob[] {
  return sends.flatMap((due): HttpJob[] => {
    const output = byId.get(due.output);
    // What goes to a broker is sent by another sink.
    if (due.by.kind !== "http" || output?.to.kind !== "http") return [];
    return [{ kind: "sending", number: due.number, output, to: output.to, due }];
  });
}

function questionJobs(questions: readonly DueQuestion[], byId: ById): HttpJob[] {
  return questions.flatMap(({ number, output: id }): HttpJob[] => {
    const output = byId.get(id);
    const from = output?.confirm?.from;
    return output && from?.kind === "http" ? [{ kind: "question", number, output, from }] : [];
  });
}
