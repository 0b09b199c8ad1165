import { type Change, diffTopics } from "../core/topics/diff-topics.ts";
import { AVAILABILITY, OWNER, type Topic, type Topics } from "../core/topics/topic.ts";

const ONLINE = "online";
export const OFFLINE = "offline";

/** What one connection has sent, and what should be on the broker by vigie's own hand. */
export interface Ledger {
  want: (topics: Topics) => void;
  /** All but `online` is there to be sent. */
  mayAnnounce: () => boolean;
  /** From now on `online` is wanted, too. */
  announce: () => void;
  isAnnounced: () => boolean;
  wanted: () => Topics;
  plan: () => Change[];
  acknowledge: (topic: string, value: Topic | undefined) => void;
  /** Whether the broker has acknowledged the value that is wanted now. */
  holds: (topic: string) => boolean;
  /** The broker holds something else there. */
  doubt: (topics: readonly string[]) => void;
  /** All of it has to be said once more. */
  doubtAll: () => void;
}

/** At first nothing counts as sent but the word of the owner, written before all else. While it is held nothing is cleared. */
export function createLedger(owner: string, isHeld: () => boolean): Ledger {
  const sent = new Map<string, Topic>([[OWNER, { payload: owner }]]);
  const odd = new Set<string>();
  let topics: Topics | undefined;
  let announced = false;
  let wanted: Topics = new Map(sent);
  const compile = () => {
    const online: [string, Topic][] = announced ? [[AVAILABILITY, { payload: ONLINE }]] : [];
    wanted = new Map([...(topics ?? []), [OWNER, { payload: owner }], ...online]);
  };
  return {
    want: (newest) => {
      topics = newest;
      compile();
    },
    mayAnnounce: () => !announced && topics !== undefined,
    announce: () => {
      announced = true;
      compile();
    },
    isAnnounced: () => announced,
    wanted: () => wanted,
    plan: () => {
      for (const topic of odd) sent.set(topic, ODD);
      odd.clear();
      const changes = diffTopics(sent, wanted);
      return isHeld() ? changes.filter(({ kind }) => kind !== "clear") : changes;
    },
    acknowledge: (topic, value) => {
      if (value) sent.set(topic, value);
      else sent.delete(topic);
    },
    holds: (topic) => sent.get(topic)?.payload === wanted.get(topic)?.payload,
    doubt: (wrong) => {
      for (const topic of wrong) odd.add(topic);
    },
    doubtAll: () => {
      for (const topic of wanted.keys()) odd.add(topic);
    },
  };
}

/** Stands for whatever else the broker holds: no value that is ever wanted. */
const ODD: Topic = { payload: "" };
