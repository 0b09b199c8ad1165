import { nearest } from "../config/nearest-word.ts";

/** What can be wrong with a service, by the names the configuration page gives them. */
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

export function isFault(name: unknown): name is FaultName {
  return FAULTS.some((fault) => fault === name);
}

export function unknownFault(name: string): string {
  const near = nearest(name, FAULTS);
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  return `Expected a fault to be one of ${FAULTS.join(" ")}, got ${name}${hint}`;
}

/** The faults in force, switchable while the simulator runs. */
export interface Faults {
  get(): FaultName[];
  set(names: readonly FaultName[]): void;
}

export interface FaultSwitch extends Faults {
  has(name: FaultName): boolean;
}

export function faultSwitch(names: readonly FaultName[]): FaultSwitch {
  let active = new Set(names);
  return {
    get: () => FAULTS.filter((name) => active.has(name)),
    set: (wanted) => {
      active = new Set(wanted);
    },
    has: (name) => active.has(name),
  };
}
