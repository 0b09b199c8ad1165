import { type House, openHouse } from "../support/house.ts";
import { type Vigie, writeConfig, type Yard } from "../support/vigie.ts";
import { type SharedHome, sharedHome } from "./house.ts";
import type { State } from "./states.ts";

/** A vigie with invented days, as a guest of the one Home Assistant. */
export interface Guest extends SharedHome {
  house: House;
  instance: string;
  /** The process of now: another one after `restart`. */
  vigie: () => Vigie;
  /** Other settings, taken over by the running vigie. */
  configure: (change: Record<string, unknown>) => Promise<void>;
  restart: (signal?: NodeJS.Signals, meanwhile?: () => Promise<unknown>) => Promise<void>;
  /** What Home Assistant keeps of its entities, by entity id: the registry's own id outlives names and settings. */
  entries: (instance?: string) => Promise<Map<string, Entry>>;
  entities: (instance?: string) => Promise<Map<string, State>>;
}

export interface Entry {
  entity_id: string;
  id: string;
  unique_id: string;
  original_name: string;
  name: string | null;
  disabled_by: string | null;
  entity_category: string | null;
}

export const RULES = [
  {
    ...{ id: "rouge_ahead", name: { fr: "Rouge annoncé", en: "Rouge ahead" } },
    when: {
      any: [
        { day: "next", color: "rouge" },
        { day: "now", color: "rouge" },
      ],
    },
  },
  {
    ...{ id: "week", name: { fr: "Rouge cette semaine", en: "Rouge this week" }, threshold: 60 },
    when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
  },
];

/** Resolves when Home Assistant shows what vigie says. */
export async function openGuest(
  yard: Yard,
  instance: string,
  { mqtt, ...more }: { mqtt?: object } & Record<string, unknown> = {},
): Promise<Guest> {
  const shared = await sharedHome();
  const service = { base_url: "simulator", allow_simulator: true };
  const settings = {
    ...{ instance, service, rules: RULES, homeassistant: { language: "en" } },
    ...{ mqtt: { url: shared.broker.url, ...mqtt }, ...more },
  };
  const house = await openHouse(yard, { service: "simulator", broker: shared.broker, config: settings });
  let { vigie } = house;
  let config: Record<string, unknown> = house.config;
  const { folder } = house;
  await shared.home.until({ [`sensor.${instance}_service_status`]: "simulated" });
  return {
    ...{ ...shared, house, instance, vigie: () => vigie },
    configure: async (change) => {
      const from = vigie.lines.length;
      config = { ...config, ...change };
      await writeConfig(folder, config);
      await vigie.says(/The new configuration is in force|nothing takes effect/, from);
    },
    restart: async (signal = "SIGTERM", meanwhile = async () => undefined) => {
      await vigie.end(signal);
      await meanwhile();
      vigie = await yard.start({ folder, config });
    },
    entries: async (of = instance) => {
      const all = (await shared.home.registry()) as unknown as Entry[];
      return byId(all.filter(({ unique_id }) => unique_id.startsWith(`${of}_`)));
    },
    entities: async (of = instance) =>
      byId(
        (await shared.home.states()).filter(({ entity_id }) => entity_id.split(".")[1]?.startsWith(`${of}_`)),
      ),
  };
}

function byId<T extends { entity_id: string }>(all: readonly T[]): Map<string, T> {
  return new Map(all.map((one) => [one.entity_id, one]));
}
