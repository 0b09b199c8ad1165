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

/** Whether at least so many of these are ON; OFF when even the unknown ones would be too few. */
export function atLeast(least: number, truths: readonly Truth[]): Truth {
  let [on, unknown] = [0, 0];
  for (const truth of truths) {
    if (truth === true) on += 1;
    else if (truth === null) unknown += 1;
  }
  if (on >= least) return true;
  return on + unknown < least ? false : null;
}

export function nameTruth(truth: Truth): string {
  return truth === null ? "unknown" : truth ? "ON" : "OFF";
}
