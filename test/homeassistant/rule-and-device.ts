import type { Observer } from "../support/observer.ts";
import { type BlueprintHome, blueprintHome, expectMessages, type Inputs, settle } from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { type Component, fact, type PublishedDevice, publishDevice } from "./handwritten-device.ts";

/** A rule of a vigie, and a device that a blueprint sends to by this rule; both are published by hand. */
export interface RuleAndDevice extends BlueprintHome {
  rule: PublishedRule;
  device: PublishedDevice;
  /** The entities of the rule, as a blueprint takes them. */
  ruleInputs: Inputs;
  /** The rule is OFF, no change of it is ahead, and the device is available. */
  reset: () => Promise<void>;
  /** `expectSent` looks at what comes from now on. */
  startCounting: () => void;
  /** Waits until exactly these payloads were sent to the device. */
  expectSent: (...payloads: string[]) => Promise<void>;
  expectNoComplaints: () => Promise<void>;
  clear: () => Promise<void>;
}

interface RuleAndDeviceOptions {
  instance: string;
  rule: string;
  /** The base topic of the device: it is available by `alive`, and takes payloads on `set`. */
  device: string;
  components: Record<string, Component>;
}

export async function openRuleAndDevice(options: RuleAndDeviceOptions): Promise<RuleAndDevice> {
  const shared = await blueprintHome();
  const mark = await shared.home.mark();
  const rule = await publishRule(shared.observer, options.instance, options.rule);
  const device = await publishDevice(shared.observer, options.device, options.components);
  let from = 0;
  return {
    ...shared,
    rule,
    device,
    ruleInputs: ruleInputs(options.instance, options.rule),
    reset: async () => {
      // As vigie does on its return: available again when all is right.
      await rule.publishState("OFF");
      await rule.publishForecast({ on: null, off: null });
      await rule.publishValue("availability", "online");
      await device.publishValue("alive", "online");
      await settle(shared);
    },
    startCounting: () => {
      from = shared.observer.received.length;
    },
    expectSent: (...payloads) => expectMessages(shared, [`${options.device}/set`, from], payloads),
    expectNoComplaints: () => expectNoComplaints(shared.home, mark),
    clear: async () => {
      await shared.use({});
      await Promise.all([rule.clear(), device.clear()]);
    },
  };
}

/** Publishes the device of a rule as vigie does. */
async function publishRule(observer: Observer, instance: string, id: string) {
  const stamp = { device_class: "timestamp" };
  return withStateAndForecast(
    await publishDevice(
      observer,
      instance,
      Object.fromEntries([
        fact(instance, "binary_sensor", `rules/${id}/state`, "moment"),
        fact(instance, "sensor", `rules/${id}/since`, "moment", stamp),
        fact(instance, "sensor", `rules/${id}/next_on`, "dated", stamp),
        fact(instance, "sensor", `rules/${id}/next_off`, "dated", stamp),
      ]),
    ),
    id,
  );
}

interface PublishedRule extends PublishedDevice {
  /** Publishes that the state changes now. */
  publishState: (state: "ON" | "OFF" | "None") => Promise<void>;
  /** Publishes the next changes, in seconds from now. */
  publishForecast: (turns: { on: number | null; off: number | null }) => Promise<void>;
}

function withStateAndForecast(device: PublishedDevice, id: string): PublishedRule {
  const { publishValue } = device;
  return {
    ...device,
    publishState: async (state) => {
      await publishValue(`rules/${id}/state`, state);
      await publishValue(`rules/${id}/since`, instantIn(0));
    },
    publishForecast: async ({ on, off }) => {
      await publishValue(`rules/${id}/next_on`, on === null ? "None" : instantIn(on));
      await publishValue(`rules/${id}/next_off`, off === null ? "None" : instantIn(off));
    },
  };
}

function instantIn(seconds: number): string {
  return new Date(Math.floor(Date.now() / 1000 + seconds) * 1000).toISOString().replace(".000", "");
}

function ruleInputs(instance: string, id: string): Inputs {
  const key = `${instance}_rules_${id}`;
  return {
    rule: `binary_sensor.${key}_state`,
    since: `sensor.${key}_since`,
    next_on: `sensor.${key}_next_on`,
    next_off: `sensor.${key}_next_off`,
  };
}
