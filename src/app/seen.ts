import type { Tariff } from "../core/calendar/tariff.ts";
import { deriveFacts } from "../core/facts/derive-facts.ts";
import type { Facts, FactsInput } from "../core/facts/facts.ts";
import { nextBoundary } from "../core/facts/next-boundary.ts";
import { renderTopics } from "../core/topics/render-topics.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Reading, Rulebook } from "./rulebook.ts";

/** All that is true at one refresh. */
export interface Seen {
  known: FactsInput;
  facts: Facts;
  rules: Reading;
  /** The next instant, by this machine's clock, at which time alone changes a fact or a rule. */
  due: number;
}

export interface SeeingOptions {
  tariff: Tariff;
  late_after: string;
  grace: number;
  clock: Pick<Clock, "now">;
  rulebook: Pick<Rulebook, "read" | "simulation">;
  outputs: {
    hasProblem: () => boolean;
    /** Devices are told what is true now. */
    follow: (seen: Seen) => void;
  };
}

/** Looks at what is known; `telling`: who turns is told of. */
export function see(
  { tariff, late_after, clock, rulebook, outputs }: SeeingOptions,
  learned: Pick<FactsInput, "knownDays" | "polls" | "clock">,
  telling: boolean,
): Seen {
  const pretended = { simulation: rulebook.simulation(), output_problem: outputs.hasProblem() };
  const known: FactsInput = { ...learned, late_after, ...pretended };
  const rules = rulebook.read(known, telling);
  const due = clock.now() + (Math.min(nextBoundary(known, tariff), rules.turn) - known.clock.at);
  return { known, facts: deriveFacts(known, tariff), rules, due };
}

/** Every retained topic as it should be. */
export function wantedTopics({ facts, rules }: Seen, options: SeeingOptions): Topics {
  return new Map([...renderTopics(facts, options), ...rules.topics]);
}
