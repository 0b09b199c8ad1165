import type { Instant } from "../../src/core/calendar/tariff.ts";
import { between, pick, type Random, randomFrom } from "../../src/simulator/random.ts";
import { FAULTS, type FaultName } from "../support/service-faults.ts";

/** Something that happens to the service, the broker or vigie, and ends. */
export interface Mishap {
  from: Instant;
  until: Instant;
  kind: MishapKind;
  faults: readonly FaultName[];
  /** Of the machine's clock; 0 but for one that was set wrong. */
  skew: number;
}

/** `vigie` is a kill -9: it publishes nothing more, and starts with the state that it wrote last. */
type MishapKind = "service" | "broker" | "broker-wiped" | "vigie" | "power-cut" | "clock";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A year of mishaps from a seed: about one every day and a half, minutes to hours long, some longer; some at once. Each
 * fault comes at least once alone, and every two weeks the machine's clock is set wrong, and right again.
 */
export function planMishaps(seed: number, from: Instant, until: Instant): Mishap[] {
  const random = randomFrom(`story/${seed}`);
  const mishaps: Mishap[] = [];
  const last = until - 9 * DAY;
  for (let at = from + DAY; at < last; at += between(0.2, 3, random) * DAY) {
    mishaps.push(invent(Math.round(at), random));
  }
  for (const fault of FAULTS) {
    mishaps.push(mishap(Math.round(between(from + DAY, last, random)), "service", [fault], DAY));
  }
  for (let at = from + DAY; at < last; at += between(2, 20, random) * DAY) {
    mishaps.push(setWrong(Math.round(at), random));
  }
  // The service away for a week: once anywhere, and twice in the cold months.
  for (const [first, last] of [
    [20, 340],
    [70, 110],
    [120, 170],
  ] as const) {
    const start = Math.round(from + between(first, last, random) * DAY);
    if (start < last) mishaps.push(mishap(start, "service", ["down"], 7 * DAY));
  }
  return mishaps.sort((one, other) => one.from - other.from);
}

function invent(from: Instant, random: Random): Mishap {
  const draw = random();
  if (draw < 0.3) return mishap(from, "service", ["down"], lasting(2 * MINUTE, DAY, random));
  if (draw < 0.4) return mishap(from, "service", [pick(BUSY, random)], lasting(MINUTE, 6 * HOUR, random));
  if (draw < 0.65) return mishap(from, "service", garbage(random), lasting(10 * MINUTE, 2 * DAY, random));
  if (draw < 0.72) return mishap(from, "service", ["revised"], between(1, 6, random) * DAY);
  if (draw < 0.8) return mishap(from, "broker", [], lasting(1_000, DAY, random));
  if (draw < 0.86) return mishap(from, "broker-wiped", [], lasting(1_000, DAY, random));
  if (draw < 0.95) return mishap(from, "vigie", [], lasting(1_000, DAY, random));
  return mishap(from, "power-cut", [], lasting(MINUTE, DAY, random));
}

function mishap(from: Instant, kind: MishapKind, faults: FaultName[], length: number): Mishap {
  return { from, until: Math.round(from + length), kind, faults, skew: 0 };
}

/** By minutes, hours or days, forward or back. */
function setWrong(from: Instant, random: Random): Mishap {
  const length = pick(STEPS, random) * between(0.8, 1.2, random);
  const skew = Math.round(random() < 0.5 ? length : -length);
  return { ...mishap(from, "clock", [], lasting(10 * MINUTE, 2 * DAY, random)), skew };
}

/** Short ones are as common as long ones. */
function lasting(shortest: number, longest: number, random: Random): number {
  return shortest * (longest / shortest) ** random();
}

/** Any fault alone, or any two. */
function garbage(random: Random): FaultName[] {
  const one = pick(FAULTS, random);
  return random() < 0.5 ? [one] : [one, pick(FAULTS, random)];
}

const BUSY = ["429", "429-retry-after"] as const;
const STEPS = [3 * MINUTE, 10 * MINUTE, 35 * MINUTE, 3 * HOUR, 6 * HOUR, DAY, 4 * DAY] as const;
