import mqtt from "mqtt";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { examplesBelow } from "../guides/page-blocks.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { blocksOf, readPage } from "../support/guide.ts";
import { answerDays } from "../support/plain-days.ts";
import { startPlainService } from "../support/plain-service.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { expectNoComplaints } from "./complaints.ts";
import { type Component, publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { openHome, type SharedHome } from "./shared-home.ts";
import { startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

/*
 * The recipes of docs/recipes.md for devices that only Home Assistant reaches: a vigie with the configuration of the page, a
 * Home Assistant with its automation, and a device that vigie knows nothing of. The time of vigie alone runs ten times as fast.
 */
const PAGE = readPage("docs/recipes.md");
const PACE = 10;

interface Recipe {
  /** The part of the page, and which of its configurations. */
  title: string;
  block: number;
  output: string;
  entity: string;
  /** When vigie starts: on a bleu day, before a bleu one. */
  at: string;
  /** The day that is pretended to be rouge. */
  pretended: "now" | "next";
  components: Record<string, Component>;
  /** What the parts of the device are at on a rouge day. */
  onRouge: Record<string, string>;
  /** What its owner sets by hand. */
  byHand: Record<string, string>;
  otherwise: Record<string, string>;
}

/** By the name of the device. */
const RECIPES: Record<string, Recipe> = {
  // It has a switch and a number, of which the page makes a list of modes.
  battery: {
    title: "A home battery",
    block: 0,
    output: "battery",
    entity: "select.battery_mode",
    at: "2026-01-05T21:30:00Z",
    pretended: "next",
    components: {
      grid_charge: { platform: "switch" },
      discharge_power: { platform: "number", min: 0, max: 5000 },
    },
    onRouge: { grid_charge: "ON", discharge_power: "0" },
    byHand: { grid_charge: "OFF", discharge_power: "5000" },
    otherwise: { grid_charge: "OFF", discharge_power: "0" },
  },
  bedroom: {
    title: "The preset of a thermostat by colour",
    block: 1,
    output: "radiator",
    entity: "climate.bedroom_radiator",
    at: "2026-01-06T09:00:00Z",
    pretended: "now",
    components: { radiator: { platform: "climate", preset_modes: ["away", "eco", "comfort"] } },
    onRouge: { radiator: "away" },
    byHand: { radiator: "eco" },
    otherwise: { radiator: "comfort" },
  },
  living: {
    title: "Heating by a thermostat of Home Assistant",
    block: 0,
    output: "heating",
    entity: "climate.living_room",
    at: "2026-01-06T09:00:00Z",
    pretended: "now",
    components: { room: { platform: "climate", temp_step: 0.5 } },
    onRouge: { room: "17" },
    byHand: { room: "22" },
    otherwise: { room: "19" },
  },
};

const missing = withoutHomeAssistant || withoutFakeTime;
describe.skipIf(missing)(`the recipes for Home Assistant ${missing}`, () => {
  let shared: SharedHome;

  beforeAll(async () => {
    const blocks = blocksOf(PAGE)
      .filter(({ language }) => language === "yaml")
      .map(({ text }) => parse(text));
    const { template } = blocks.find((block) => "template" in block);
    shared = await openHome({
      lines: [
        "automation: !include automations.yaml",
        `template: ${JSON.stringify(template)}`,
        "input_select: {mode: {options: [auto, hold, charge]}}",
      ],
      files: { "automations.yaml": "[]" },
    });
    // Only now is it connected with the broker that these listen to.
    const automations = blocks.filter(Array.isArray).flat();
    await shared.home.writeFile(
      "automations.yaml",
      JSON.stringify([...automations, ofHelper(automations[0])]),
    );
    await shared.home.call("automation", "reload");
  });
  afterAll(() => shared?.home.remove());

  describe.each(Object.entries(RECIPES))("%s", (name, recipe) => {
    const cleanup = createCleanup();
    const example = examplesBelow(PAGE, recipe.title)[recipe.block]!;
    const state = `outputs/${recipe.output}/state`;
    let device: Device;
    let connected: VigieInHomeAssistant;
    let mark: number;

    beforeAll(async () => {
      mark = await shared.home.mark();
      device = await startDevice(shared, name, recipe.components);
      cleanup.add(device.remove);
      await device.setByHand(recipe.byHand);
      const time = startFakeTime(recipe.at, PACE);
      const service = await startPlainService((path) => answerDays(path, time.clock.now(), { colors: {} }));
      cleanup.add(service.stop);
      connected = await startInHomeAssistant(cleanup, `${name}_vigie`, {
        shared,
        time,
        service: service.url,
        ...example,
      });
    });
    afterEach(async () => {
      await pretend("auto");
      await isAt(recipe.otherwise);
      await expectNoComplaints(shared.home, mark);
    });
    afterAll(cleanup.run);

    test("is told when its hour comes and when that is over, and confirms", async () => {
      await pretend("rouge");
      await isAt(recipe.onRouge);
    });

    test("that is unavailable when its hour comes obeys when it is there again", async () => {
      await device.leave();
      await shared.home.until({ [recipe.entity]: "unavailable" });
      const [from, told] = [shared.observer.received.length, device.told.length];
      await pretend("rouge");
      const isToldTwice = () => payloadsSince(recipe.output, from).length > 1;
      await shared.observer.until(isToldTwice, "vigie has told Home Assistant twice");
      await shared.home.mark();
      expect(device.told.slice(told)).toEqual([]);
      await device.comeBack();
      await isAt(recipe.onRouge);
    });

    test("readme: A command is obeyed · obeys when Home Assistant was down when its hour came", async () => {
      await shared.home.restart(async () => {
        await pretend("rouge");
        await connected.running.until({ [state]: "waiting" });
      });
      await isAt(recipe.onRouge);
    });

    test("is told again when it was changed while Home Assistant was down", async () => {
      await pretend("rouge");
      await isAt(recipe.onRouge);
      await shared.home.restart(() => device.setByHand(recipe.byHand));
      await isAt(recipe.onRouge);
    });

    test("that loses a command is told again, and so is one that is changed on a rouge day", async () => {
      device.disobey(1);
      await pretend("rouge");
      await isAt(recipe.onRouge);
      await device.setByHand(recipe.byHand);
      await connected.running.until({ [state]: "contrary" });
      await isAt(recipe.onRouge);
    });

    const pretend = (color: string) => {
      const command =
        color === "auto" ? color : JSON.stringify({ color, from: recipe.pretended, for: "10h" });
      return shared.observer.publish(`${name}_vigie/simulation/set`, command, false);
    };
    const isAt = async (wanted: Record<string, string>) => {
      await expect.poll(device.parts).toEqual(wanted);
      await connected.running.until({ [state]: "confirmed" });
    };
  });

  test("Home Assistant reports at its start also an entity that has not changed since", async () => {
    await shared.home.call("input_select", "select_option", {
      entity_id: "input_select.mode",
      option: "hold",
    });
    const reported = () => shared.observer.retained.get("home/helper");
    await expect.poll(reported).toBe("hold");
    await shared.home.restart(() => shared.observer.publish("home/helper", "charge"));
    await expect.poll(reported).toBe("hold");
  });

  // In doubt the battery is charged, as its rule says; the others are left as they are.
  test.each([
    ["battery", ["charge"]],
    ["bedroom", []],
    ["living", []],
  ])("%s: while no colour is known, what is sent is %j", async (name, expected) => {
    const cleanup = createCleanup();
    onTestFinished(cleanup.run);
    const { title, block, at, output } = RECIPES[name]!;
    const from = shared.observer.received.length;
    const service = await startPlainService(() => ({ status: 503, body: {} }));
    cleanup.add(service.stop);
    const { rules, outputs } = examplesBelow(PAGE, title)[block]!;
    const always = { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } };
    const mark = { id: "mark", topic: `${name}_mark`, choose: [{ when: "always", payload: "x" }] };
    const running = await startVigieAndBroker(cleanup, {
      service: service.url,
      broker: shared.broker,
      time: startFakeTime(at, PACE),
      config: { instance: `${name}_unsure`, rules: [...rules, always], outputs: [...outputs, mark] },
    });
    await running.until({ "now/color": "None", "next/color": "None", "outputs/mark/state": "sent" });
    expect(new Set(payloadsSince(output, from))).toEqual(new Set(expected));
  });

  const payloadsSince = (output: string, from: number) =>
    shared.observer.received
      .slice(from)
      .filter(({ topic }) => topic === `home/${output}/set`)
      .map(({ payload }) => payload);
});

/** The automation of the battery for a helper, whose state is there before any automation. */
function ofHelper(automation: object): unknown {
  const text = JSON.stringify({ ...automation, alias: "helper" });
  return JSON.parse(
    text.replaceAll("select.battery_mode", "input_select.mode").replaceAll("home/battery", "home/helper"),
  );
}

/** A device with its own entities: each part takes what it shall be on `set`, and reports what it is. */
interface Device {
  /** All that it was told. */
  told: string[];
  /** What each part is at. */
  parts: () => Record<string, string>;
  setByHand: (parts: Record<string, string>) => Promise<void>;
  /** So many commands are lost from now on. */
  disobey: (times: number) => void;
  leave: () => Promise<void>;
  comeBack: () => Promise<void>;
  remove: () => Promise<void>;
}

async function startDevice(
  { broker, observer }: SharedHome,
  name: string,
  components: Record<string, Component>,
): Promise<Device> {
  const parts: Record<string, string> = {};
  const told: string[] = [];
  let lost = 0;
  const published = await publishDevice(
    observer,
    name,
    Object.fromEntries(
      Object.entries(components).map(([key, component]) => [
        key,
        { ...component, ...topicsOf(`${name}/${key}`, component), availability_topic: `${name}/alive` },
      ]),
    ),
  );
  const client = await mqtt.connectAsync(broker.url);
  client.on("message", (topic, payload) => {
    const [, key = ""] = topic.split("/");
    const value = String(payload).replace(/\.0$/, "");
    told.push(value);
    if (lost > 0) lost -= 1;
    else void setByHand({ [key]: value });
  });
  await client.subscribeAsync(`${name}/+/set`, { qos: 1 });
  const setByHand = async (changed: Record<string, string>) => {
    Object.assign(parts, changed);
    for (const [key, value] of Object.entries(changed)) await published.publishValue(key, value);
  };
  await published.publishValue("alive", "online");
  return {
    told,
    parts: () => parts,
    setByHand,
    disobey: (times) => {
      lost = times;
    },
    leave: () => published.publishValue("alive", "offline"),
    comeBack: () => published.publishValue("alive", "online"),
    remove: async () => {
      await client.endAsync();
      await published.clear();
    },
  };
}

/** What a climate takes and reports is its preset, if it has any, or else its temperature. */
function topicsOf(topic: string, { platform, preset_modes }: Component): Record<string, string> {
  const what = platform !== "climate" ? "" : preset_modes ? "preset_mode_" : "temperature_";
  return { [`${what}command_topic`]: `${topic}/set`, [`${what}state_topic`]: topic };
}
