import { type Holdings, watchHoldings } from "../support/holdings.ts";
import { serveDays } from "../support/house.ts";
import { type Mosquitto, type MosquittoOptions, startMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import type { Yard } from "../support/vigie.ts";
import { type Container, type ContainerOptions, openTree, startContainer } from "./container.ts";

export interface HouseOptions extends Partial<ContainerOptions> {
  /** One that others use, too. */
  broker?: Mosquitto;
  /** How the house's own broker is set up. */
  mosquitto?: MosquittoOptions;
  /** How an onlooker gets in, where not everybody does. */
  credentials?: string;
}

/** A broker, who looks at it, and a container with two variables and no file. */
export interface ContainerHouse extends Holdings {
  broker: Mosquitto;
  observer: Observer;
  container: Container;
  /** What it was started with. */
  options: ContainerOptions;
}

export async function openContainerHouse(
  yard: Yard,
  { broker: given, mosquitto, credentials = "", ...more }: HouseOptions = {},
): Promise<ContainerHouse> {
  const broker = given ?? (await startMosquitto(mosquitto));
  if (!given) yard.later(broker.remove);
  const observer = await observe(broker.url.replace("://", `://${credentials}`), "vigie/#", 5, {
    reconnectPeriod: 100,
  });
  yard.later(observer.leave);
  const options = {
    ...more,
    tree: more.tree ?? (await openTree(yard)),
    env: { VIGIE_SERVICE_BASE_URL: await serveDays(yard), VIGIE_MQTT_URL: broker.url, ...more.env },
  };
  const container = await startContainer(yard, options);
  return { broker, observer, container, options, ...watchHoldings(observer, "vigie", container.output) };
}

/** All that a house needs to go by. */
export const WHOLE = { availability: "online", "service/status": "ok", "now/color": /^(bleu|blanc|rouge)$/ };
