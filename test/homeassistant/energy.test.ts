import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPage } from "../support/guide.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { type BlueprintHome, blueprintHome, settle } from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { gridWith } from "./energy-dashboard.ts";
import { type Component, fact, type PublishedDevice, publishDevice } from "./handwritten-device.ts";
import { type HomeAssistant, withoutHomeAssistant } from "./home-assistant.ts";
import { pause } from "./states.ts";
import { startInHomeAssistant } from "./vigie-in-home-assistant.ts";

const SLOTS = ["bleu_hc", "bleu_hp", "blanc_hc", "blanc_hp", "rouge_hc", "rouge_hp"];
const PRICES: Record<string, number> = {
  bleu_hc: 0.13,
  bleu_hp: 0.16,
  blanc_hc: 0.15,
  blanc_hp: 0.19,
  rouge_hc: 0.16,
  rouge_hp: 0.7,
};
const TARIFF = "select.house_energy";
const OTHERS = ["select.house_energy_day", "select.house_energy_season"];
const HOUR = 3600;
/** Home Assistant's own words when a meter is back, and has not said its index yet. */
const METER_RETURNS = /received an invalid new state from sensor\.grid_index : unknown/;
/** Its own words at the start after it was killed. */
const LOST_ITS_POWER = /sqlite3 database .* was shutdown cleanly|Ended unfinished session/;

