import type { Color, IsoDate } from "../../src/calendar/tariff.ts";
import { type RunningSimulator, startSimulator } from "../../src/simulator/server.ts";
import { type FakeTime, startFakeTime } from "../support/fake-time.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { runVigie, type Yard } from "../support/vigie.ts";
import { type HomeAssistant, type HomeAssistantOptions, startHomeAssistant } from "./home-assistant.ts";

/*
 * The one Home Assistant of the suite with its broker, started by whoever asks first. A test with a vigie:
 *
 *   const house = await openVigieHome(yard, { instance: "attic", at: "2026-01-05T04:50:00Z", days: DAYS });
 *   const mark = await house.home.mark();
 *   await house.until({ "now/color": "rouge" });                        // on the broker
 *   await house.home.until({ "sensor.attic_now_color": "rouge" });      // in Home Assistant
 *   house.simulator.faults.set(["down"]);
 *   await judge(house.home, mark);
 *   afterAll(yard.clear);                                               // purges the instance, too
 *
 * Each file takes an instance of its own: no other may see its entities.
 */
export interface SharedHome {
  home: HomeAssistant;
  broker: Mosquitto;
  /** Sees all that is on the broker, and may write. */
  observer: Observer;
}

let shared: Promise<SharedHome> | undefined;

export function sharedHome(): Promise<SharedHome> {
  shared ??= openHome();
  return shared;
}

/** Another one, with settings of its own, until this process ends. */
export async function openHome(options: Omit<HomeAssistantOptions, "broker"> = {}): Promise<SharedHome> {
  const broker = await startMosquitto({ persistence: true });
  // Home Assistant ends with this process by itself.
  for (const ending of ["exit", "SIGTERM"] as const)
    process.once(ending, () => {
      void broker.remove();
      if (ending === "SIGTERM") process.exit();
    });
  const observer = await observe(broker.url, "#", 5, { reconnectPeriod: 100 });
  return { home: await startHomeAssistant({ ...options, broker: broker.port }), broker, observer };
}

export interface VigieHomeOptions {
  instance: string;
  /** What time it is for vigie and its service, and how much faster than in life it goes on (default: not). */
  at: string;
  speed?: number;
  days: ReadonlyMap<IsoDate, Color>;
  config?: Record<string, unknown>;
}

/** A vigie and a forecast service on the shared broker. */
export interface VigieHome extends House {
  home: HomeAssistant;
  simulator: RunningSimulator;
  time: FakeTime;
}

export async function openVigieHome(yard: Yard, options: VigieHomeOptions): Promise<VigieHome> {
  const { instance, at, speed = 1, days, config } = options;
  const { home, broker } = await sharedHome();
  const time = startFakeTime(at, speed);
  const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: false, days });
  yard.later(simulator.stop);
  const house = await openHouse(yard, {
    ...{ service: simulator.url, broker, time },
    config: { instance, ...config },
  });
  yard.later(async () => {
    await house.vigie.end();
    await runVigie({ folder: house.folder, args: ["purge"], env: time.env() });
  });
  return { ...house, home, simulator, time };
}
