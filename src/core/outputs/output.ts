/** The outputs of the configuration: what is sent to which device. */
export interface Outputs {
  /** While a simulation runs, outputs go on following the real colour. */
  dry_when_simulated: boolean;
  list: readonly Output[];
}

/** What is sent to one topic. */
export interface Output {
  /** Names its topics and its entity. */
  id: string;
  /** What people read. */
  name: { fr: string; en: string };
  topic: string;
  /** The first whose rule is ON is in force. */
  choose: readonly Choice[];
  /** Sent while the rules of all choices are OFF; undefined: nothing is sent then. */
  else?: Payload;
  /** Sent while the first rule that is not OFF is unknown; undefined: nothing is sent then. */
  unknown?: Payload;
  qos: 0 | 1 | 2;
  retain: boolean;
  confirm?: Confirmation;
}

export interface Choice extends Payload {
  /** The id of a rule. */
  when: string;
}

/** What is sent. */
export interface Payload {
  payload: Template;
  /** What the device reports then; undefined: the payload. */
  expect?: Template;
}

/** With placeholders: a text, or an object that is sent as JSON. */
export type Template = string | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** How a device confirms a payload. */
export interface Confirmation {
  /** Where the device reports. */
  topic: string;
  /** Where the value is in the JSON that it reports: keys joined by dots; undefined: the report as a whole counts. */
  path?: string;
  /** Milliseconds after which a payload without confirmation is sent again. */
  every: number;
  /** Milliseconds after which vigie stops repeating it, and reports a problem. */
  for: number;
}

/** `Boiler (shellies/boiler/relay/0/command)`; only the topic where the output has neither name nor id. */
export function describeOutput({ name, topic }: Pick<Output, "name" | "topic">): string {
  return name.en === topic ? topic : `${name.en} (${topic})`;
}