describe.skipIf(withoutHomeAssistant)(
  `docs/energy.md: a package, a blueprint and a dashboard ${withoutHomeAssistant}`,
  () => {
    const cleanup = createCleanup();
    let shared: BlueprintHome;
    let meter: Meter;
    let vigie: PublishedDevice;
    let mark: number;

    beforeAll(async () => {
      shared = await blueprintHome();
      mark = await shared.home.mark();
      meter = await publishMeter(shared);
      vigie = await publishDevice(shared.observer, "vigie", vigieByHand());
      for (const [slot, price] of Object.entries(PRICES))
        await vigie.publishValue(`prices/${slot}`, String(price));
      await vigie.publishValue("simulation/color", "auto");
      await vigie.publishValue("now/official", "ON");
      await vigie.publishValue("availability", "online");
      await shared.use({ others: ["fr/energy", { meters: OTHERS }] });
    });
    afterAll(async () => {
      if (!shared) return;
      await shared.home.ask("energy/save_prefs", { energy_sources: [] });
      await shared.use({});
      await vigie.clear();
      await shared.home.until({ [TARIFF]: "unknown_color" });
      await meter.clear();
      await cleanup.run();
    });

    /** As vigie does at 06:00 and 22:00. */
    const say = async (slot: string, { day = 8 * HOUR, period = HOUR } = {}) => {
      await vigie.publishValue("now/slot", slot);
      await vigie.publishValue("now/color_until", slot === "None" ? slot : instantIn(day));
      await vigie.publishValue("now/period_until", slot === "None" ? slot : instantIn(period));
      await vigie.publishValue("now/rate", String(PRICES[slot] ?? "None"));
    };
    const untilTariff = (tariff: string) =>
      shared.home.until(Object.fromEntries([TARIFF, ...OTHERS].map((id) => [id, tariff])));
    /** Of the one meter with the price now. */
    const cost = (euros: number) =>
      shared.home.until({
        "sensor.grid_index_cost": ({ state }) => Math.abs(Number(state) - euros) < 0.001,
      });

    test("each kWh is counted under the colour and period in force, and costs its price", async () => {
      await shared.home.ask("energy/save_prefs", { energy_sources: sourcesOf("docs/energy.md") });
      await say("bleu_hc");
      await untilTariff("bleu_hc");
      await meter.rise(0);
      const before = await meter.counted();
      for (const [index, slot] of SLOTS.entries()) {
        await say(slot);
        await untilTariff(slot);
        await meter.rise(index + 1);
        await meter.rise(0.5);
      }
      const counted = Object.fromEntries(SLOTS.map((slot, index) => [slot, index + 1.5]));
      expect(await meter.counted()).toEqual({ ...before, ...counted });
      const euros = Object.fromEntries(
        SLOTS.map((slot) => [slot, (PRICES[slot] ?? 0) * (counted[slot] ?? 0)]),
      );
      await expect.poll(() => meter.costs()).toEqual({ unknown_color: 0, ...closeTo(euros) });
      expect(await issuesOfDashboard(shared.home)).toEqual([]);
      await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
    });

    test("the meters by day and by season count the same, and start again at 06:00", async () => {
      const states = await shared.home.states();
      for (const [slot, kWh] of Object.entries(await meter.counted()))
        for (const id of ["house_energy_day", "house_energy_season"])
          expect(Number(states.find(({ entity_id }) => entity_id === `sensor.${id}_${slot}`)?.state)).toBe(
            kWh,
          );
      const nextReset = (id: string) =>
        String(states.find(({ entity_id }) => entity_id === id)?.attributes["next_reset"]);
      expect(nextReset("sensor.house_energy_day_rouge_hp")).toMatch(/T06:00:00/);
      expect(nextReset("sensor.house_energy_season_rouge_hp")).toMatch(/-09-01T06:00:00/);
    });

    test.each([
      ["says None", () => say("None"), () => say("rouge_hp")],
      [
        "is gone",
        () => vigie.publishValue("availability", "offline"),
        () => vigie.publishValue("availability", "online"),
      ],
      [
        "only forecasts the colour in force",
        () => vigie.publishValue("now/official", "OFF"),
        () => vigie.publishValue("now/official", "ON"),
      ],
      [
        "pretends a colour",
        () => vigie.publishValue("simulation/color", "bleu"),
        () => vigie.publishValue("simulation/color", "auto"),
      ],
      [
        "has said nothing since the period ended",
        () => say("rouge_hp", { period: 1 }),
        () => say("rouge_hp"),
      ],
      ["has said nothing since the day ended", () => say("rouge_hp", { day: 1 }), () => say("rouge_hp")],
    ])(
      "while vigie %s, kWh are counted under no colour but as unknown, and afterwards as before",
      async (_, begin, end) => {
        await say("rouge_hp");
        await untilTariff("rouge_hp");
        await meter.rise(1);
        const before = await meter.counted();
        await begin();
        await untilTariff("unknown_color");
        await meter.rise(2);
        await end();
        await untilTariff("rouge_hp");
        await meter.rise(3);
        const { rouge_hp = 0, unknown_color = 0 } = before;
        expect(await meter.counted()).toEqual({
          ...before,
          rouge_hp: rouge_hp + 3,
          unknown_color: unknown_color + 2,
        });
        await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
      },
    );

    test("at the start of Home Assistant the tariff is set again, and what was used meanwhile has no colour", async () => {
      await say("bleu_hc");
      await untilTariff("bleu_hc");
      await meter.rise(1);
      const before = await meter.counted();
      await shared.home.restart(async () => {
        await say("rouge_hp");
        await meter.publishRise(7);
      });
      await untilTariff("rouge_hp");
      await meter.rise(0);
      await meter.rise(2);
      const { rouge_hp = 0 } = before;
      expect(await meter.counted()).toEqual({ ...before, rouge_hp: rouge_hp + 2 });
      await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
    });

    test("at the start of Home Assistant without vigie nothing is counted under the colour of before", async () => {
      await say("bleu_hc");
      await untilTariff("bleu_hc");
      const before = await meter.counted();
      await shared.home.restart(() => vigie.publishValue("availability", "offline"));
      await untilTariff("unknown_color");
      await meter.back();
      await meter.rise(2);
      const { unknown_color = 0 } = before;
      expect(await meter.counted()).toEqual({ ...before, unknown_color: unknown_color + 2 });
      await vigie.publishValue("availability", "online");
      await untilTariff("bleu_hc");
      await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
    });

    test("what an outage of the meter hides is counted under its period, and over a change of period under none", async () => {
      await say("blanc_hp");
      await untilTariff("blanc_hp");
      await meter.rise(1);
      const before = await meter.counted();
      await meter.lose();
      await meter.rise(2);
      expect(await meter.counted()).toEqual({ ...before, blanc_hp: (before["blanc_hp"] ?? 0) + 2 });
      await meter.lose();
      await say("blanc_hc");
      await untilTariff("blanc_hc");
      await meter.publishRise(4);
      await meter.back();
      await meter.rise(1);
      const { blanc_hp = 0, blanc_hc = 0 } = before;
      expect(await meter.counted()).toEqual({ ...before, blanc_hp: blanc_hp + 2, blanc_hc: blanc_hc + 1 });
      await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
    });

    test("a meter that lacks a tariff is never sent one, counts under its other one, and its owner is told", async () => {
      await say("bleu_hp");
      const lacking = ["select.without_rouge", "select.without_other"];
      await shared.use({ lacking: ["fr/energy", { meters: lacking }] });
      await say("bleu_hc");
      await say("bleu_hp");
      await shared.home.until({ "select.without_rouge": "bleu_hp", "select.without_other": "bleu_hp" });
      const told = async () => JSON.stringify(await shared.home.ask("persistent_notification/get"));
      await expect
        .poll(told)
        .toMatch(/Il manque un tarif à ces compteurs : select.without_rouge, select.without_other/);
      await say("rouge_hp");
      await shared.home.until({ "select.without_rouge": "other", "select.without_other": "rouge_hp" });
      await say("None");
      await settle(shared);
      await shared.home.until({ "select.without_rouge": "other", "select.without_other": "rouge_hp" });
      await shared.home.call("persistent_notification", "dismiss", { notification_id: "vigie_energy" });
      await shared.use({ others: ["fr/energy", { meters: OTHERS }] });
      await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
    });

    test("one meter with the price now costs what a kWh costs when it is counted; while that is unknown, kWh wait", async () => {
      const sources = [gridWith("sensor.grid_index", "sensor.vigie_now_rate")];
      await say("bleu_hp");
      await shared.home.until({ "sensor.vigie_now_rate": "0.16" });
      await shared.home.ask("energy/save_prefs", { energy_sources: sources });
      await shared.home.until({ "sensor.grid_index_cost": /^0/ });
      await meter.rise(1);
      await cost(0.16);
      await say("rouge_hp");
      await shared.home.until({ "sensor.vigie_now_rate": "0.7" });
      await meter.rise(1);
      await cost(0.86);
      await say("None");
      await shared.home.until({ "sensor.vigie_now_rate": "unknown" });
      await meter.rise(1);
      await cost(0.86);
      await say("rouge_hc");
      await shared.home.until({ "sensor.vigie_now_rate": "0.16" });
      await meter.rise(1);
      await cost(0.86 + 2 * 0.16);
      await expectNoComplaints(shared.home, mark, [METER_RETURNS]);
    });

    test("one meter with the price now: what was used while Home Assistant was down costs the price at its start", async () => {
      await shared.home.restart(async () => {
        await say("rouge_hp");
        await meter.publishRise(1);
      });
      await meter.back();
      await shared.home.until({ "sensor.vigie_now_rate": "0.7" });
      await meter.rise(1);
      await cost(0.7 + 0.7);
      await shared.home.restart(() => meter.publishRise(1), "SIGKILL");
      await meter.back();
      await shared.home.until({ "sensor.vigie_now_rate": "0.7" });
      await meter.rise(1);
      await cost(0.7);
      await expectNoComplaints(shared.home, mark, [METER_RETURNS, LOST_ITS_POWER]);
    });
  },
);

