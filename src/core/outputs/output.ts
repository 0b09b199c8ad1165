/** The outputs of the configuration: what is sent to which device. */
export interface Outputs {
  /** While a simulation runs, outputs go on following the real colour. */
  dry_when_simulated: boolean;
  list: readonly Output[];
}

/** What is sent to one topic. */
export interface Output {
  topic: string;
  /** The first whose rule is ON is in force. */
  choose: readonly Choice[];
  /** Sent while the rules of all choices are OFF; undefined: nothing is sent then. */
  else?: string;
  /** Sent while the first rule that is not OFF is unknown; undefined: nothing is sent then. */
  unknown?: string;
  qos: 0 | 1 | 2;
  retain: boolean;
  confirm?: Confirmation;
}

export interface Choice {
  /** The id of a rule. */
  when: string;
  payload: string;
  /** What the device reports then, where it is neither the payload nor `confirm.expect`. */
  expect?: string;
}

/** How a device confirms a payload. */
export interface Confirmation {
  /** Where the device reports. */
  topic: string;
  /** What it reports; undefined: the payload that was sent. */
  expect?: string;
  /** Milliseconds after which a payload without confirmation is sent again. */
  every: number;
  /** Milliseconds after which vigie stops repeating it, and reports a problem. */
  for: number;
}
