import type { WrittenOutput } from "../config/device-templates.ts";
import { payloadsOf, textOf } from "../config/output-parts.ts";
import { readReport, shownReport } from "../core/outputs/read-report.ts";
import { ConnectionLost, PublishRefused } from "../mqtt/broker-errors.ts";
import type { ReceivedMessage } from "../mqtt/connection.ts";
import { settleable, sleep } from "../runtime/wait.ts";
import { type GivenBroker, openBroker } from "./broker.ts";

/** What a device did with one payload. */
export type Outcome =
  | { state: "confirmed" | "other"; answer: string }
  /** `sent`: it does not report what it does. */
  | { state: "silent" | "sent" };

interface TryOptions {
  signal: AbortSignal;
  /** Before a payload is sent, and after its outcome is known. */
  post: (event: TryEvent) => void;
}

export type TryEvent = { payload: string } | { outcome: Outcome };

interface Sending {
  payload: string;
  /** What the device reports then. */
  expect: string;
}

/** What is sent for the first choice, and for `else`; null: there is none. */
export function sendingsOf(output: WrittenOutput): { off: Sending; on: Sending | null } {
  const [off = { payload: "", expect: "" }, on = null] = payloadsOf(output).map(
    ({ payload, expect = payload }) => ({ payload: textOf(payload), expect: textOf(expect) }),
  );
  return { off, on };
}

/** The device could not be told what it was to do after the try. */
export class NotTakenBack extends Error {
  override readonly name = "NotTakenBack";
}

/**
 * Sends the payload of the first choice, and that of `else` after it: also if the wait is ended meanwhile, or the connection.
 * Resolves with whether the device has confirmed both, as far as it reports. Throws NotTakenBack.
 */
export async function tryDevice(
  output: WrittenOutput,
  broker: GivenBroker,
  { signal, post }: TryOptions,
): Promise<boolean> {
  const { off, on } = sendingsOf(output);
  const { topic, confirm } = output;
  let hear: (message: ReceivedMessage) => void = () => undefined;
  const connection = await openBroker(broker, { signal, post: (message) => hear(message) });
  const send = async ({ payload, expect }: Sending) => {
    post({ payload });
    const report = confirm && hearReport({ ...confirm, expect });
    if (report) hear = report.hear;
    await connection.publish({ topic, payload, retain: false });
    if (report) {
      const lost = connection.closed.then((why) => Promise.reject(new ConnectionLost(why)));
      await Promise.race([report.expected, sleep(CONFIRMED_WITHIN, signal), lost]);
    }
    const outcome: Outcome = report ? report.outcome() : { state: "sent" };
    post({ outcome });
    return outcome.state === "confirmed" || outcome.state === "sent";
  };
  let isTold = false;
  try {
    if (confirm) await connection.subscribe(confirm.topic, "newest only");
    isTold = on !== null;
    const wentOff = await send(off).catch((error: unknown) => {
      if (error instanceof PublishRefused) isTold = false;
      throw error;
    });
    await sleep(LOOK_AT_IT, signal);
    const wentOn = on === null || (await send(on));
    isTold = false;
    return wentOff && wentOn;
  } finally {
    if (isTold && on) await takeBack(topic, on.payload, broker);
    await connection.close();
  }
}

/** Reads the reports of a device until it says what is expected. */
function hearReport({ topic, path, expect }: { topic: string; path?: string; expect: string }) {
  let outcome: Outcome = { state: "silent" };
  const expected = settleable();
  const hear = (message: ReceivedMessage) => {
    // What the broker held is older than what was sent.
    if (message.topic !== topic || message.retain) return;
    const meaning = readReport(message.payload, expect, path);
    if (meaning === "nothing" || outcome.state === "confirmed") return;
    const answer = shownReport(message.payload, expect, path);
    outcome = { state: meaning === "expected" ? "confirmed" : "other", answer };
    if (meaning === "expected") expected.settle();
  };
  return { hear, expected: expected.promise, outcome: () => outcome };
}

/** Over a connection of its own, which nobody ends. */
async function takeBack(topic: string, payload: string, broker: GivenBroker): Promise<void> {
  try {
    const connection = await openBroker(broker, { signal: NEVER, limit: TAKEN_BACK_WITHIN });
    const sent = connection.publish({ topic, payload, retain: false });
    const over = new AbortController();
    const limit = sleep(TAKEN_BACK_WITHIN, over.signal).then(() => Promise.reject(new Error("no answer")));
    await Promise.race([sent, limit]).finally(() => over.abort());
    await connection.close();
  } catch (cause) {
    throw new NotTakenBack(payload, { cause });
  }
}

const NEVER = new AbortController().signal;
const CONFIRMED_WITHIN = 5_000;
/** Somebody may stand beside the device. */
const LOOK_AT_IT = 2_000;
const TAKEN_BACK_WITHIN = 5_000;
