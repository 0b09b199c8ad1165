import type { Topics } from "../../src/core/topics/topic.ts";
import { AVAILABILITY } from "../../src/core/topics/topic.ts";
import { ConnectionLost } from "../../src/mqtt/broker-errors.ts";
import type { Message, MessageSource } from "../../src/mqtt/publish-queue.ts";
import { createTopicSender, OFFLINE } from "../../src/mqtt/topic-sender.ts";
import { type BaseWatch, watchBase } from "../../src/mqtt/watch-base.ts";
import type { Clock, ClockWithTimers } from "../../src/runtime/clock.ts";
import { aborted } from "../../src/runtime/wait.ts";
import { SILENT_LOG } from "../support/logs.ts";

/** Retained messages as MQTT 5 keeps them: each until it expires, by a clock of the test's own. */
interface ModelBroker {
  get: (topic: string) => string | undefined;
  put: (message: Message) => void;
  /** Its data is gone. */
  wipe: () => void;
  /** Writes its data down, and has no other after a power cut. */
  save: () => void;
  revert: () => void;
  messages: () => number;
  topics: () => string[];
}

export function createModelBroker(clock: Pick<Clock, "now">): ModelBroker {
  let retained = new Map<string, { payload: string; until: number }>();
  let saved = new Map(retained);
  let messages = 0;
  return {
    get: (topic) => {
      const held = retained.get(topic);
      return held && held.until > clock.now() ? held.payload : undefined;
    },
    put: ({ topic, payload, retain, expiry }) => {
      messages += 1;
      if (!retain) return;
      const until = expiry === undefined ? Number.POSITIVE_INFINITY : clock.now() + expiry * 1000;
      if (payload === "") retained.delete(topic);
      else retained.set(topic, { payload, until });
    },
    wipe: () => {
      retained = new Map();
      saved = new Map();
    },
    save: () => {
      saved = new Map(retained);
    },
    revert: () => {
      retained = new Map(saved);
    },
    messages: () => messages,
    topics: () => {
      const now = clock.now();
      return [...retained].filter(([, { until }]) => until > now).map(([topic]) => topic);
    },
  };
}

/** vigie's own topic sender and watch, on a connection that comes and goes as the test says. */
interface ModelPublisher {
  want: (topics: Topics) => void;
  sendAgain: () => void;
  connect: () => void;
  lose: () => void;
  /** The will: after the grace, if nobody came back. */
  will: () => void;
  isConnected: () => boolean;
  /** What is kept and not wanted; undefined until vigie has looked at what is kept. */
  orphans: () => string[] | undefined;
}

export function createModelPublisher(broker: ModelBroker, clock: ClockWithTimers): ModelPublisher {
  let current: ModelConnection | undefined;
  const sender = createTopicSender({
    owner: "{}",
    clock,
    problemLog: { starts: fail, isOver: () => undefined },
    post: () => undefined,
  });
  const connect = () => {
    const ending = new AbortController();
    const own: ModelConnection = { end: () => ending.abort(), hasLooked: false };
    current = own;
    const publish = async (source: MessageSource) => {
      if (current !== own) throw new ConnectionLost("The connection to the broker is gone: test");
      const message = typeof source === "function" ? source() : source;
      if (message) broker.put(message);
    };
    const watch: BaseWatch = watchBase({
      connection: {
        version: 5,
        publish,
        // Shown what is kept, as a subscription does.
        subscribe: async (filter) => {
          for (const topic of broker.topics()) {
            if (filter === "#" || filter === topic)
              watch.take({ topic, payload: broker.get(topic) ?? "", retain: true, isOutside: false });
          }
        },
        unsubscribe: async () => undefined,
        waitForEcho: async () => undefined,
        waitForRetained: async () => undefined,
        closed: aborted(ending.signal),
      },
      sender,
      me: { installation: "", incarnation: "", host: "", version: "", since: "", client_id: "" },
      clock,
      log: SILENT_LOG,
      problemLog: { starts: fail, isOver: () => undefined },
      signal: ending.signal,
      post: (event) => {
        if (event.kind === "unchecked" && current === own) throw event.error;
      },
    });
    const connection = {
      publish,
      closed: aborted(ending.signal),
      subscribeToCommands: async () => undefined,
    };
    sender.start(connection);
    watch.checkRetained().then(
      () => {
        own.hasLooked = true;
      },
      () => undefined,
    );
  };
  return {
    want: sender.setTopics,
    sendAgain: sender.republishAll,
    connect,
    lose: () => {
      current?.end();
      current = undefined;
    },
    will: () => broker.put({ topic: AVAILABILITY, payload: OFFLINE, retain: true }),
    isConnected: () => current !== undefined,
    orphans: () => {
      if (!current?.hasLooked) return undefined;
      const wanted = sender.wanted();
      return broker.topics().filter((topic) => !wanted.has(topic) && topic !== AVAILABILITY);
    },
  };
}

interface ModelConnection {
  end: () => void;
  hasLooked: boolean;
}

function fail(_key: string, sentence: string): never {
  throw new Error(sentence);
}
