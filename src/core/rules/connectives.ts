import { type Ask, askDay, askNumber, askTime } from "./conditions.ts";
import type { Condition, Group } from "./rule.ts";
import { type SharedAsks, shareAsk } from "./shared.ts";
import { both, either, opposite, type Truth } from "./truth.ts";

/** A condition made ready to be asked again and again; equal ones are asked once a frame. */
export function askCondition(condition: Condition, shared: SharedAsks): Ask {
  switch (condition.kind) {
    case "all":
    case "any":
      return askGroup(condition, shared);
    case "not": {
      const ask = askCondition(condition.part, shared);
      return (frame, at, threshold) => {
        const seen = ask(frame, at, threshold);
        return { condition, truth: opposite(seen.truth), certain: opposite(seen.certain), parts: [seen] };
      };
    }
    case "day":
      return shareAsk(condition, shared, () => askDay(condition));
    case "period":
    case "weekday":
      return shareAsk(condition, shared, () => askTime(condition));
    case "between":
      return askTime(condition);
    case "rate":
    case "days_remaining":
    case "remaining":
    case "left":
      return shareAsk(condition, shared, () => askNumber(condition));
  }
}

/** Every part is asked, also when one has decided: the reasons show them all. */
function askGroup(condition: Group, shared: SharedAsks): Ask {
  const asks = condition.parts.map((part) => askCondition(part, shared));
  const join = condition.kind === "all" ? both : either;
  const start = condition.kind === "all";
  return (frame, at, threshold) => {
    const parts = asks.map((ask) => ask(frame, at, threshold));
    let truth: Truth = start;
    let certain: Truth = start;
    for (const part of parts) {
      truth = join(truth, part.truth);
      certain = join(certain, part.certain);
    }
    return { condition, truth, certain, parts };
  };
}
