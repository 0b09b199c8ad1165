import { setTimeout as pause } from "node:timers/promises";
import { type Mosquitto, type MosquittoOptions, startMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { type TopicValues, watchTopicValues } from "../support/topic-values.ts";
import type { Cleanup } from "../support/vigie.ts";
import { type Container, type ContainerOptions, openTree, startContainer } from "./container.ts";

interface RunningContainerOptions extends Partial<ContainerOptions> {
  /** A broker that several containers share. */
  broker?: Mosquitto;
  /** The options of the broker that is started otherwise. */
  mosquitto?: MosquittoOptions;
  /** User and password of the observer, if the broker needs them. */
  credentials?: string;
}

/** A container with two variables and no file, its broker, and an observer of its topics. */
export interface RunningContainer extends TopicValues {
  broker: Mosquitto;
  observer: Observer;
  container: Container;
  /** What it was started with. */
  options: ContainerOptions;
}

export async function startContainerAndBroker(
  cleanup: Cleanup,
  { broker: given, mosquitto, credentials = "", ...more }: RunningContainerOptions = {},
): Promise<RunningContainer> {
  const broker = given ?? (await startMosquitto(mosquitto));
  if (!given) cleanup.add(broker.remove);
  const observer = await observe(broker.url.replace("://", `://${credentials}`), "vigie/#", 5, {
    reconnectPeriod: 100,
  });
  cleanup.add(observer.disconnect);
  const options = {
    ...more,
    tree: more.tree ?? (await openTree(cleanup)),
    env: {
      VIGIE_SERVICE_BASE_URL: await serveBleuDays(cleanup),
      VIGIE_MQTT_URL: broker.url,
      ...more.env,
    },
  };
  const container = await startContainer(cleanup, options);
  return { broker, observer, container, options, ...watchTopicValues(observer, "vigie", container.output) };
}

/** Topics and values of a vigie that works. */
export const WHOLE = { availability: "online", "service/status": "ok", "now/color": /^(bleu|blanc|rouge)$/ };

/** Asks for the health until its exit code is this one: what it tells may be some seconds old. Returns all answers. */
export async function untilHealth(
  { container }: Pick<RunningContainer, "container">,
  wanted: number,
  every = 100,
) {
  const answers: { code: number; words: string }[] = [];
  const end = Date.now() + 130_000;
  for (;;) {
    const answer = await container.health();
    answers.push(answer);
    if (answer.code === wanted) return answers;
    if (Date.now() > end)
      throw new Error(`Health stays ${answer.code}: ${answer.words}\n${container.output()}`);
    await pause(every);
  }
}
