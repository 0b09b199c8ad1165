import { askCondition } from "./connectives.ts";
import type { Rule } from "./rule.ts";
import type { SharedAsks } from "./shared.ts";
import type { ReadyRule } from "./spans.ts";
import { ticksOf } from "./ticks.ts";

/** Rules made ready to be asked: once for each configuration. */
export function readyRules(rules: readonly Rule[]): ReadyRule[] {
  const shared: SharedAsks = new Map();
  return rules.map((rule) => ({
    rule,
    ask: askCondition(rule.when, shared),
    ticks: ticksOf(rule.when),
  }));
}
