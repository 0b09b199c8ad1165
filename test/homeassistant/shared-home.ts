import { type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { type HomeAssistant, type HomeAssistantOptions, startHomeAssistant } from "./home-assistant.ts";

/*
 * A Home Assistant with its broker. Most files share one, started by whoever asks first; the blueprints share another
 * (blueprints.ts). A test with a vigie:
 *
 *   const connected = await startInHomeAssistant(cleanup, "attic");          // vigie-in-home-assistant.ts
 *   const mark = await connected.home.mark();
 *   await connected.running.until({ "now/color": "rouge" });                 // on the broker
 *   await connected.home.until({ "sensor.attic_now_color": "rouge" });       // in Home Assistant
 *   await expectNoComplaints(connected.home, mark);
 *   afterAll(cleanup.run);                                                   // purges the instance, too
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
  const broker = await startMosquitto({ persistence: "at its end" });
  // Home Assistant ends with this process by itself.
  for (const ending of ["exit", "SIGTERM"] as const)
    process.once(ending, () => {
      void broker.remove();
      if (ending === "SIGTERM") process.exit();
    });
  const observer = await observe(broker.url, "#", 5, { reconnectPeriod: 100 });
  return { home: await startHomeAssistant({ ...options, broker: broker.port }), broker, observer };
}
