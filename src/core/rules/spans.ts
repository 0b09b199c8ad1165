import { inOrder } from "../calendar/instants.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Ask } from "./conditions.ts";
import type { Rule } from "./rule.ts";
import type { Seen } from "./seen.ts";
import type { Ticks } from "./ticks.ts";
import { either, type Truth } from "./truth.ts";
import type { World } from "./world.ts";

/** A rule made ready to be asked. */
export interface ReadyRule {
  rule: Rule;
  ask: Ask;
  ticks: Ticks;
}

/** What a rule says from an instant on. */
export interface Said {
  start: Instant;
  truth: Truth;
  certain: Truth;
  /** What its conditions saw, and when: another time than this where a lead or a lag decides. */
  seen: Seen;
  seen_at: Instant;
}

/** What a rule says at an instant, widened by its lead and its lag. */
export function sayAt(ready: ReadyRule, world: World, at: Instant, threshold: number | null): Said {
  const { lead, lag } = ready.rule;
  if (!canTurnWithin(ready, world, at)) return plainly(ready.ask, world, at, threshold);
  const before = lag === 0 ? [] : sayPlainly(ready, world, [at - lag, at - 1], threshold);
  const stretch = [...before, ...sayPlainly(ready, world, [at, at + lead], threshold)];
  return widen(stretch, stretch.length - 1, at, lag);
}

/** Most of the time nothing turns so near that a lead or a lag could see it. */
function canTurnWithin({ rule: { lead, lag }, ticks }: ReadyRule, world: World, at: Instant): boolean {
  if (lead === 0 && lag === 0) return false;
  return world.tickAfter(ticks, at - lag) <= at + lead;
}

/** What it says from one instant to before another, at each instant at which that can turn. */
export function sayBetween(
  ready: ReadyRule,
  world: World,
  [from, to]: Stretch,
  threshold: number | null,
): Said[] {
  const { lead, lag } = ready.rule;
  if (lead === 0 && lag === 0) return sayPlainly(ready, world, [from, to - 1], threshold);
  const stretch = sayPlainly(ready, world, [from - lag, to + lead], threshold);
  const turns = stretch.flatMap(({ start }) => [start - lead, start + lag]);
  const instants = inOrder([from, ...turns.filter((at) => at > from && at < to)]);
  let last = 0;
  return instants.map((at) => {
    while ((stretch[last + 1]?.start ?? Number.POSITIVE_INFINITY) <= at + lead) last += 1;
    return widen(stretch, last, at, lag);
  });
}

type Stretch = readonly [first: Instant, last: Instant];

/** Without lead and lag: at the first instant, and at each tick after it up to the last. */
function sayPlainly(
  { ask, ticks }: ReadyRule,
  world: World,
  [first, last]: Stretch,
  threshold: number | null,
): Said[] {
  const said = [plainly(ask, world, first, threshold)];
  for (let at = world.tickAfter(ticks, first); at <= last; at = world.tickAfter(ticks, at))
    said.push(plainly(ask, world, at, threshold));
  return said;
}

function plainly(ask: Ask, world: World, at: Instant, threshold: number | null): Said {
  const seen = ask(world.frame(at), at, threshold);
  return { start: at, truth: seen.truth, certain: seen.certain, seen, seen_at: at };
}

/** ON when it is at any instant from `lag` before to the last that its lead can see; OFF when it is at all of them. */
function widen(stretch: readonly Said[], last: number, at: Instant, lag: number): Said {
  let truth: Truth = false;
  let certain: Truth = false;
  let best: Said | undefined;
  for (let index = last; index >= 0; index -= 1) {
    const said = stretch[index];
    if (!said) continue;
    truth = either(truth, said.truth);
    certain = either(certain, said.certain);
    if (!best || isTeller(said, best, at)) best = said;
    // Those before it ended by then.
    if (said.start <= at - lag) break;
  }
  if (!best) throw new RangeError(`Expected a stretch around ${at}, got none`);
  return { start: at, truth, certain, seen: best.seen, seen_at: best.seen_at };
}

/** Looking back from the last: what decides comes before what does not, then what is seen now, then the earlier. */
function isTeller(said: Said, best: Said, at: Instant): boolean {
  const [ahead, behind] = [RANK.indexOf(said.truth), RANK.indexOf(best.truth)];
  return ahead > behind || (ahead === behind && best.start > at);
}

const RANK: readonly Truth[] = [false, null, true];
