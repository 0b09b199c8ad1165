import { type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { type HomeAssistant, startHomeAssistant } from "./home-assistant.ts";

/*
 * The one Home Assistant of the suite with its broker, started by whoever asks first. A test with a vigie:
 *
 *   const { home, broker } = await sharedHome();
 *   const mark = await home.mark();
 *   const house = await openHouse(yard, { service: plain.url, broker, config: { instance: "attic" } });
 *   await home.until({ "sensor.attic_now_color": "rouge" });
 *   await judge(home, mark);
 *
 * Each file takes an instance of its own, and clears it from the broker when it is done (`vigie purge`).
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

async function openHome(): Promise<SharedHome> {
  const broker = await startMosquitto({ persistence: true });
  // Home Assistant ends with this process by itself.
  for (const ending of ["exit", "SIGTERM"] as const)
    process.once(ending, () => {
      void broker.remove();
      if (ending === "SIGTERM") process.exit();
    });
  const observer = await observe(broker.url, "#", 5, { reconnectPeriod: 100 });
  return { home: await startHomeAssistant({ broker: broker.port }), broker, observer };
}
