/** What is sent to devices, as the owner's configuration says it. */
export interface Outputs {
  /** While a colour is pretended, outputs go on following the truth. */
  dry_when_simulated: boolean;
  list: readonly Output[];
}

/** What one topic is told. */
export interface Output {
  topic: string;
  /** The first whose rule is ON counts. */
  choose: readonly Choice[];
  /** While no choice is in force; undefined: nothing is sent then. */
  else?: string;
  /** While the first choice that is not OFF is unknown; undefined: what was sent last stands. */
  unknown?: string;
  qos: 0 | 1 | 2;
  retain: boolean;
  confirm?: Confirmation;
}

export interface Choice {
  /** The id of a rule. */
  when: string;
  payload: string;
  /** What the device then says, where that is neither the payload nor `confirm.expect`. */
  expect?: string;
}

/** How a device says that it has obeyed. */
export interface Confirmation {
  topic: string;
  /** What it says; undefined: the payload that was sent. */
  expect?: string;
  /** Milliseconds between two tries. */
  every: number;
  /** Milliseconds after which it counts as deaf. */
  for: number;
}
