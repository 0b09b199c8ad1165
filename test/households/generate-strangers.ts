import type { Draw } from "./draw.ts";
import type { HouseConfig, ScriptEvent } from "./scenario.ts";

/** Topics that each vigie publishes; and those of others, which it clears. */
const TOPICS = [
  "now",
  "now/color",
  "now/rate",
  "next/date",
  "tomorrow",
  "d2/color",
  "rouge_now",
  "offpeak",
  "forecast",
  "rates",
  "prices/source",
  "season/left/rouge",
  "simulation/color",
  "service/status",
  "official/last_success",
  "announcement/stage",
  "availability",
  "availability",
  "event",
  "x",
  "old/topic",
  "rules/former/state",
] as const;
const COMMANDS = [
  "refresh/set",
  "simulation/set",
  "rules/rule1/enabled/set",
  "rules/rule1/threshold/set",
] as const;
/** What a vigie says that is not there any more; and what no vigie says. */
const OWNERS = [
  JSON.stringify({
    installation: "0123456789abcdef",
    incarnation: "fedcba9876543210",
    host: "former",
    version: "1.0.0",
    since: "2025-01-01T00:00:00Z",
    client_id: "vigie-default-0123456789abcdef",
  }),
  "{}",
  "somebody",
  "",
] as const;
const PAYLOADS = ["ON", "OFF", "bleu", "rouge", "offline", "1", "None", "{}", "", ""] as const;
const LONG = 70_000;

/** Somebody else publishes on topics of vigie, or deletes what the broker holds there. */
export function meddle(
  { one, chance, times }: Draw,
  at: number,
  configs: readonly HouseConfig[],
): ScriptEvent[] {
  const own = configs.flatMap(({ rules, outputs }) => [
    ...rules.flatMap(({ id }) => [
      `rules/${id}/state`,
      `rules/${id}/plan`,
      `rules/${id}`,
      `rules/${id}/enabled`,
    ]),
    ...outputs.list.flatMap(({ id }) => [`outputs/${id}/state`, `outputs/${id}/payload`, `outputs/${id}`]),
  ]);
  if (chance(0.15))
    return [{ at, kind: "delete", below: one(["vigie", "vigie", "homeassistant", "vigie/rules"]) }];
  if (chance(0.15))
    return [{ at, kind: "foreign", topic: "vigie/owner", payload: one(OWNERS), ...retained() }];
  if (chance(0.1)) {
    const topic = `homeassistant/device/${one(["vigie", "other"])}/config`;
    return [{ at, kind: "foreign", topic, payload: one(["", "{}", "junk"]) }];
  }
  const payload = () => (chance(0.05) ? "x".repeat(LONG) : one(PAYLOADS));
  const topic = () => {
    if (chance(0.1)) return `vigie/${one(COMMANDS)}`;
    return `vigie/${chance(0.5) ? one(TOPICS) : one([TOPICS[0], ...own])}`;
  };
  return times(1, 4, () => {
    const found = topic();
    // A command that is not retained is one.
    const how = found.endsWith("/set") ? {} : retained();
    return { at, kind: "foreign" as const, topic: found, payload: payload(), ...how };
  });

  function retained(): { retain?: false; qos?: 0 | 2 } {
    return {
      ...(chance(0.3) && { retain: false as const }),
      ...(chance(0.3) && { qos: one([0, 2] as const) }),
    };
  }
}

/** A second vigie is started by mistake, or on purpose. Returns how long it takes. */
export function startSecond({ one }: Draw, at: number, events: ScriptEvent[]): number {
  const length = one([60, 300, 3_600] as const);
  events.push({ at, kind: "other vigie", how: one(["asks", "asks", "takes over"] as const), for: length });
  return length + 1;
}
