import type {
  ConfirmText,
  Device,
  HouseConfig,
  OutputText,
  RuleText,
  Scenario,
  ScriptEvent,
} from "../scenario.ts";

/** A household in which something was wrong once, as small as it was found. */
export interface Found {
  /** What must not happen again; or, with `stillSeenBy`, what still happens. If a judge was wrong, it begins with "a judge". */
  what: string;
  /** Not mended yet: the judge that complains of it first. Whoever mends it takes this away. */
  stillSeenBy?: string;
  scenario: Scenario;
}

export const HOUSE = {
  service: { base_url: "https://service.example" },
  official: { source: "rte" },
  mqtt: { url: "mqtt://192.0.2.1" },
};
export const QUIET_HOUSE = { length: 3_600, trouble: 0, history: 3, oldBroker: false, devices: [] };
/** In January, from eleven o'clock in Paris. */
export const QUIET_MORNING = { ...QUIET_HOUSE, seed: 1, from: "2026-01-05T10:00:00Z" };

export const GUESTS = { id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } } };
export const GUESTS_ON = { when: "guests", payload: "p1" };
export const PEAK = { id: "peak", when: { period: "hp" } };
export const NIGHT = { id: "night", when: { period: "hc" } };
export const KEPT_DEVICE = {
  topic: "device1/set",
  choose: [{ when: "night", payload: "off" }],
  else: "on",
  confirm: { topic: "device1/state", keep: true as const },
};
export const DEVICE = { topic: "device1/set", choose: [{ when: "peak", payload: "18" }] };
export const ROUGE_AHEAD = { id: "ahead", when: { day: "next", color: "rouge" } };

/** One rule, and one output that follows it. */
export function houseWith(rule: RuleText, output: OutputText): HouseConfig {
  return { ...HOUSE, rules: [rule], outputs: { list: [output] } };
}

/** A rule on a value alone, and a device that follows it. */
export const FLAPPING = flappingFor("1h");

export function flappingFor(wait: string): HouseConfig {
  return houseWith(GUESTS, {
    topic: "device1/set",
    choose: [GUESTS_ON],
    else: "p2",
    confirm: { topic: "device1/state", for: wait },
  });
}

/** vigie hears whether its device is there. */
export const ONLINE = { topic: "device1/online", equals: "online" };

export const REPORTING: Device = {
  id: "device1",
  path: undefined,
  manner: "obeys",
  words: {},
  report: { topic: "device1/state", retain: true },
};

export function onGuests(confirm: ConfirmText): HouseConfig {
  return houseWith(GUESTS, { topic: "device1/set", choose: [GUESTS_ON], confirm });
}

export const GUESTS_CONFIRMED = onGuests({ topic: "device1/state" });
export const GUESTS_ONLINE = onGuests({
  topic: "device1/state",
  every: "10m",
  online: ONLINE,
});
export const REPORTING_ONLINE: Device = {
  ...REPORTING,
  online: { topic: "device1/online", there: "online", gone: "offline" },
};

/** A relay that is off in the off-peak hours, and says whether it is there. */
export const RELAY: Pick<Scenario, "seed" | "from" | "configs" | "devices"> = {
  seed: 1,
  from: "2026-02-02T00:00:00Z",
  configs: [
    houseWith(NIGHT, {
      ...KEPT_DEVICE,
      id: "device1",
      confirm: { ...KEPT_DEVICE.confirm, online: { topic: "device1/online", equals: true } },
    }),
  ],
  devices: [{ ...REPORTING, online: { topic: "device1/online", there: "true", gone: "false" } }],
};

export function valueAt(at: number, word: string): ScriptEvent {
  return valuesAt(at, { every: 1, for: 0, words: [word] });
}

/** One of these words about each `every` seconds, for `for` seconds. */
export function valuesAt(
  at: number,
  { words, ...times }: { every: number; for: number; words: string[] },
): ScriptEvent {
  return { at, kind: "series", topic: "house/value1", ...times, retain: true, values: { words } };
}

/** The connection is lost so many times. */
export function eachMinute(at: number, times: number): ScriptEvent[] {
  return Array.from({ length: times }, (_, index) => ({ at: at + 60 * index, kind: "connection lost" }));
}
