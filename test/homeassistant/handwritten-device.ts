import type { Observer } from "../support/observer.ts";

/** The keys of a component besides its id, such as `state_topic` below the base topic. */
export type Component = Record<string, unknown> & { platform: string };

/** A device like that of vigie, but written by hand, so that the test does not depend on vigie. */
export interface PublishedDevice {
  /** Publishes the value of a topic below the base topic, retained. */
  publishValue: (topic: string, value: string) => Promise<void>;
  /** Removes the device, and then its topics. */
  clear: () => Promise<void>;
}

export async function publishDevice(
  observer: Observer,
  instance: string,
  components: Record<string, Component>,
): Promise<PublishedDevice> {
  const topic = `homeassistant/device/${instance}/config`;
  const said = new Set<string>();
  const publishValue = async (name: string, value: string) => {
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
    publishValue,
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

/** A sensor, a binary sensor or a select on `topic`; `of: "moment"` goes with `availability`. */
export function fact(
  instance: string,
  platform: "sensor" | "binary_sensor" | "select",
  topic: string,
  of: "moment" | "dated",
  more: Record<string, unknown> = {},
): [string, Component] {
  const available = of === "moment" ? { availability: [{ topic: `${instance}/availability` }] } : {};
  const key = topic.replaceAll("/", "_");
  return [key, { platform, name: key, state_topic: `${instance}/${topic}`, ...available, ...more }];
}

/** The sensor of the days that vigie knows: its attributes are in the same message as its state. */
export function forecastFact(instance: string): [string, Component] {
  return fact(instance, "sensor", "forecast", "dated", {
    device_class: "timestamp",
    value_template: "{{ value_json.updated_at }}",
    json_attributes_topic: `${instance}/forecast`,
  });
}
