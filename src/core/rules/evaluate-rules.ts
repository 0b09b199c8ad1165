import type { Instant } from "../calendar/tariff.ts";
import { worldsBelieved } from "./held.ts";
import { own } from "./own.ts";
import type { Rule } from "./rule.ts";
import type { RuleMemory, RuleSetting, RuleSettings, RulesMemory } from "./rules-memory.ts";
import { type ReadyRule, type Said, sayAt } from "./spans.ts";
import type { Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";
import type { World } from "./world.ts";

/** What is true of each rule, with its reasons. */
export function evaluateRules(
  rules: readonly ReadyRule[],
  world: World,
  settings: RuleSettings,
  memory: RulesMemory,
): Verdict[] {
  const believing = worldsBelieved(world);
  return rules.map((ready) => {
    const { rule } = ready;
    const { enabled = true, threshold: moved } = own(settings, rule.id) ?? AS_CONFIGURED;
    // A rule without a threshold has none to move.
    const threshold = rule.threshold === null ? null : (moved ?? rule.threshold);
    const fresh = sayAt(ready, world, world.at, threshold);
    if (!enabled) return disabled(ready, fresh, threshold);
    if (rule.hold === 0) return settled(ready, fresh, threshold, null);
    const mine = own(memory.rules, rule.id);
    const beliefs = mine?.believed ?? memory.heard;
    const old = believing(beliefs);
    const after = settled(ready, fresh, threshold, mine?.moved ?? null);
    if (!old) return after;
    const before = settled(ready, sayAt(ready, old, world.at, threshold), threshold, null);
    return withHold(before, after, { world, mine, beliefs });
  });
}

const AS_CONFIGURED: RuleSetting = {};

/** As a verdict counts: an unknown one as its owner settled it. */
export function settle({ when_unknown: otherwise }: Rule, truth: Truth): Truth {
  return truth === null && otherwise !== null ? otherwise === "on" : truth;
}

export function isSure({ truth, certain }: Pick<Said, "truth" | "certain">): boolean {
  return truth !== null && truth === certain;
}

function settled(ready: ReadyRule, said: Said, threshold: number | null, moved: Instant | null): Verdict {
  const state = settle(ready.rule, said.truth);
  return {
    ready,
    state,
    sure: isSure(said),
    reason: state === said.truth ? "conditions" : "when_unknown",
    enabled: true,
    threshold,
    seen: said.seen,
    seen_at: said.seen_at,
    held: null,
    moved,
  };
}

function disabled(ready: ReadyRule, { seen, seen_at }: Said, threshold: number | null): Verdict {
  const off = { state: false, sure: true, reason: "disabled", enabled: false } as const;
  return { ready, ...off, threshold, seen, seen_at, held: null, moved: null };
}

interface Holding {
  world: World;
  mine: RuleMemory | undefined;
  beliefs: RulesMemory["heard"];
}

/** What forecasts said before decides until the hold is over, where what they say now would turn the verdict again. */
function withHold(before: Verdict, after: Verdict, { world: { at }, mine, beliefs }: Holding): Verdict {
  const { moved } = after;
  const { hold } = after.ready.rule;
  // A clock that was set back leaves a turn in the future: nothing waits for that, unless it is a small correction.
  const until = moved === null || moved - at > hold ? at : moved + hold;
  if (at >= until) return before.state === after.state ? after : { ...after, moved: at };
  const isHolding = mine?.believed !== undefined;
  if (!isHolding && before.state === after.state) return after;
  return { ...before, moved, held: { until, believed: beliefs } };
}
