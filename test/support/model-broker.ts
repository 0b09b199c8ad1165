import type { Topics } from "../../src/core/topics/topic.ts";
import { AVAILABILITY } from "../../src/core/topics/topic.ts";
import { ConnectionLost } from "../../src/mqtt/broker-errors.ts";
import { createLedger, type Ledger, OFFLINE } from "../../src/mqtt/ledger.ts";
import type { Compose, Message } from "../../src/mqtt/outbox.ts";
import { createSender, type Sender } from "../../src/mqtt/topic-sender.ts";
import type { Tree } from "../../src/mqtt/tree.ts";
import { createWatch, type Watch, type WatchOptions } from "../../src/mqtt/watch-base.ts";
import type { Clock } from "../../src/runtime/clock.ts";

/** Retained messages as MQTT 5 keeps them: each until it expires, by a clock of the test's own. */
export interface ModelBroker {
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

/** vigie's own ledger, sender and watch, on a connection that comes and goes as the test says. */
export interface ModelPublisher {
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

export function createModelPublisher(broker: ModelBroker, clock: Clock): ModelPublisher {
  let topics: Topics | undefined;
  let link: ModelLink | undefined;
  const connect = () => {
    const ledger = createLedger("{}", () => false);
    const ending = new AbortController();
    const tree = {
      publish: async (compose: Compose) => {
        if (link?.ledger !== ledger) throw new ConnectionLost("The connection to the broker is gone: test");
        const message = compose();
        if (message) broker.put(message);
      },
    };
    const problemLog = { starts: fail, isOver: () => undefined };
    const sender = createSender({
      tree,
      ledger,
      clock,
      problemLog,
      events: [],
      listen: async () => undefined,
      onWhole: () => undefined,
    });
    const watch = watchBroker(broker, { tree, ledger, sender, clock, signal: ending.signal });
    const own: ModelLink = { ledger, sender, end: () => ending.abort(), hasLooked: false };
    link = own;
    if (topics) ledger.want(topics);
    sender.wake();
    void watch.start().then(() => {
      own.hasLooked = true;
    });
  };
  return {
    want: (newest) => {
      topics = newest;
      link?.ledger.want(newest);
      link?.sender.wake();
    },
    sendAgain: () => {
      link?.ledger.doubtAll();
      link?.sender.wake();
    },
    connect,
    lose: () => {
      link?.end();
      link = undefined;
    },
    will: () => broker.put({ topic: AVAILABILITY, payload: OFFLINE, retain: true }),
    isConnected: () => link !== undefined,
    orphans: () => {
      if (!link?.hasLooked) return undefined;
      const wanted = link.ledger.wanted();
      return broker.topics().filter((topic) => !wanted.has(topic) && topic !== AVAILABILITY);
    },
  };
}

interface ModelLink {
  ledger: Ledger;
  sender: Sender;
  end: () => void;
  hasLooked: boolean;
}

/** Shown what is kept, as a subscription does. */
function watchBroker(
  broker: ModelBroker,
  ways: { tree: Pick<Tree, "publish"> } & Pick<WatchOptions, "ledger" | "sender" | "clock" | "signal">,
): Watch {
  const subscribe = async () => {
    for (const topic of broker.topics()) {
      watch.hear({ topic, payload: broker.get(topic) ?? "", retain: true });
    }
  };
  const watch: Watch = createWatch({
    ...ways,
    tree: { ...ways.tree, subscribe, echo: async () => undefined } as unknown as Tree,
    me: { installation: "", incarnation: "", host: "", version: "", since: "", client_id: "" },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    onCommand: () => undefined,
    onForeignOwner: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  return watch;
}

function fail(_key: string, sentence: string): never {
  throw new Error(sentence);
}
