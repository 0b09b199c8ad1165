/** What can be wrong with a forecast service. */
export const FAULTS = [
  "down",
  "reset",
  "slow",
  "drip",
  "truncated",
  "html",
  "wrong-type",
  "huge",
  "gzip-bomb",
  "redirect",
  "400",
  "422",
  "429",
  "429-retry-after",
  "500",
  "unknown-colors",
  "spellings",
  "percent",
  "cents",
  "missing",
  "nulls",
  "history-names",
  "wrong-today",
  "revised",
] as const;

export type FaultName = (typeof FAULTS)[number];

/** The faults in force; they can be changed while the service runs. */
export interface FaultSwitch {
  get(): FaultName[];
  set(names: readonly FaultName[]): void;
  has(name: FaultName): boolean;
}

export function createFaultSwitch(names: readonly FaultName[] = []): FaultSwitch {
  let active = new Set(names);
  return {
    get: () => FAULTS.filter((name) => active.has(name)),
    set: (wanted) => {
      active = new Set(wanted);
    },
    has: (name) => active.has(name),
  };
}
