import { expect, vi } from "vitest";
import type { FakeTime } from "../support/fake-time.ts";
import { PATIENCE } from "../support/patience.ts";
import { type RunningVigie, startVigieAndBroker } from "../support/running-vigie.ts";
import { type Cleanup, runVigie, startVigie, type Vigie, writeConfig } from "../support/vigie.ts";
import { type SharedHome, sharedHome } from "./shared-home.ts";
import type { State } from "./states.ts";

/** A vigie that is connected with the shared Home Assistant. Each test file has its own instance name, and so its own entities. */
export interface VigieInHomeAssistant extends SharedHome {
  running: RunningVigie;
  instance: string;
  /** The current process: another one after `restart`. */
  vigie: () => Vigie;
  /** Changes the settings of the running vigie. */
  configure: (change: Record<string, unknown>) => Promise<void>;
  restart: (signal?: NodeJS.Signals, meanwhile?: () => Promise<unknown>) => Promise<void>;
  /** What Home Assistant keeps of its entities, by entity id: the registry's own id outlives names and settings. */
  entries: (instance?: string) => Promise<Map<string, Entry>>;
  entities: (instance?: string) => Promise<Map<string, State>>;
}

interface Entry {
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
    id: "rouge_ahead",
    name: { fr: "Rouge annoncé", en: "Rouge ahead" },
    when: {
      any: [
        { day: "next", color: "rouge" },
        { day: "now", color: "rouge" },
      ],
    },
  },
  {
    id: "week",
    name: { fr: "Rouge cette semaine", en: "Rouge this week" },
    threshold: 60,
    when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
  },
];

/** The same as in `testDescription`; nothing listens to its topic. */
function outputsOf(instance: string): object[] {
  return [
    {
      id: "boiler",
      name: { fr: "Chauffe-eau", en: "Boiler" },
      topic: `${instance}_boiler/set`,
      choose: [{ when: "rouge_ahead", payload: "off" }],
    },
  ];
}

interface VigieInHomeAssistantOptions extends Record<string, unknown> {
  /** Another Home Assistant than the one that most files share. */
  shared?: SharedHome;
  /** The address of a forecast service; left out, vigie invents the days itself. */
  service?: string;
  time?: FakeTime;
  /** More of these settings. */
  mqtt?: object;
}

/** Resolves when Home Assistant shows what vigie says. The cleanup ends vigie and purges its topics. */
export async function startInHomeAssistant(
  cleanup: Cleanup,
  instance: string,
  options: VigieInHomeAssistantOptions = {},
): Promise<VigieInHomeAssistant> {
  const { shared = await sharedHome(), service = "simulator", time, mqtt, ...more } = options;
  const settings = {
    instance,
    service: { base_url: service, allow_simulator: true },
    rules: RULES,
    outputs: outputsOf(instance),
    homeassistant: { language: "en" },
    mqtt: { url: shared.broker.url, ...mqtt },
    ...more,
  };
  const running = await startVigieAndBroker(cleanup, {
    service,
    broker: shared.broker,
    config: settings,
    ...(time && { time }),
  });
  const { folder } = running;
  const env = () => (time ? time.env() : {});
  let { vigie } = running;
  let config: Record<string, unknown> = running.config;
  cleanup.add(async () => {
    await vigie.end();
    // On the real clock: with a quick one, a busy machine has not the time to connect.
    const { code, stderr } = await runVigie({ folder, args: ["purge"] });
    if (code !== 0) throw new Error(`Expected vigie purge to succeed, got: ${stderr}`);
  });
  const entries = async (of = instance) => {
    const all = (await shared.home.registry()) as unknown as Entry[];
    return byId(all.filter(({ unique_id }) => unique_id.startsWith(`${of}_`)));
  };
  try {
    await shared.home.until({ [`sensor.${instance}_service_status`]: /ok|simulated/ });
    // Home Assistant takes the entities of one platform after the other.
    const device = shared.observer.retained.get(`homeassistant/device/${instance}/config`) ?? "{}";
    const announced = Object.values<Entry>(JSON.parse(device).components).map(({ unique_id }) => unique_id);
    await vi.waitFor(async () => {
      const there = [...(await entries()).values()].map(({ unique_id }) => unique_id);
      expect(there).toEqual(expect.arrayContaining(announced));
    }, PATIENCE);
  } catch (cause) {
    throw new Error(`Home Assistant does not show ${instance}; vigie said:\n${vigie.output()}`, { cause });
  }
  return {
    ...shared,
    running,
    instance,
    vigie: () => vigie,
    configure: async (change) => {
      const from = vigie.lines.length;
      config = { ...config, ...change };
      await writeConfig(folder, config);
      await vigie.says(/The new configuration is in force|nothing has changed/, from);
    },
    restart: async (signal = "SIGTERM", meanwhile = async () => undefined) => {
      await vigie.end(signal);
      await meanwhile();
      vigie = await startVigie({ folder, config, env: env() });
    },
    entries,
    entities: async (of = instance) =>
      byId(
        (await shared.home.states()).filter(({ entity_id }) => entity_id.split(".")[1]?.startsWith(`${of}_`)),
      ),
  };
}

function byId<T extends { entity_id: string }>(all: readonly T[]): Map<string, T> {
  return new Map(all.map((one) => [one.entity_id, one]));
}
