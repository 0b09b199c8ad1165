import { isSeldom } from "../core/facts/source-record.ts";
import type { SourceEvent } from "../core/loop/event.ts";
import type { DueRequest, SourceAnswer, SourceRequest } from "../core/sources/source.ts";
import type { SourceTimes } from "./read-response.ts";
import { failureOf } from "./service-errors.ts";
import type { RequestOptions } from "./service-request.ts";

/** Keeps the wanted request to one source under way: never two at once. */
export interface SourceSink {
  /** Sends this request if it is another one than the last. The one under way is ended if another is wanted, or none (null). */
  show: (wanted: DueRequest | null) => void;
  /** Ends the request that is under way. Nothing is sent or posted any more. */
  stop: () => Promise<void>;
}

/** What a source says to one request. */
export interface SourceReply extends SourceTimes {
  answer: SourceAnswer;
}

/** Asks a source that is one of those of `core/sources`. */
export interface SourceClient {
  /** Tries again while that is of use, until the signal aborts. */
  ask(request: SourceRequest, options: RequestOptions): Promise<SourceReply>;
}

interface SourceSinkOptions {
  ask: (request: SourceRequest, options: RequestOptions) => Promise<SourceReply>;
  /** What happened to the request under way. One that was ended has no event. */
  post: (event: SourceEvent) => void;
}

interface RequestUnderWay {
  due: DueRequest;
  ending: AbortController;
  isSent: boolean;
}

export function createSourceSink({ ask, post }: SourceSinkOptions): SourceSink {
  let current: RequestUnderWay | null = null;
  let sending: Promise<void> | null = null;
  let isStopped = false;

  const send = async ({ due, ending: { signal } }: RequestUnderWay) => {
    const tell = (event: SourceEvent) => {
      if (!signal.aborted) post(event);
    };
    const options: RequestOptions = {
      signal,
      essential: due.essential,
      once: isSeldom(due.request.kind),
      post: (event) => tell({ ...event, due }),
    };
    try {
      const reply = await ask(due.request, options);
      tell({ kind: "answered", due, ...reply });
    } catch (error) {
      tell({ kind: "failed", due, failure: failureOf(error) });
    }
  };
  const sendAll = async () => {
    try {
      while (current && !current.isSent) {
        current.isSent = true;
        await send(current);
      }
    } finally {
      sending = null;
    }
  };
  const show = (wanted: DueRequest | null) => {
    if (isStopped || wanted === (current?.due ?? null)) return;
    current?.ending.abort(new Error("This request is not wanted any more"));
    current = wanted && { due: wanted, ending: new AbortController(), isSent: false };
    // While the one before it ends, the new one waits.
    if (current) sending ??= sendAll();
  };
  return {
    show,
    stop: async () => {
      show(null);
      isStopped = true;
      await sending;
    },
  };
}
