import { chooseOutputs, type Outlook, type Send } from "../core/outputs/choose-outputs.ts";
import type { Outputs } from "../core/outputs/output.ts";
import { noteArrived, noteSending, type OutputsKeeper } from "../core/outputs/outputs-memory.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import { ConnectionLost, PublishRefused, SubscribeRefused } from "./broker-errors.ts";
import type { BrokerLink, ConnectionUser } from "./connection-users.ts";
import { type Answers, createAnswers } from "./device-answers.ts";

export interface OutputSenderOptions {
  outputs: Outputs;
  keeper: OutputsKeeper;
  clock: Clock;
  log: Log;
  problemLog: ProblemLog;
  /** Looks again at what is true now, and says so by `follow`: a connection is there, or a problem came or went. */
  refresh: () => void;
}

/** Tells devices what is in force, over the publisher's connection. */
export interface OutputSender extends ConnectionUser {
  /** What is true now; `truth`: the same without a pretended colour. Returns at once. */
  follow: (seen: Outlook, truth?: Outlook) => void;
  /** Whether a device does not do as it was told, or the broker does not take what it is told. */
  hasProblem: () => boolean;
  /** Nothing new is sent; what is on its way gets a moment to arrive. */
  stop: () => Promise<void>;
}

/** What one connection, and the time before it, have come to. */
interface Standing {
  link: BrokerLink | undefined;
  outlook: { seen: Outlook; truth: Outlook } | undefined;
  /** One message a topic at a time, so that the last one is the one in force. */
  onTheWay: Map<string, Promise<void>>;
  /** What the broker did not take on this connection. */
  refused: Map<string, string>;
  stopped: boolean;
}

/**
 * Nothing waits in a queue: what has to be sent is decided anew at each look, and from what the broker is known to have.
 * So what was in force only while the broker was away is never sent late.
 */
export function startOutputSender(options: OutputSenderOptions): OutputSender {
  const { outputs, refresh } = options;
  const standing: Standing = {
    link: undefined,
    outlook: undefined,
    stopped: false,
    onTheWay: new Map(),
    refused: new Map(),
  };
  const { tell, hasProblem, answers } = watchProblem(standing, options);
  const step = createStep({ ...options, standing, answers, tell });
  return {
    onMessage: answers.hear,
    follow: (seen, truth = seen) => {
      standing.outlook = { seen, truth };
      step();
    },
    onConnection: (link) => {
      if (standing.stopped) return;
      standing.link = link;
      standing.refused.clear();
      void link.closed.then(() => dropLink(standing, link));
      void listen(link, outputs, options);
      answers.open(link);
      // What was true when the last connection ended may be so no longer.
      refresh();
    },
    hasProblem,
    stop: async () => {
      standing.stopped = true;
      answers.stop();
      await settled(standing);
    },
  };
}

function watchProblem(standing: Standing, options: OutputSenderOptions) {
  let told = false;
  const hasProblem = () => standing.refused.size > 0 || answers.isMissed();
  const tell = () => {
    if (standing.stopped || told === hasProblem()) return;
    told = !told;
    options.refresh();
  };
  const answers = createAnswers({ ...options, tell });
  told = hasProblem();
  return { tell, hasProblem, answers };
}

interface Delivery extends OutputSenderOptions {
  standing: Standing;
  answers: Answers;
  /** The problem may have come or gone. */
  tell: () => void;
}

function createStep(delivery: Delivery): () => void {
  const { outputs, keeper, standing } = delivery;
  const { onTheWay, refused } = standing;
  const step = () => {
    const { link, outlook } = standing;
    if (!outlook || standing.stopped) return;
    const { sends, memory } = chooseOutputs(outputs, outlook.seen, keeper.get(), outlook.truth);
    if (memory !== keeper.get()) void keeper.set(memory);
    forgetRefused(sends, delivery);
    for (const send of sends) {
      if (!link || onTheWay.has(send.topic) || refused.get(send.topic) === send.payload) continue;
      const sending = deliver(send, link, delivery).finally(() => {
        onTheWay.delete(send.topic);
        // Something else may be in force by now.
        step();
      });
      onTheWay.set(send.topic, sending);
    }
    delivery.tell();
  };
  return step;
}

/** What the broker did not take is no problem any more once it is not wanted. */
function forgetRefused(sends: readonly Send[], { standing: { refused }, problemLog }: Delivery): void {
  for (const topic of [...refused.keys()]) {
    if (sends.some((send) => send.topic === topic)) continue;
    refused.delete(topic);
    problemLog.isOver(`output ${topic}`, `Nothing is left to be sent to ${topic}`);
  }
}

/** Written down before it is sent, and again when it has arrived: a sudden death in between repeats it, and loses nothing. */
async function deliver(send: Send, link: BrokerLink, delivery: Delivery): Promise<void> {
  const { keeper, clock, log, problemLog, standing, answers } = delivery;
  const { topic, payload, qos, retain, because } = send;
  answers.forget(topic);
  await keeper.set(noteSending(keeper.get(), send, clock.now()));
  if (standing.stopped || standing.link !== link) return;
  try {
    await link.publish({ topic, payload, qos, retain });
  } catch (error) {
    if (error instanceof PublishRefused) return refuse(send, error, delivery);
    if (error instanceof ConnectionLost) return dropLink(standing, link);
    throw error;
  }
  log.info(`Sent ${quoted(payload)} to ${topic}: ${because}`);
  standing.refused.delete(topic);
  problemLog.isOver(`output ${topic}`, `The broker takes ${topic} again`);
  await keeper.set(noteArrived(keeper.get(), topic, payload));
  if (!standing.stopped && standing.link === link) answers.await(topic, link);
}

/** Tried again when something else is to be sent there, and on the next connection. */
function refuse({ topic, payload }: Send, error: PublishRefused, { standing, problemLog }: Delivery): void {
  standing.refused.set(topic, payload);
  problemLog.starts(`output ${topic}`, `${error.message}; ${quoted(payload)} was not sent`);
}

function dropLink(standing: Standing, link: BrokerLink): void {
  if (standing.link === link) standing.link = undefined;
}

/** Whoever may not be heard is told again and again, and then is a problem: that is said where it begins. */
async function listen(
  link: BrokerLink,
  { list }: Outputs,
  { problemLog }: Pick<OutputSenderOptions, "problemLog">,
): Promise<void> {
  const topics = new Set(list.flatMap(({ confirm }) => confirm?.topic ?? []));
  for (const topic of topics) {
    try {
      await link.subscribe(topic);
      problemLog.isOver(`hear ${topic}`, `The broker lets vigie hear ${topic} again`);
    } catch (error) {
      if (error instanceof ConnectionLost) return;
      if (!(error instanceof SubscribeRefused)) throw error;
      problemLog.starts(`hear ${topic}`, error.message);
    }
  }
}

async function settled({ onTheWay }: Standing): Promise<void> {
  const over = new AbortController();
  const limit = sleep(STOPPING_LIMIT, over.signal).catch(() => undefined);
  await Promise.race([Promise.all(onTheWay.values()), limit]);
  over.abort();
}

function quoted(payload: string): string {
  return JSON.stringify(payload.length > LONGEST_SHOWN ? `${payload.slice(0, LONGEST_SHOWN)}…` : payload);
}

const LONGEST_SHOWN = 60;
/** The whole of leaving must fit into 5 s. */
const STOPPING_LIMIT = 1_500;
