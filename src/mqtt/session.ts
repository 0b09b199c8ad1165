import type { MqttConfig } from "../config/config.ts";
import { AVAILABILITY, type Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { atMost } from "../runtime/wait.ts";
import type { ConnectOptions, ReceivedMessage } from "./connection.ts";
import type { ConnectionUser } from "./connection-users.ts";
import { createLedger, OFFLINE } from "./ledger.ts";
import type { Owner } from "./owner.ts";
import type { ShortConnection } from "./short-connection.ts";
import { createSender, type Sender } from "./topic-sender.ts";
import { openTree, type Tree } from "./tree.ts";
import { createWatch, type OnCommand } from "./watch-base.ts";

export interface SessionOptions {
  broker: MqttConfig;
  me: Owner;
  events: string[];
  clock: Clock;
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
  keepalive: number;
  signal: AbortSignal;
  onCommand: OnCommand;
  users: ConnectionUser;
  /** What is not wanted any more still has to stay. */
  isHeld: () => boolean;
  onForeignOwner: (owner: Owner) => void;
  onWhole: () => void;
}

/** The connection that stays: as the owner of its base topic. */
export interface Session {
  want: (topics: Topics) => void;
  /** There are events to tell, or clearing is held no longer. */
  wake: () => void;
  sendAgain: () => void;
  closed: Promise<string>;
  /** Resolves when what the broker held has been looked through. */
  looked: Promise<void>;
  /** As the process ends: the will goes out after the grace, so that a restart is seen by nobody. */
  leave: (why: "for good" | "to start again") => Promise<void>;
  /** For good: no will, no session. */
  quit: () => Promise<void>;
}

export async function openSession(visit: ShortConnection, options: SessionOptions): Promise<Session> {
  const { broker, me, problemLog, signal } = options;
  const ear = createEar();
  const { address, version } = visit;
  const tree = await openTree({
    address,
    version,
    ...connectWays(broker, me, options.keepalive),
    base: broker.base_topic,
    random: options.random,
    signal,
    ear: ear.hear,
    beyond: options.users.onMessage,
  });
  let open = true;
  void tree.closed.then(() => {
    open = false;
  });
  const failed = (error: unknown) => {
    if (open && !ear.isShut() && !signal.aborted) {
      problemLog.starts("watch", `vigie cannot look at what the broker holds: ${(error as Error).message}`);
    }
  };
  const ledger = createLedger(JSON.stringify(me), options.isHeld);
  // What is kept can wait until all is said. That listening is refused is said by the watch.
  const listen = () => tree.subscribe("#", false).catch(() => undefined);
  const sender = createSender({ ...options, tree, ledger, listen });
  const watch = createWatch({ ...options, tree, ledger, sender, failed });
  const looking = watch.start();
  const looked = looking.then(() => problemLog.isOver("watch", "The broker lets vigie look again"), failed);
  options.users.onConnection(tree.link(() => looking));
  return {
    want: (topics) => {
      ledger.want(topics);
      ear.open(watch.hear);
      sender.wake();
    },
    wake: sender.wake,
    sendAgain: () => {
      ledger.doubtAll();
      sender.wake();
    },
    closed: tree.closed,
    looked,
    leave: (why) => ear.shutBefore(() => leave(tree, sender, why))(),
    quit: ear.shutBefore(() => tree.close({ endSession: true })),
  };
}

type Hear = (message: ReceivedMessage) => void;

/** What comes before anything is known waits: without its topics there is no telling which rule a command is for. */
function createEar() {
  const early: ReceivedMessage[] = [];
  let listener: Hear = (message) => void early.push(message);
  let shut = false;
  return {
    hear: (message: ReceivedMessage) => {
      if (!shut) listener(message);
    },
    open: (hear: Hear) => {
      listener = hear;
      for (const message of early.splice(0)) hear(message);
    },
    isShut: () => shut,
    shutBefore: (leaving: () => Promise<void>) => () => {
      shut = true;
      return leaving();
    },
  };
}

function connectWays(
  { base_topic, grace }: MqttConfig,
  me: Owner,
  keepalive: number,
): Pick<ConnectOptions, "clientId" | "session" | "will" | "keepalive"> {
  const seconds = Math.ceil(grace / 1000);
  const will = { topic: `${base_topic}/${AVAILABILITY}`, payload: OFFLINE, delay: seconds };
  return { clientId: me.client_id, session: seconds, will, keepalive };
}

async function leave(tree: Tree, sender: Sender, why: "for good" | "to start again"): Promise<void> {
  await atMost(sender.idle(), LEAVING_LIMIT);
  // Without its will: the next connection of this process follows at once.
  if (why === "to start again") return tree.close();
  if (tree.version === 4) {
    // No grace there: the will would come at once anyway, and only where the broker notices.
    const offline = tree.publish(() => ({ topic: AVAILABILITY, payload: OFFLINE, retain: true }));
    await atMost(
      offline.catch(() => undefined),
      LEAVING_LIMIT,
    );
  }
  await tree.close({ reasonCode: 4 });
}

/** Leaving takes less than 5 s, also where the broker is down or frozen. */
const LEAVING_LIMIT = 1_000;
