import type { Color, IsoDate } from "../calendar/tariff.ts";
import { own } from "./own.ts";
import { reasonsOf } from "./reasons.ts";
import type { RulesMemory } from "./rules-memory.ts";
import type { Verdict } from "./verdict.ts";
import type { World } from "./world.ts";

/** A rule that has become ON or OFF. */
export interface RuleTurn {
  rule: string;
  state: boolean;
  /** The day that decides; null where none does. */
  date: IsoDate | null;
  color: Color | null;
  because: string[];
}

/** Who says something else than is remembered. A rule that was never asked before has not turned. */
export function findTurns(before: RulesMemory, verdicts: readonly Verdict[], world: World): RuleTurn[] {
  return verdicts.flatMap((verdict) => {
    const { state, ready } = verdict;
    const rule = ready.rule.id;
    const said = own(before.rules, rule);
    if (!said || state === null || said.state === state) return [];
    const { deciding, because } = reasonsOf(verdict, world);
    const { date = null, color = null } = deciding?.facts ?? {};
    return [{ rule, state, date, color, because }];
  });
}

/** A turn as its owner reads it in the log. */
export function describeTurn({ rule, state, because }: RuleTurn): string {
  return `Rule ${rule} is ${state ? "ON" : "OFF"}: ${because.join("; ")}`;
}

/** A turn as the `event` topic says it. */
export function turnEvent({ rule, state, date, color }: RuleTurn): Record<string, string> {
  return {
    event_type: state ? "rule_on" : "rule_off",
    rule,
    ...(date !== null && { date }),
    ...(color !== null && { color }),
  };
}
