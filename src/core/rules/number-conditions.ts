import { tariffDate } from "../calendar/dates.ts";
import { periodAt } from "../calendar/period.ts";
import type { KnownSeason } from "../days/known-days.ts";
import type { DaysView } from "../facts/days-view.ts";
import { rate } from "../facts/format-value.ts";
import { describeBounds, isWithin } from "./bounds.ts";
import type { BoundaryKind, ConditionKind } from "./condition-types.ts";
import type { NumberCondition } from "./rule.ts";

type NumberKind<Kind extends NumberCondition["kind"]> = ConditionKind<
  Extract<NumberCondition, { kind: Kind }>
>;

export const RATE: NumberKind<"rate"> = numberKind(
  ({ at, tariff, now, day }) => {
    const { rates, official, color } = day(now);
    // A price without a colour is by the laws of the tariff.
    return { value: rates[periodAt(at, tariff)], certain: official || color === null };
  },
  ["tariff_day", "period"],
  " EUR/kWh",
);

export const DAYS_REMAINING: NumberKind<"days_remaining"> = numberKind((view) =>
  countOfService(view, ({ days_remaining }) => days_remaining),
);

export const REMAINING: NumberKind<"remaining"> = numberKind((view, { color }) =>
  countOfService(view, ({ remaining }) => remaining[color]),
);

/** vigie's own count is of official days. */
export const LEFT: NumberKind<"left"> = numberKind(({ season }, { color }) => ({
  value: season().left?.[color] ?? null,
  certain: true,
}));

interface Measure {
  /** null: not known. */
  value: number | null;
  /** No forecast can change it. */
  certain: boolean;
}

/** Certain only for the tariff day on which the service gave it. */
function countOfService({ season, now, tariff }: DaysView, count: (season: KnownSeason) => number): Measure {
  const { season: known } = season();
  if (!known) return { value: null, certain: false };
  return { value: count(known), certain: tariffDate(known.seen_at, tariff) === now };
}

function numberKind<C extends NumberCondition>(
  measure: (view: DaysView, condition: C) => Measure,
  kinds: BoundaryKind[] = ["tariff_day"],
  unit = "",
): ConditionKind<C> {
  return {
    evaluate: (condition, { view }) => {
      const { value, certain } = measure(view, condition);
      const truth = value === null ? null : isWithin(value, condition.bounds);
      const describeFinding = () => (value === null ? "not known" : `${rate(value)}${unit}`);
      const by = certain && truth !== null ? "sure" : "forecast";
      return { truth, by, describeFinding, number: value, days: [] };
    },
    boundaries: () => ({ kinds, times: [] }),
    describe: (condition) => {
      const color = "color" in condition ? `${condition.color} ` : "";
      return `${color}${condition.kind.replace("_", " ")} is ${describeBounds(condition.bounds)}`;
    },
  };
}
