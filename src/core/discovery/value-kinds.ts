import { COLORS } from "../calendar/tariff.ts";
import { STAGES } from "../facts/facts.ts";

type Platform = "sensor" | "binary_sensor" | "switch" | "number" | "select" | "button" | "event";

interface ShapeKeys {
  platform: Platform;
  /** Unless the entity has one of its own. */
  icon?: Icon;
  [key: string]: string | number | readonly string[];
}

export type Icon = `mdi:${string}`;

/** What kinds of value there are, in Home Assistant's own keys. */
export const SHAPES = {
  choice: { platform: "sensor", device_class: "enum" },
  color: { platform: "sensor", device_class: "enum", options: COLORS, icon: "mdi:palette" },
  stage: { platform: "sensor", device_class: "enum", options: STAGES, icon: "mdi:bullhorn" },
  text: { platform: "sensor" },
  date: { platform: "sensor", device_class: "date" },
  instant: { platform: "sensor", device_class: "timestamp" },
  /** A JSON object; its state is the instant of its last update. */
  list: { platform: "sensor", device_class: "timestamp", value_template: "{{ value_json.updated_at }}" },
  percent: {
    platform: "sensor",
    unit_of_measurement: "%",
    state_class: "measurement",
    suggested_display_precision: 0,
    icon: "mdi:percent",
  },
  /** No device class: `monetary` does not allow this unit, and the Energy dashboard needs none. */
  price: {
    platform: "sensor",
    unit_of_measurement: "EUR/kWh",
    state_class: "measurement",
    suggested_display_precision: 4,
    icon: "mdi:currency-eur",
  },
  days: {
    platform: "sensor",
    device_class: "duration",
    unit_of_measurement: "d",
    state_class: "measurement",
    suggested_display_precision: 0,
    icon: "mdi:counter",
  },
  yes_no: { platform: "binary_sensor" },
  problem: { platform: "binary_sensor", device_class: "problem" },
  switch: { platform: "switch" },
  slider: {
    platform: "number",
    min: 0,
    max: 100,
    step: 1,
    mode: "slider",
    unit_of_measurement: "%",
  },
  select: { platform: "select" },
  button: { platform: "button" },
  event: { platform: "event" },
} as const satisfies Record<string, ShapeKeys>;

export type Shape = keyof typeof SHAPES;
