import type { Language } from "../core/calendar/day-in-words.ts";
/**
 * How the usual devices are written into a configuration. These are the lines of docs/devices.md over MQTT; a test compares
 * both. Whatever makes a configuration out of a few answers, as `vigie setup` does, takes them from here.
 */
export const DEVICE_KINDS = [
  "shelly_gen1",
  "shelly_gen2",
  "tasmota",
  "zigbee2mqtt",
  "esphome",
  "openbeken",
  "other",
] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/** Whether a device of this kind may name a relay so: most number theirs. Empty: it has only one. */
export function isRelay(kind: string, relay: string): boolean {
  return kind === "zigbee2mqtt" || kind === "esphome" || /^\d{0,3}$/.test(relay);
}

/** A device whose kind says by which topics and words it is switched. */
export interface KnownDevice {
  kind: Exclude<DeviceKind, "other">;
  /** What stands for the device in its topics: `shellies/shelly1pm-A4CF12F3C5D6`, `boiler` (Tasmota), `zigbee2mqtt/boiler_plug`. */
  place: string;
  /** Which one of several: the number of a relay or channel, `l1` of zigbee2mqtt, the id of the switch in ESPHome. */
  relay?: string | undefined;
}

/** Any other device, in the words of its owner. */
export interface OtherDevice {
  kind: "other";
  /** Where it takes commands. */
  topic: string;
  /** While the rule is ON. */
  payload: string;
  /** While it is not. */
  otherwise?: string | undefined;
  /** Where it reports what it does, in the same words. */
  report?: string | undefined;
}

export type Device = KnownDevice | OtherDevice;

/** An output as its owner writes it. */
export interface WrittenOutput {
  id: string;
  name?: Names | string;
  topic: string;
  choose: { when: string; payload: WrittenPayload; expect?: string }[];
  else?: string | { payload: WrittenPayload; expect?: string };
  confirm?: { topic: string; path?: string; keep: true; online?: { topic: string; equals: WrittenPayload } };
}

type WrittenPayload = string | { [key: string]: unknown };
type Names = Record<Language, string>;

/** What names an output, and what decides: the id of a rule. */
export interface OutputNames {
  id: string;
  name?: Names | string | undefined;
  when: string;
}

/** The device is switched off while the rule is ON. */
export function deviceOutput({ id, name, when }: OutputNames, device: Device): WrittenOutput {
  const head = { id, ...(name && { name }) };
  if (device.kind !== "other") {
    const { topic, off, on, confirm } = TEMPLATES[device.kind](device.place, device.relay || undefined, id);
    const otherwise = typeof on.payload === "string" && on.expect === undefined ? on.payload : on;
    return { ...head, topic, choose: [{ when, ...off }], else: otherwise, confirm };
  }
  const { topic, payload, otherwise, report } = device;
  return {
    ...head,
    topic,
    choose: [{ when, payload }],
    ...(otherwise !== undefined && { else: otherwise }),
    ...(report !== undefined && { confirm: { topic: report, keep: true } }),
  };
}

interface Template {
  topic: string;
  off: { payload: WrittenPayload; expect?: string };
  on: { payload: WrittenPayload; expect?: string };
  confirm: NonNullable<WrittenOutput["confirm"]>;
}

type TemplateOf = (place: string, relay: string | undefined, id: string) => Template;

const TEMPLATES: Record<KnownDevice["kind"], TemplateOf> = {
  shelly_gen1: (place, relay = "0") => ({
    topic: `${place}/relay/${relay}/command`,
    off: { payload: "off" },
    on: { payload: "on" },
    confirm: {
      topic: `${place}/relay/${relay}`,
      keep: true,
      online: { topic: `${place}/online`, equals: "true" },
    },
  }),
  shelly_gen2: (place, relay = "0", id) => {
    // The device answers on `<src>/rpc`.
    const request = (on: boolean) => ({
      id: 1,
      src: `${id}_output`,
      method: "Switch.Set",
      params: { id: Number(relay), on },
    });
    return {
      topic: `${place}/rpc`,
      off: { payload: request(false), expect: "false" },
      on: { payload: request(true), expect: "true" },
      confirm: {
        topic: `${place}/status/switch:${relay}`,
        path: "output",
        keep: true,
        online: { topic: `${place}/online`, equals: "true" },
      },
    };
  },
  tasmota: (place, relay = "") => ({
    topic: `cmnd/${place}/POWER${relay}`,
    off: { payload: "OFF" },
    on: { payload: "ON" },
    confirm: {
      topic: `stat/${place}/POWER${relay}`,
      keep: true,
      online: { topic: `tele/${place}/LWT`, equals: "Online" },
    },
  }),
  zigbee2mqtt: (place, relay) => {
    const key = relay === undefined ? "state" : `state_${relay}`;
    return {
      topic: `${place}/set`,
      off: { payload: { [key]: "OFF" } },
      on: { payload: { [key]: "ON" } },
      confirm: {
        topic: place,
        keep: true,
        online: { topic: `${place}/availability`, equals: { state: "online" } },
      },
    };
  },
  esphome: (place, relay = "relay") => ({
    topic: `${place}/switch/${relay}/command`,
    off: { payload: "OFF" },
    on: { payload: "ON" },
    confirm: {
      topic: `${place}/switch/${relay}/state`,
      keep: true,
      online: { topic: `${place}/status`, equals: "online" },
    },
  }),
  openbeken: (place, relay = "1") => ({
    topic: `${place}/${relay}/set`,
    off: { payload: "0" },
    on: { payload: "1" },
    confirm: {
      topic: `${place}/${relay}/get`,
      keep: true,
      online: { topic: `${place}/connected`, equals: "online" },
    },
  }),
};

/** The rules of a first configuration, as their owner writes them. */
export const RULE_TEMPLATES = {
  /** A warning, for Home Assistant and for messages. */
  rouge_ahead: {
    id: "rouge_ahead",
    name: { fr: "Rouge annoncé ou en cours", en: "Rouge ahead or now" },
    when: {
      any: [
        { day: "next", color: "rouge", confidence: 80 },
        { day: "now", color: "rouge" },
      ],
    },
  },
  rouge_peak: {
    id: "rouge_peak",
    name: { fr: "Heures pleines rouges", en: "Rouge peak hours" },
    when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
    lead: "5m",
  },
  /** A car can wait for the next off-peak hours on blanc days, too. */
  rouge_or_blanc_peak: {
    id: "rouge_or_blanc_peak",
    name: { fr: "Heures pleines rouges ou blanches", en: "Rouge or blanc peak hours" },
    when: { all: [{ day: "now", color: ["rouge", "blanc"] }, { period: "hp" }] },
    lead: "5m",
  },
} as const;

/** What a device is for: its id and name, unless its owner chooses others, and the rule that switches it off. */
export const DEVICE_USES = {
  boiler: {
    id: "boiler",
    name: { fr: "Ballon d'eau chaude", en: "Boiler" },
    rule: RULE_TEMPLATES.rouge_peak,
  },
  car: {
    id: "car",
    name: { fr: "Recharge de la voiture", en: "Car charger" },
    rule: RULE_TEMPLATES.rouge_or_blanc_peak,
  },
  heating: { id: "heating", name: { fr: "Chauffage", en: "Heating" }, rule: RULE_TEMPLATES.rouge_peak },
  other: { id: "device", name: { fr: "Appareil", en: "Device" }, rule: RULE_TEMPLATES.rouge_peak },
} as const;
export type DeviceUse = keyof typeof DEVICE_USES;
export const USES = Object.keys(DEVICE_USES) as DeviceUse[];
