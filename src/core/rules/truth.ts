/** Three-valued logic: null is "not known". */
export type Truth = boolean | null;

/** OFF when one is OFF, else unknown when one is unknown. */
export function both(one: Truth, other: Truth): Truth {
  if (one === false || other === false) return false;
  return one === null || other === null ? null : true;
}

/** ON when one is ON, else unknown when one is unknown. */
export function either(one: Truth, other: Truth): Truth {
  if (one === true || other === true) return true;
  return one === null || other === null ? null : false;
}

export function opposite(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

/**
 * What decides, from what stays to what may change first: official colours and the clock; the laws of the tariff, as nobody has
 * named the day; a forecast, or a day that is not known yet; a value of the house; a value that the broker has not sent yet.
 */
export const BYS = ["sure", "laws", "forecast", "value", "awaited"] as const;
export type By = (typeof BYS)[number];
const RANKS: Readonly<Record<By, number>> = { sure: 0, laws: 1, forecast: 2, value: 3, awaited: 4 };

export interface Judged {
  truth: Truth;
  by: By;
}

/** Neither a forecast nor a value decides. */
export function isSure({ truth, by }: Judged): boolean {
  return truth !== null && RANKS[by] < RANKS.forecast;
}

export function isByValue({ by }: Judged): boolean {
  return RANKS[by] >= RANKS.value;
}

/** OFF as soon as one part is OFF: the surest of these decides. Else all of them do. */
export function allOf(parts: readonly Judged[]): Judged {
  return join(parts, false);
}

/** ON as soon as one part is ON: the surest of these decides. Else all of them do. */
export function anyOf(parts: readonly Judged[]): Judged {
  return join(parts, true);
}

function join(parts: readonly Judged[], decisive: boolean): Judged {
  let truth: Truth = !decisive;
  let ofAll: By = "sure";
  let ofDecisive: By | null = null;
  for (const part of parts) {
    if (part.truth === null) truth = null;
    if (RANKS[part.by] > RANKS[ofAll]) ofAll = part.by;
    if (part.truth !== decisive) continue;
    if (ofDecisive === null || RANKS[part.by] < RANKS[ofDecisive]) ofDecisive = part.by;
  }
  return ofDecisive === null ? { truth, by: ofAll } : { truth: decisive, by: ofDecisive };
}

/** Whether at least so many of these are ON; OFF when even the unknown ones would be too few. */
export function atLeast(least: number, parts: readonly Judged[]): Judged {
  const needed = nthSurest(least, parts, true);
  if (needed) return { truth: true, by: needed };
  const tooMany = nthSurest(parts.length - least + 1, parts, false);
  if (tooMany) return { truth: false, by: tooMany };
  return { truth: null, by: BYS.findLast((by) => parts.some((part) => part.by === by)) ?? "sure" };
}

/** What decides the nth of those with this truth, the surest first; null: there are not so many. */
function nthSurest(nth: number, parts: readonly Judged[], truth: boolean): By | null {
  let count = 0;
  for (const by of BYS) {
    for (const part of parts) if (part.truth === truth && part.by === by) count += 1;
    if (count >= nth) return by;
  }
  return null;
}

export function nameTruth(truth: Truth): string {
  return truth === null ? "unknown" : truth ? "ON" : "OFF";
}
