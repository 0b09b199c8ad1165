import type { Clock } from "./clock.ts";
import { describeDuration } from "./duration.ts";
import type { Log } from "./log.ts";

/** Trouble that lasts: said when it begins, and once more when it ends. */
export interface Trouble {
  /** The key names what is in trouble; another sentence for it is said too. */
  begins(key: string, sentence: string, details?: object): void;
  /** The sentence goes without a full stop; how long it lasted is put behind it. */
  ends(key: string, sentence: string): void;
}

/**
 * Each sentence is said once a trouble. What keeps coming and going, or keeps changing its words, is said six times an
 * hour at most, and the sixth says so.
 */
export function createTrouble(log: Log, clock: Clock): Trouble {
  const lasting = new Map<string, Lasting>();
  const lines = new Map<string, number[]>();

  const budget = (key: string): number => {
    const recent = (lines.get(key) ?? []).filter((at) => clock.steady() - at < HOUR);
    lines.set(key, recent);
    return LINES_AN_HOUR - recent.length;
  };
  const begins: Trouble["begins"] = (key, sentence, details) => {
    const known = lasting.get(key) ?? { since: clock.steady(), said: new Set(), heard: false };
    lasting.set(key, known);
    const left = known.said.has(sentence) ? 0 : budget(key);
    if (left <= 0) return;
    known.said.add(sentence);
    known.heard = true;
    lines.get(key)?.push(clock.steady());
    log.warn(left === 1 ? `${sentence} (${LAST})` : sentence, details);
  };
  const ends: Trouble["ends"] = (key, sentence) => {
    const known = lasting.get(key);
    lasting.delete(key);
    if (known?.heard) log.info(`${sentence}, after ${describeDuration(clock.steady() - known.since)}`);
  };
  return { begins, ends };
}

interface Lasting {
  since: number;
  said: Set<string>;
  /** Whether the log knows of it: what it never heard of does not end there. */
  heard: boolean;
}

const HOUR = 3_600_000;
const LINES_AN_HOUR = 6;
const LAST = "this keeps coming back, and is not said again for a while";
