import type { Change } from "../core/topics/diff-topics.ts";
import { secondsLeft, type Topic, type Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";
import type { Ledger } from "./ledger.ts";
import type { Tree } from "./tree.ts";

export interface SenderOptions {
  tree: Pick<Tree, "publish">;
  ledger: Ledger;
  clock: Pick<Clock, "now">;
  problemLog: ProblemLog;
  /** Told once each, in order; taken off when acknowledged. */
  events: string[];
  /** Hears from now on what is said below the base; never rejects. */
  listen: () => Promise<void>;
  /** All is acknowledged, `online` too. */
  onWhole: () => void;
}

/** Makes the broker hold what the ledger wants, over one connection. */
export interface Sender {
  /** There may be something to send. */
  wake: () => void;
  /** When nothing is left to be sent. */
  idle: () => Promise<void>;
}

export function createSender(options: SenderOptions): Sender {
  const { ledger, onWhole } = options;
  const step = createStep(options);
  const idlers: (() => void)[] = [];
  let running = false;
  // Woken while a step finds nothing to do: by now there may be something.
  let woken = false;
  const run = async () => {
    running = true;
    do woken = false;
    while ((await step()) || woken);
    running = false;
    if (!ledger.isAnnounced()) return;
    onWhole();
    for (const goOn of idlers.splice(0)) goOn();
  };
  return {
    wake: () => {
      woken = true;
      if (!running) run().catch(endsWithConnection);
    },
    idle: () =>
      ledger.isAnnounced() && !running ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve)),
  };
}

/** One step towards nothing to do; false when there. */
function createStep({
  tree,
  ledger,
  clock,
  problemLog,
  events,
  listen,
}: SenderOptions): () => Promise<boolean> {
  const refused = new Map<string, string>();
  /** What is wanted by now may be something else: that has a plan of its own, in its own order. */
  const send = async ({ topic }: Change, planned: Topics) => {
    const value = planned.get(topic);
    let isSent = false;
    const publishing = tree.publish(() => {
      isSent = ledger.wanted() === planned;
      return isSent ? { topic, payload: value?.payload ?? "", retain: true, ...expiry(value, clock) } : null;
    });
    const refusal = await refusalOf(publishing);
    if (!isSent) return;
    if (refusal === null) refused.delete(topic);
    else refused.set(topic, refusal);
    ledger.acknowledge(topic, value);
  };
  return async () => {
    const changes = ledger.plan();
    if (changes.length > 0) {
      const planned = ledger.wanted();
      await Promise.all(changes.map((change) => send(change, planned)));
      sayRefusals(problemLog, refused);
      return true;
    }
    // `online` goes out last: no old value becomes available again before it is corrected, and whoever sees it is heard.
    if (ledger.mayAnnounce()) {
      await listen();
      ledger.announce();
      return true;
    }
    const [event] = events;
    if (event === undefined || !ledger.isAnnounced()) return false;
    await refusalOf(tree.publish(() => ({ topic: "event", payload: event, retain: false })));
    events.shift();
    return true;
  };
}

/** The time left is computed when the message leaves: it may have waited. */
function expiry(value: Topic | undefined, clock: Pick<Clock, "now">): { expiry?: number } {
  const left = value && secondsLeft(value, clock.now());
  return left === undefined ? {} : { expiry: left };
}

async function refusalOf(publishing: Promise<void>): Promise<string | null> {
  try {
    await publishing;
    return null;
  } catch (error) {
    if (error instanceof PublishRefused) return error.message;
    throw error;
  }
}

function sayRefusals(problemLog: ProblemLog, refused: ReadonlyMap<string, string>): void {
  const [first] = refused.values();
  if (first === undefined) {
    problemLog.isOver("refused", "The broker takes every message again");
    return;
  }
  const more = refused.size > 1 ? ` (and ${refused.size - 1} more)` : "";
  problemLog.starts("refused", `${first}${more}; the other topics are kept true`);
}

/** The connection itself says why it ended; the next one has a sender of its own. */
function endsWithConnection(error: unknown): void {
  if (!(error instanceof ConnectionLost)) throw error;
}
