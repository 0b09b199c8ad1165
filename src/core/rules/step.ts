import type { Instant } from "../calendar/tariff.ts";
import { beliefsOf, renewBeliefs } from "./beliefs.ts";
import { settle } from "./evaluate-rules.ts";
import { own } from "./own.ts";
import { LONGEST_SHIFT } from "./rule.ts";
import type { RuleMemory, RulesMemory } from "./rules-memory.ts";
import { sayBetween } from "./spans.ts";
import type { Verdict } from "./verdict.ts";
import type { World } from "./world.ts";

/** What is remembered after these verdicts. `rules` and `heard` are the same objects where nothing changed. */
export function stepRules(memory: RulesMemory, verdicts: readonly Verdict[], world: World): RulesMemory {
  const before = memory.rules;
  const mine = verdicts.map((verdict) =>
    remember(own(before, verdict.ready.rule.id), verdict, memory.at, world),
  );
  const ids = verdicts.map(({ ready }) => ready.rule.id);
  const isSame =
    mine.every((one, index) => own(before, ids[index] ?? "") === one) &&
    ids.length === Object.keys(before).length;
  const holds = verdicts.some(({ ready }) => ready.rule.hold > 0);
  const heard = holds ? beliefsOf(world.knownDays, world.at, world.tariff) : {};
  return {
    at: world.at,
    heard: renewBeliefs(memory.heard, heard),
    rules: isSame ? before : Object.fromEntries(mine.map((one, index) => [ids[index], one])),
  };
}

function remember(
  mine: RuleMemory | undefined,
  verdict: Verdict,
  last: Instant | null,
  world: World,
): RuleMemory {
  const { state, held, moved } = verdict;
  const isSame = mine?.state === state && mine.since <= world.at;
  const since = isSame ? mine.since : mine ? beganAt(verdict, mine, last, world) : world.at;
  const believed = held?.believed;
  if (isSame && (mine.moved ?? null) === moved && mine.believed === believed) return mine;
  return { state, since, ...(moved !== null && { moved }), ...(believed && { believed }) };
}

/** A turn by the clock counts from its own instant, also when nobody was awake to see it; news from when it came. */
function beganAt(verdict: Verdict, mine: RuleMemory, last: Instant | null, world: World): Instant {
  const { at } = world;
  const from = Math.max(last ?? at, at - LONGEST_SHIFT);
  if (from >= at || !verdict.enabled) return at;
  const said = sayBetween(verdict.ready, world, [from, at + 1], verdict.threshold);
  const states = said.map(({ truth }) => settle(verdict.ready.rule, truth));
  const before = states.findLastIndex((state) => state !== verdict.state);
  const turn = said[before + 1];
  return before >= 0 && turn && states[before] === mine.state ? turn.start : at;
}
