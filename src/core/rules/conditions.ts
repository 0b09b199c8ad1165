import type { Instant } from "../calendar/tariff.ts";
import { sinceMidnight } from "../calendar/wall-clock.ts";
import { assureDay, testDay } from "./day-test.ts";
import type { Frame, Measure } from "./frame.ts";
import type { Bounds, DayCondition, DayName, NumberCondition, TimeCondition } from "./rule.ts";
import type { Seen, SeenDay, SeenValue } from "./seen.ts";
import { enough, type Truth } from "./truth.ts";

/** Asks a condition: of a frame, at an instant within it, with the rule's threshold of this time. */
export type Ask = (frame: Frame, at: Instant, threshold: number | null) => Seen;

export function askDay(condition: DayCondition): Ask {
  const { range, confidence } = condition;
  const asked = (threshold: number | null) => (confidence === "threshold" ? threshold : confidence);
  if (range !== null) return (frame, _, threshold) => seeRange(condition, range, frame, asked(threshold));
  const name = condition.day as DayName;
  return (frame, _, threshold) => {
    const sight = frame.day(name);
    const least = asked(threshold);
    const truth = testDay(condition, sight, least);
    const certain = assureDay(condition, sight, truth);
    const days = [{ facts: sight.facts, possible: sight.possible, truth }];
    return { condition, truth, certain, confidence: least, days };
  };
}

function seeRange(condition: DayCondition, range: number, { ahead }: Frame, confidence: number | null): Seen {
  const days: SeenDay[] = [];
  const counts = { on: 0, unknown: 0, surelyOn: 0, unsure: 0 };
  for (let index = 0; index < range; index += 1) {
    const sight = ahead(index);
    const truth = testDay(condition, sight, confidence);
    const certain = assureDay(condition, sight, truth);
    if (truth) counts.on += 1;
    else if (truth === null) counts.unknown += 1;
    if (certain) counts.surelyOn += 1;
    else if (certain === null) counts.unsure += 1;
    days.push({ facts: sight.facts, possible: sight.possible, truth });
  }
  const truth = enough(counts.on, counts.unknown, condition.least);
  const certain = enough(counts.surelyOn, counts.unsure, condition.least);
  return { condition, truth, certain, confidence, days };
}

export function askTime(condition: TimeCondition): Ask {
  switch (condition.kind) {
    case "period":
      return ({ period }) => see(condition, period, period === condition.period);
    case "weekday":
      return ({ weekday }) => see(condition, weekday, condition.days.includes(weekday));
    case "between": {
      const [from, to] = [sinceMidnight(condition.from), sinceMidnight(condition.to)];
      return (frame, at) => {
        const wall = frame.wall + (at - frame.start);
        return see(condition, wall, from < to ? from <= wall && wall < to : wall >= from || wall < to);
      };
    }
  }
}

export function askNumber(condition: NumberCondition): Ask {
  const read = readerOf(condition);
  const { bounds } = condition;
  return (frame) => {
    const { value, certain } = read(frame);
    const truth = value === null ? null : isWithin(value, bounds);
    return { condition, value, truth, certain: certain ? truth : null };
  };
}

function see(condition: SeenValue["condition"], value: SeenValue["value"], truth: Truth): Seen {
  return { condition, value, truth, certain: truth };
}

function readerOf(condition: NumberCondition): (frame: Frame) => Measure {
  switch (condition.kind) {
    case "rate":
      return ({ rate }) => rate();
    case "days_remaining":
      return ({ season }) => season().days_remaining;
    case "remaining":
    case "left":
      return ({ season }) => season()[condition.kind][condition.color];
  }
}

function isWithin(value: number, { above, below, at_most, at_least }: Bounds): boolean {
  return (
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (at_most === undefined || value <= at_most) &&
    (at_least === undefined || value >= at_least)
  );
}
