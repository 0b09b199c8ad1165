import { ConnectionLost } from "../../src/mqtt/errors.ts";
import { createLedger, OFFLINE } from "../../src/mqtt/ledger.ts";
import type { Message } from "../../src/mqtt/outbox.ts";
import { createSender, type Sender } from "../../src/mqtt/sender.ts";
import type { Topics } from "../../src/mqtt/topic.ts";
import { AVAILABILITY } from "../../src/mqtt/topic.ts";
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
  };
}

/** vigie's own ledger and sender, on a connection that comes and goes as the test says. */
export interface ModelPublisher {
  want: (topics: Topics) => void;
  connect: () => void;
  lose: () => void;
  /** The will: after the grace, if nobody came back. */
  will: () => void;
  isConnected: () => boolean;
}

export function createModelPublisher(broker: ModelBroker, clock: Pick<Clock, "now">): ModelPublisher {
  let topics: Topics | undefined;
  let link: { ledger: ReturnType<typeof createLedger>; sender: Sender; lost: boolean } | undefined;
  const connect = () => {
    const ledger = createLedger("{}", () => false);
    const tree = {
      publish: async (compose: () => Message) => {
        if (link?.ledger !== ledger) throw new ConnectionLost("The connection to the broker is gone: test");
        broker.put(compose());
      },
    };
    const trouble = { begins: fail, ends: () => undefined };
    const sender = createSender({
      ...{ tree, ledger, clock, trouble },
      events: [],
      listen: async () => undefined,
      onWhole: () => undefined,
    });
    link = { ledger, sender, lost: false };
    if (topics) ledger.want(topics);
    sender.wake();
  };
  return {
    want: (newest) => {
      topics = newest;
      link?.ledger.want(newest);
      link?.sender.wake();
    },
    connect,
    lose: () => {
      link = undefined;
    },
    will: () => broker.put({ topic: AVAILABILITY, payload: OFFLINE, retain: true }),
    isConnected: () => link !== undefined,
  };
}

function fail(_key: string, sentence: string): never {
  throw new Error(sentence);
}
