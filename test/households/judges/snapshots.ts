import type { Trace } from "../trace.ts";
import { houseAtRest, instantsToJudge, SETTLED } from "./answers-to-truth.ts";
import { readCalm } from "./calm.ts";
import type { House } from "./house.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE, readTopics } from "./topics.ts";
import type { Moment } from "./truth/conditions.ts";
import type { Book } from "./truth/known-days.ts";
import { ANY } from "./truth/possible.ts";
import { type Life, readLife } from "./truth/read-life.ts";

/** What the broker holds of vigie at one instant, after all was shown. */
export interface Snapshot {
  steady: number;
  /** What the clock of the machine shows. */
  at: number;
  house: House;
  life: Life;
  /** vigie may doubt its clock, and say nothing of the moment. */
  isDoubted: boolean;
  /** vigie says that its clock is wrong. By which clock the season and the prices go on then, is not said. */
  isClockWrong: boolean;
  /** In a house with another tariff judges do not know which days and prices are right. */
  isSpecial: boolean;
  /**
   * What is held on this topic, below the base topic. null: nobody can tell, as it is just being published, has expired, was written
   * by somebody else, or is not there, which another judge says.
   */
  read: (topic: string) => string | null;
}

/** What a judge of these finds in one of them; a text is what is wrong. */
type Look = (snapshot: Snapshot) => readonly (string | "right" | "skipped")[];

export function judgeSnapshots(name: string, look: Look): Judge {
  return {
    name,
    find: function* (trace) {
      for (const snapshot of snapshotsOf(trace)) {
        if (snapshot === "skipped") yield snapshot;
        else for (const found of look(snapshot)) yield findingOf(found, snapshot);
      }
    },
  };
}

function findingOf(found: string, { steady, at }: Snapshot): Finding {
  if (found === "right" || found === "skipped") return found;
  return { at: steady, sentence: `${new Date(at).toISOString()}: ${found}` };
}

const snapshotsOf = onceForEach(findSnapshots);

function findSnapshots(trace: Trace): (Snapshot | "skipped")[] {
  const life = readLife(trace);
  const topics = readTopics(trace);
  const calm = readCalm(trace);
  return instantsToJudge(trace).flatMap((steady): (Snapshot | "skipped")[] => {
    const house = houseAtRest(life, steady);
    if (house === null) return [];
    if (house === "skipped") return [house];
    const busy = Math.max(BUSY, calm.lag(steady));
    const read = (topic: string) => {
      const inFull = `${BASE}/${topic}`;
      const held = life.held(inFull).at(steady);
      const isBusy = topics.changes([inFull], steady - busy, steady + busy).length > 0;
      return held?.byVigie && held.until > steady && !isBusy ? held.payload : null;
    };
    const at = trace.began + steady + life.skew.at(steady);
    const isDoubted = life.doubtUntil.at(steady) > steady;
    const isClockWrong = life.held(`${BASE}/now/date`).at(steady)?.payload === "None";
    return [{ steady, at, house, life, isDoubted, isClockWrong, isSpecial: house.isSpecial, read }];
  });
}

export type MomentOfBook = Moment & { book: Book };

/** What may decide what is shown: what is known now, and what was known just before. */
export function momentsOf({ life, steady, at, house }: Snapshot): MomentOfBook[] {
  const from = steady - SETTLED;
  return [from, ...life.memory.changes(from, steady), steady].map((instant) => ({
    at: at - steady + instant,
    house,
    book: life.memory.at(instant).book,
    settings: life.memory.at(instant).settings,
    value: () => ANY,
    published: null,
    found: new Map(),
  }));
}

/** What is known as this text; null: unknown. */
export function numberOf(payload: string): number | null {
  return payload === "None" ? null : Number(payload);
}

/** All of these topics, in order; null: one of them cannot be read. */
export function readAll({ read }: Snapshot, topics: readonly string[]): string[] | null {
  const payloads = topics.map(read);
  return payloads.every((payload) => payload !== null) ? payloads : null;
}

/** Milliseconds. So long after a turn its topics come one after the other, if the broker is quick. */
const BUSY = 3_000;
