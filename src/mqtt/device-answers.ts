import type { Confirmation, Output, Outputs } from "../core/outputs/output.ts";
import type { OutputsKeeper } from "../core/outputs/outputs-memory.ts";
import { noteAnswer, recallSent } from "../core/outputs/outputs-memory.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeDuration } from "../runtime/duration.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { ReceivedMessage } from "./connection.ts";
import type { BrokerLink } from "./connection-users.ts";
import { insist } from "./repeat-until-confirmed.ts";

interface AnswersOptions {
  outputs: Outputs;
  keeper: OutputsKeeper;
  clock: Clock;
  problemLog: ProblemLog;
  /** The problem may have come or gone. */
  tell: () => void;
}

/** Whether devices say that they have obeyed. What has been heard once is settled: vigie fights nobody's hand. */
export interface Answers {
  hear: (message: ReceivedMessage) => void;
  /** A new connection: whoever has not answered is told again over it. */
  open: (link: BrokerLink) => void;
  /** The topic has been told something: its answer is waited for. */
  await: (topic: string, link: BrokerLink) => void;
  /** The topic is told something else: the answer to what was told before is of no interest any more. */
  forget: (topic: string) => void;
  /** Whether one who was told long enough never answered. */
  isMissed: () => boolean;
  stop: () => void;
}

type Asking = Output & { confirm: Confirmation };

export function createAnswers(options: AnswersOptions): Answers {
  const { keeper } = options;
  const asking = options.outputs.list.filter((output): output is Asking => output.confirm !== undefined);
  // What the broker keeps is a state: it stands until something else is said.
  const kept = new Map<string, string>();
  const ends = new Map<string, AbortController>();
  const isOwed = (topic: string) => {
    const sent = recallSent(keeper.get(), topic);
    return sent?.stands === true && (sent.answer === "awaited" || sent.answer === "missed");
  };
  const forget = (topic: string) => {
    ends.get(topic)?.abort();
    ends.delete(topic);
  };
  const take = (output: Asking, word: string | undefined) => {
    const sent = recallSent(keeper.get(), output.topic);
    if (sent && isOwed(output.topic) && word === sent.expect) settle(output, options);
  };
  const begin = (output: Asking, link: BrokerLink) => {
    forget(output.topic);
    const end = new AbortController();
    ends.set(output.topic, end);
    void link.closed.then(() => end.abort());
    void remind(output, link, end.signal, () => isOwed(output.topic), options);
  };
  return {
    hear: ({ topic, payload, retain }) => {
      if (retain) kept.set(topic, payload);
      else kept.delete(topic);
      for (const output of asking) if (output.confirm.topic === topic) take(output, payload);
    },
    open: (link) => {
      kept.clear();
      for (const output of asking) if (isOwed(output.topic)) begin(output, link);
    },
    await: (topic, link) => {
      const output = asking.find((one) => one.topic === topic);
      if (!output) return;
      take(output, kept.get(output.confirm.topic));
      if (isOwed(topic)) begin(output, link);
    },
    forget,
    isMissed: () =>
      asking.some(({ topic }) => isOwed(topic) && recallSent(keeper.get(), topic)?.answer === "missed"),
    stop: () => {
      for (const { topic } of asking) forget(topic);
    },
  };
}

function settle({ topic, confirm }: Asking, { keeper, problemLog, tell }: AnswersOptions): void {
  void keeper.set(noteAnswer(keeper.get(), topic, "heard"));
  problemLog.isOver(`answer ${topic}`, `${confirm.topic} says what it should`);
  tell();
}

function remind(
  output: Asking,
  link: BrokerLink,
  signal: AbortSignal,
  isAwaited: () => boolean,
  { keeper, clock, problemLog, tell }: AnswersOptions,
): Promise<void> {
  const { topic, qos, retain, confirm } = output;
  const sent = () => recallSent(keeper.get(), topic);
  return insist({
    confirm,
    isAwaited,
    clock,
    signal,
    repeat: () => link.publish({ topic, payload: sent()?.payload ?? "", qos, retain }),
    giveUp: (times) => {
      void keeper.set(noteAnswer(keeper.get(), topic, "missed"));
      const { payload = "", expect } = sent() ?? {};
      problemLog.starts(
        `answer ${topic}`,
        `${topic} was told ${JSON.stringify(payload)} ${times} times in ${describeDuration(confirm.for)}, and ${confirm.topic} never said ${JSON.stringify(expect)}: does the device hear?`,
      );
      tell();
    },
  });
}