describe.skipIf(withoutHomeAssistant)(`docs/energy.md with a real vigie ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  afterAll(async () => {
    await cleanup.run();
    // The next file finds the meters as they are without vigie.
    const { home } = await blueprintHome();
    await home.until({ [TARIFF]: "unknown_color" });
  });

  test("the meter follows a change of period, restarts of vigie and of Home Assistant, and a vigie that is gone", {
    timeout: 300_000,
  }, async () => {
    const shared = await blueprintHome();
    const { home } = shared;
    const mark = await home.mark();
    const meter = await publishMeter(shared);
    cleanup.add(meter.clear);
    const tariff = { time_zone: "UTC", laws: "off" };
    const connected = await startInHomeAssistant(cleanup, "vigie", {
      shared,
      service: await serveBleuDays(cleanup),
      tariff: { ...tariff, off_peak: [] },
      mqtt: { grace: "20s" },
    });
    await home.until({ [TARIFF]: "bleu_hp" });
    const before = await meter.counted();
    await meter.rise(1);

    const change = minuteAhead(20_000);
    await connected.configure({
      tariff: { ...tariff, off_peak: [`${clock(change)}-${clock(change + 4 * HOUR * 1000)}`] },
    });
    await pause(change - Date.now());
    await home.until({ [TARIFF]: "bleu_hc" });
    const { last_changed } = (await home.state(TARIFF)) ?? {};
    await meter.rise(2);

    await connected.restart();
    await connected.vigie().says(/^Connected to the broker/);
    await settle(shared);
    expect((await home.state(TARIFF))?.last_changed).toBe(last_changed);

    await home.restart();
    await home.until({ [TARIFF]: "bleu_hc", "sensor.vigie_now_slot": "bleu_hc" });
    await meter.back();
    await meter.rise(4);

    await connected.vigie().end("SIGKILL");
    await home.until({ [TARIFF]: "unknown_color" });
    await meter.rise(8);
    await connected.restart();
    await home.until({ [TARIFF]: "bleu_hc" });
    await meter.rise(16);

    const { bleu_hp = 0, bleu_hc = 0, unknown_color = 0 } = before;
    expect(await meter.counted()).toEqual({
      ...before,
      bleu_hp: bleu_hp + 1,
      bleu_hc: bleu_hc + 2 + 4 + 16,
      unknown_color: unknown_color + 8,
    });
    await expectNoComplaints(home, mark, [METER_RETURNS]);
  });
});

/** `sensor.grid_index`, and what Home Assistant makes of it. */
interface Meter {
  /** Waits until it is counted. */
  rise: (kWh: number) => Promise<void>;
  publishRise: (kWh: number) => Promise<void>;
  lose: () => Promise<void>;
  back: () => Promise<void>;
  counted: () => Promise<Record<string, number>>;
  costs: () => Promise<Record<string, number>>;
  clear: () => Promise<void>;
}

async function publishMeter(shared: BlueprintHome): Promise<Meter> {
  const { home } = shared;
  const device = await publishDevice(shared.observer, "grid", {
    index: {
      platform: "sensor",
      name: "index",
      state_topic: "grid/index",
      availability_topic: "grid/alive",
      device_class: "energy",
      state_class: "total_increasing",
      unit_of_measurement: "kWh",
    },
  });
  let index = 1000;
  const say = (alive: string) => device.publishValue("alive", alive);
  const publishRise = async (kWh: number) => {
    index += kWh;
    await device.publishValue("index", String(index));
  };
  const untilRead = () => home.until({ "sensor.grid_index": ({ state }) => Number(state) === index });
  const numbers = async (suffix: string) => {
    const states = await home.states();
    const pattern = new RegExp(
      `^sensor\\.house_energy_((?:unknown|bleu|blanc|rouge)_(?:color|hc|hp))${suffix}$`,
    );
    return Object.fromEntries(
      states.flatMap(({ entity_id, state }) => {
        const [, tariff] = pattern.exec(entity_id) ?? [];
        return tariff ? [[tariff, state === "unknown" ? 0 : Number(state)]] : [];
      }),
    );
  };
  await publishRise(0);
  await say("online");
  await untilRead();
  return {
    publishRise,
    rise: async (kWh) => {
      await publishRise(kWh);
      await say("online");
      await untilRead();
    },
    lose: async () => {
      await say("offline");
      await home.until({ "sensor.grid_index": "unavailable" });
    },
    back: async () => {
      await say("online");
      await untilRead();
    },
    counted: () => numbers(""),
    costs: () => numbers("_cost"),
    clear: device.clear,
  };
}

/** The entities of vigie that the page names. */
function vigieByHand(): Record<string, Component> {
  const price = { unit_of_measurement: "EUR/kWh", state_class: "measurement" };
  const simulation = fact("vigie", "select", "simulation/color", "moment", {
    command_topic: "vigie/simulation/set",
    options: ["auto", "bleu", "blanc", "rouge"],
  });
  return Object.fromEntries([
    fact("vigie", "sensor", "now/slot", "moment", { device_class: "enum", options: SLOTS }),
    fact("vigie", "binary_sensor", "now/official", "moment"),
    fact("vigie", "sensor", "now/color_until", "moment", { device_class: "timestamp" }),
    fact("vigie", "sensor", "now/period_until", "moment", { device_class: "timestamp" }),
    fact("vigie", "sensor", "now/rate", "moment", price),
    ...SLOTS.map((slot) => fact("vigie", "sensor", `prices/${slot}`, "dated", price)),
    simulation,
  ]);
}

/** Statistics begin up to five minutes later. */
async function issuesOfDashboard(home: HomeAssistant): Promise<unknown[]> {
  const found = (await home.ask("energy/validate")) as { energy_sources: { type: string }[][] };
  return found.energy_sources.flat().filter(({ type }) => type !== "statistics_not_defined");
}

/** The lines of the dashboard that the page has in its table. */
function sourcesOf(path: string): object[] {
  const rows = readPage(path).matchAll(/^\| `(sensor\.house_energy_\w+)` \| `(sensor\.\w+)` \|$/gm);
  return [...rows].map(([, energy = "", price = ""]) => gridWith(energy, price));
}

function closeTo(numbers: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, expect.closeTo(value, 6)]));
}

function instantIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, "");
}

/** The next whole minute that is at least so many milliseconds ahead. */
function minuteAhead(atLeast: number): number {
  return Math.ceil((Date.now() + atLeast) / 60_000) * 60_000;
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}
