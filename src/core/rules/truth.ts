/** Three-valued: null is "not known". */
export type Truth = boolean | null;

/** Both: OFF when one is, else unknown when one is. */
export function both(one: Truth, other: Truth): Truth {
  if (one === false || other === false) return false;
  return one === null || other === null ? null : true;
}

/** Either: ON when one is, else unknown when one is. */
export function either(one: Truth, other: Truth): Truth {
  if (one === true || other === true) return true;
  return one === null || other === null ? null : false;
}

export function opposite(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

/** At least so many are ON; OFF when even the unknown ones would be too few. */
export function enough(on: number, unknown: number, least: number): Truth {
  if (on >= least) return true;
  return on + unknown < least ? false : null;
}
