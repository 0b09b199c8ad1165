import type { Language } from "../calendar/day-in-words.ts";

/** The outputs of the configuration: what is sent to which device. */
export interface Outputs {
  /** While a simulation runs, outputs go on following the real colour. */
  dry_when_simulated: boolean;
  list: readonly Output[];
}

/** What is sent to one device, or to one service that delivers messages. */
export interface Output {
  /** Names its topics and its entity. */
  id: string;
  /** What people read. */
  name: Record<Language, string>;
  /** In which its payloads say a day in words: `homeassistant.language`. */
  language: Language;
  /** Under which the state file keeps what was sent. */
  key: string;
  to: MqttTarget | HttpTarget;
  /** Of the requests over HTTP; undefined: there are none. */
  access?: HttpAccess;
  /** It is read by people: sent once when its choice begins, and never repeated because something else has changed. */
  message: boolean;
  /** The first whose rule is ON is in force. */
  choose: readonly Choice[];
  /** Sent while the rules of all choices are OFF; undefined: nothing is sent then. */
  else?: Payload;
  /** Sent while the first rule that is not OFF is unknown; undefined: nothing is sent then. */
  unknown?: Payload;
  confirm?: Confirmation;
}

export interface MqttTarget {
  kind: "mqtt";
  topic: string;
  qos: 0 | 1 | 2;
  retain: boolean;
}

export interface HttpTarget {
  kind: "http";
  /** Scheme, host and port: nothing else of an address is shown anywhere, because the rest may hold a token. */
  place: string;
  /** May contain `{payload}`, `{secret}` and `{id}` in its path and its query. */
  url: string;
  method: "GET" | "POST" | "PUT";
  /** undefined: that of the payload. */
  content_type?: string;
}

/** What the requests to a device need beside an address. */
export interface HttpAccess {
  /** May contain `{secret}`. */
  headers: Readonly<Record<string, string>>;
  /** Read at each request. */
  secret_file?: string;
  /** Certificates of authorities that are trusted beside those of the system. */
  ca_file?: string;
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

/** As it is sent, but that its placeholders stay. */
export function templateText(template: Template): string {
  return typeof template === "string" ? template : JSON.stringify(template);
}

export interface JsonObject {
  readonly [key: string]: Json;
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** How a device confirms a payload. */
export interface Confirmation {
  from: MqttReports | HttpReports;
  /** Where the value is in the JSON that it reports: keys joined by dots; undefined: the report as a whole counts. */
  path?: string;
  /** Milliseconds after which a payload without confirmation is sent again. */
  every: number;
  /** Milliseconds after which vigie stops repeating it, and reports a problem. */
  for: number;
  /** The payload of a choice is sent again if the device does something else later. */
  keep: boolean;
  /** Where the device says that it is there: the payload of a choice is sent again whenever it comes back, and nothing is known of it while it is away. */
  online?: { topic: string; equals: Template };
}

/** The device publishes its state. */
export interface MqttReports {
  kind: "mqtt";
  topic: string;
}

/** The device is asked for its state. */
export interface HttpReports {
  kind: "http";
  /** Scheme, host and port. */
  place: string;
  /** May contain `{secret}` in its path and its query. */
  url: string;
}

/** Where it sends to, as people are shown it: the topic, or scheme, host and port. */
export function placeOf({ to }: Pick<Output, "to">): string {
  return to.kind === "mqtt" ? to.topic : to.place;
}

/** Where its device reports, as people are shown it. */
export function placeOfReports(confirm: Confirmation): string {
  const reports = confirm.from;
  return reports.kind === "mqtt" ? reports.topic : reports.place;
}

/** The topics of the broker from which it is heard what the device does, and that it is there. */
export function topicsHeard({ confirm }: Pick<Output, "confirm">): string[] {
  return [
    ...(confirm?.from.kind === "mqtt" ? [confirm.from.topic] : []),
    ...(confirm?.online ? [confirm.online.topic] : []),
  ];
}

/** `Boiler (shellies/boiler/relay/0/command)`; only the place where the output has neither name nor id. */
export function describeOutput({ name, to }: Pick<Output, "name" | "to">): string {
  const place = placeOf({ to });
  return name.en === place ? place : `${name.en} (${place})`;
}

export function describeTaken({ to }: Pick<Output, "to">): string {
  return to.kind === "mqtt"
    ? `The broker accepts messages to ${to.topic} again`
    : `${to.place} takes what it is sent again`;
}
