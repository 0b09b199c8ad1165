import { sleep } from "../runtime/wait.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";
import type { ReceivedMessage } from "./connection.ts";

export interface BirthOptions {
  /** Where Home Assistant says that it has started. */
  status_topic: string;
  random: () => number;
  /** Tells it everything again. */
  tell: () => Promise<void>;
}

export interface Birth {
  hear: (message: ReceivedMessage) => void;
  /** From now on births are answered, also one that was heard before, until the signal aborts. */
  attend: (signal: AbortSignal) => void;
}

/** Home Assistant has started: a moment later it is told everything again, and not by all programs in one instant. */
export function awaitBirth({ status_topic, random, tell }: BirthOptions): Birth {
  let attending: AbortSignal | undefined;
  let heard = false;
  let answering = false;
  const answer = async (signal: AbortSignal) => {
    await sleep(SOONEST + random() * SPREAD, signal);
    [heard, answering] = [false, false];
    await tell();
  };
  const answerOnce = () => {
    if (!attending || !heard || answering) return;
    answering = true;
    const signal = attending;
    answer(signal).catch((error: unknown) => {
      // The next connection tells everything by itself; what was refused was said when it was first sent.
      if (!(signal.aborted || error instanceof ConnectionLost || error instanceof PublishRefused))
        throw error;
    });
  };
  return {
    hear: ({ topic, payload, retain }) => {
      // A kept word is an old one: who has just connected has sent everything anyway.
      if (topic !== status_topic || payload !== "online" || retain) return;
      heard = true;
      answerOnce();
    },
    attend: (signal) => {
      attending = signal;
      answering = false;
      answerOnce();
    },
  };
}

const SOONEST = 2_000;
const SPREAD = 8_000;
