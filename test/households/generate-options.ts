import { type Draw, drawFrom } from "./draw.ts";
import { randomFrom } from "./random.ts";
import type { HouseConfig, Scenario, ScriptEvent } from "./scenario.ts";

/** The base topic of all configurations of the household. */
export function baseTopicOf({ configs }: Pick<Scenario, "configs">): string {
  return configs.map(({ mqtt }) => (mqtt as Options | undefined)?.base_topic).find(isText) ?? USUAL_BASE;
}

type Options = Readonly<Record<string, unknown>>;

/** Options that few owners set, by draws of their own: they move no other household. The names are the same in each configuration. */
export function withRareOptions(scenario: Scenario): Scenario {
  const draw = drawFrom(randomFrom(`rare options/${scenario.seed}`));
  const { one, chance } = draw;
  const base = chance(0.12) ? one(["tempo", "house/tempo", "maison/énergie", "vigie2"]) : USUAL_BASE;
  const prefix = chance(0.08) ? one(["ha", "discovery/of/house"]) : USUAL_PREFIX;
  const tariff = {
    ...(chance(0.1) && { day_starts_at: one(["00:00", "02:30", "05:30", "07:00", "22:00"]) }),
    ...(chance(0.1) && { laws: "off" }),
  };
  const configs = scenario.configs.map((config) => withOptions(draw, config, { base, prefix, tariff }));
  return { ...scenario, configs, events: scenario.events.map((event) => renamed(event, { base, prefix })) };
}

interface Names {
  base: string;
  prefix: string;
}

interface Drawn extends Names {
  tariff: object;
}

function withOptions(
  { one, chance, times }: Draw,
  config: HouseConfig,
  { base, prefix, tariff }: Drawn,
): HouseConfig {
  const { service, mqtt, homeassistant } = config as Record<string, Options>;
  const [first, ...others] = [
    ...ENTITIES,
    ...config.rules.flatMap(({ id }) => [`rules_${id}_state`, `rules_${id}_since`]),
  ];
  const exclude = chance(0.15) && times(1, 3, () => one([first!, ...others]));
  return {
    ...config,
    service: { ...service, ...(chance(0.15) && { late_after: one(LATE) }) },
    mqtt: { ...mqtt, ...(base !== USUAL_BASE && { base_topic: base }) },
    ...(Object.keys(tariff).length > 0 && {
      tariff: { ...(config.tariff as object | undefined), ...tariff },
    }),
    homeassistant: {
      ...homeassistant,
      ...(prefix !== USUAL_PREFIX && { prefix }),
      ...(exclude && { exclude: [...new Set(exclude)] }),
    },
  };
}

function renamed(event: ScriptEvent, { base, prefix }: Names): ScriptEvent {
  const rename = (topic: string) => {
    const [level, ...below] = topic.split("/");
    if (level === USUAL_BASE) return [base, ...below].join("/");
    return level === USUAL_PREFIX ? [prefix, ...below].join("/") : topic;
  };
  if (event.kind === "command" || event.kind === "foreign") return { ...event, topic: rename(event.topic) };
  return event.kind === "delete" ? { ...event, below: rename(event.below) } : event;
}

function isText(given: unknown): given is string {
  return typeof given === "string";
}

const USUAL_BASE = "vigie";
const USUAL_PREFIX = "homeassistant";
const LATE = ["00:00", "10:00", "10:31", "15:00", "20:30", "23:59"] as const;
const ENTITIES = [
  "now_slot",
  "announcement_date",
  "announcement_late",
  "event",
  "refresh",
  "simulation_color",
  "season_left_rouge",
] as const;
