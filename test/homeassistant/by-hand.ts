import type { Observer } from "../support/observer.ts";

/** What stands in a component beside its id: `state_topic` and the like, below the base topic. */
export type Component = Record<string, unknown> & { platform: string };

/** A device as vigie announces it, written by hand: what a test says of it owes vigie nothing. */
export interface Announced {
  /** The value of a topic below the base, retained. */
  say: (topic: string, value: string) => Promise<void>;
  /** Takes the device away, and then its topics. */
  clear: () => Promise<void>;
}

export async function announce(
  observer: Observer,
  instance: string,
  components: Record<string, Component>,
): Promise<Announced> {
  const topic = `homeassistant/device/${instance}/config`;
  const said = new Set<string>();
  const say = async (name: string, value: string) => {
    said.add(name);
    await observer.publish(`${instance}/${name}`, value);
  };
  const message = {
    device: { identifiers: [instance], name: instance },
    origin: { name: "by hand" },
    components: Object.fromEntries(
      Object.entries(components).map(([key, component]) => [key, identified(instance, key, component)]),
    ),
  };
  await observer.publish(topic, JSON.stringify(message));
  return {
    say,
    clear: async () => {
      await observer.publish(topic, "");
      // Home Assistant must have forgotten the entities before their topics go.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      for (const name of said) await observer.publish(`${instance}/${name}`, "");
    },
  };
}

function identified(instance: string, key: string, component: Component): Component {
  return {
    ...component,
    unique_id: `${instance}_${key}`,
    default_entity_id: `${component.platform}.${instance}_${key}`,
  };
}

/** A sensor or binary sensor on `topic`; `of: "moment"` goes with `availability`. */
export function fact(
  instance: string,
  platform: "sensor" | "binary_sensor",
  topic: string,
  of: "moment" | "dated",
  more: Record<string, unknown> = {},
): [string, Component] {
  const available = of === "moment" ? { availability: [{ topic: `${instance}/availability` }] } : {};
  const key = topic.replaceAll("/", "_");
  return [key, { platform, name: key, state_topic: `${instance}/${topic}`, ...available, ...more }];
}
