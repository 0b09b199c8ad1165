/** What can be wrong with both sources. */
const SHARED_FAULTS = [
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
] as const;

/** What can be wrong with a forecast service. */
export const FAULTS = [
  ...SHARED_FAULTS,
  "percent",
  "cents",
  "missing",
  "nulls",
  "history-names",
  "wrong-today",
  "revised",
] as const;

export type FaultName = (typeof FAULTS)[number];

/** What can be wrong with the official source: faults that fit it, and faults of its own. */
export const OFFICIAL_FAULTS = [
  ...SHARED_FAULTS,
  "missing",
  "nulls",
  "wrong-today",
  "revised",
  // Each date has another colour than it really has.
  "other-colors",
  // The dates of the season before, with the colours of this one.
  "wrong-season",
  // Keys that are no dates, and far more dates than a season has.
  "strange-keys",
] as const;

export type OfficialFaultName = (typeof OFFICIAL_FAULTS)[number];

/** The faults in force; they can be changed while the service runs. */
export interface FaultSwitch<Name extends string = FaultName> {
  get(): Name[];
  set(names: readonly Name[]): void;
  has(name: Name): boolean;
}

export function createFaultSwitch(names: readonly FaultName[] = []): FaultSwitch {
  return createSwitch(FAULTS, names);
}

export function createOfficialFaultSwitch(
  names: readonly OfficialFaultName[] = [],
): FaultSwitch<OfficialFaultName> {
  return createSwitch(OFFICIAL_FAULTS, names);
}

function createSwitch<Name extends string>(all: readonly Name[], names: readonly Name[]): FaultSwitch<Name> {
  let active = new Set(names);
  return {
    get: () => all.filter((name) => active.has(name)),
    set: (wanted) => {
      active = new Set(wanted);
    },
    has: (name) => active.has(name),
  };
}
