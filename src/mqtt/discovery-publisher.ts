import type { DeviceDescription, DiscoveryPlace } from "../core/discovery/describe-device.ts";
import { writeMessages } from "../core/discovery/discovery-messages.ts";
import {
  discoveryFilters,
  type FoundMessages,
  NO_MESSAGES,
  readFoundMessages,
} from "../core/discovery/found-messages.ts";
import { migrateDiscovery, removeAll, type Step } from "../core/discovery/migrate-discovery.ts";
import type { HomeAssistantEvent } from "../core/loop/event.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { aborted, settleable, sleep } from "../runtime/wait.ts";
import type { BrokerLink } from "./base-connection.ts";
import { BrokerError, ConnectionLost, PublishRefused } from "./broker-errors.ts";
import type { ConnectionUser } from "./owner-connection.ts";
import type { Publisher } from "./publisher.ts";

export interface DiscoveryOptions {
  description: DeviceDescription;
  /** Where Home Assistant publishes `online` when it has started. */
  status_topic: string;
  publisher: Pick<Publisher, "pauseClearing" | "republishAll" | "allAcknowledged">;
  /** This process published discovery messages before, maybe moments ago. */
  homeAssistantMayKnowDevice: boolean;
  random: () => number;
  problemLog: ProblemLog;
  post: (event: HomeAssistantEvent) => void;
}

/** Publishes the discovery messages, over the publisher's connection. */
export interface DiscoveryPublisher extends ConnectionUser {
  /** Resolves when the broker holds every discovery message, or when stopped. */
  allPublished: () => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * On each connection: looks which discovery messages the broker holds, and sends what makes them those that it should
 * hold. Until it has tried that, no topic is cleared: an entity whose topic is cleared before it is removed would show a
 * wrong value. Where the broker refuses the messages, topics are cleared all the same, so that no old value stays.
 */
export function startDiscovery(options: DiscoveryOptions): DiscoveryPublisher {
  const { description, status_topic, publisher, random, post } = options;
  const stopping = new AbortController();
  const resumeClearing = publisher.pauseClearing();
  const allPublished = settleable();
  /** Whether the broker holds every discovery message then. */
  let updating = Promise.resolve(false);
  let { homeAssistantMayKnowDevice } = options;
  /** The connection over which the update is finished. */
  let updated: { link: BrokerLink; signal: AbortSignal; isAnswering: boolean } | undefined;
  let homeAssistantStarted = false;

  const connected = async (link: BrokerLink) => {
    void link.closed.then(() => post({ kind: "home assistant", status: null }));
    const signal = AbortSignal.any([closeSignal(link), stopping.signal]);
    await updating;
    // A frozen broker never acknowledges: `stop` and the next connection must not wait for it.
    const update = updateDiscovery(link, signal, { ...options, homeAssistantMayKnowDevice });
    updating = Promise.race([update, aborted(signal).then(() => false)]);
    homeAssistantMayKnowDevice = true;
    const areAllPublished = await updating;
    if (signal.aborted) return;
    resumeClearing();
    if (areAllPublished) allPublished.settle();
    updated = { link, signal, isAnswering: false };
    answerStart();
  };

  /**
   * Home Assistant has started: after a pause everything is published again. The pause is random, so that not all
   * programs on the broker publish in the same instant.
   */
  const answerStart = () => {
    if (!updated || updated.isAnswering || !homeAssistantStarted) return;
    const connection = updated;
    const { link, signal } = connection;
    connection.isAnswering = true;
    const answer = async () => {
      await sleep(SHORTEST_START_PAUSE + random() * START_PAUSE_SPREAD, signal);
      homeAssistantStarted = false;
      connection.isAnswering = false;
      publisher.republishAll();
      await sendStep(link, writeMessages(description));
    };
    answer().catch((error: unknown) => {
      // The next connection sends everything anyway, and a refusal was logged when the message was first sent.
      if (!(signal.aborted || error instanceof ConnectionLost || error instanceof PublishRefused))
        throw error;
    });
  };

  return {
    connected: (link) => void connected(link),
    take: ({ topic, payload, retain }) => {
      if (topic === status_topic && (payload === "online" || payload === "offline"))
        post({ kind: "home assistant", status: payload });
      // Ignore a retained `online`: it is not a new start.
      if (topic !== status_topic || payload !== "online" || retain) return;
      homeAssistantStarted = true;
      answerStart();
    },
    allPublished: () => allPublished.promise,
    stop: async () => {
      stopping.abort();
      await updating;
      allPublished.settle();
    },
  };
}

/** Brings the discovery messages on the broker up to date; false when not all of them could be published, or when aborted. */
async function updateDiscovery(
  link: BrokerLink,
  signal: AbortSignal,
  options: DiscoveryOptions,
): Promise<boolean> {
  const { description, publisher, homeAssistantMayKnowDevice, problemLog } = options;
  try {
    const found = await readOrAssumeNone(link, signal, options);
    // Wait until the topics are on the broker, so that a new entity has a state at once.
    await Promise.race([publisher.allAcknowledged(), aborted(signal)]);
    const steps = migrateDiscovery(found, description, link.version === 5);
    const isKnown = homeAssistantMayKnowDevice || found.device !== null || found.singles.length > 0;
    await sendSteps(link, steps, { signal, pauseBefore: isKnown, pauseAfter: isKnown });
    problemLog.isOver("discovery", "Every discovery message is published");
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof BrokerError)) throw error;
    problemLog.starts(
      "discovery",
      `Not every discovery message is published, so entities of Home Assistant may be missing or out of date: ${error.message}`,
    );
    return false;
  }
}

async function readOrAssumeNone(
  link: BrokerLink,
  signal: AbortSignal,
  { description, status_topic, problemLog }: DiscoveryOptions,
): Promise<FoundMessages> {
  try {
    if (description.mode !== "off") await link.subscribe(status_topic);
    const found = await readDiscovery(link, description.place);
    problemLog.isOver("read discovery", "vigie can read the discovery messages on the broker again");
    return found;
  } catch (error) {
    if (signal.aborted || !(error instanceof BrokerError)) throw error;
    problemLog.starts(
      "read discovery",
      `vigie cannot read the discovery messages on the broker, so an entity that is no longer wanted may stay in Home Assistant: ${error.message}`,
    );
    return NO_MESSAGES;
  }
}

/**
 * Clears the discovery messages at these places, and gives Home Assistant the time to remove the entities. `pauseBefore`:
 * a message was perhaps just sent. Resolves with the topics that were cleared.
 */
export async function removeDiscovery(
  link: BrokerLink,
  places: readonly DiscoveryPlace[],
  { signal, pauseBefore }: { signal: AbortSignal; pauseBefore: boolean },
): Promise<string[]> {
  const removeAt = async (place: DiscoveryPlace) => {
    const steps = removeAll(await readDiscovery(link, place), place);
    await sendSteps(link, steps, { signal, pauseBefore, pauseAfter: true });
    return steps.flat().map(({ topic }) => topic);
  };
  return (await Promise.all(places.map(removeAt))).flat();
}

async function readDiscovery(link: BrokerLink, place: DiscoveryPlace): Promise<FoundMessages> {
  return readFoundMessages(await link.readRetained(discoveryFilters(place)), place);
}

interface Pauses {
  signal: AbortSignal;
  /** Home Assistant got a message before, and may still be working on it. */
  pauseBefore: boolean;
  /** Whatever is sent next has to wait until Home Assistant is done with these. */
  pauseAfter: boolean;
}

/** Home Assistant loses entities when it gets two different messages about one device in quick succession. */
async function sendSteps(
  link: BrokerLink,
  steps: readonly Step[],
  { signal, pauseBefore, pauseAfter }: Pauses,
): Promise<void> {
  if (pauseBefore && steps.length > 0) await sleep(PAUSE, signal);
  for (const [index, step] of steps.entries()) {
    signal.throwIfAborted();
    await sendStep(link, step);
    if (pauseAfter || index < steps.length - 1) await sleep(PAUSE, signal);
  }
}

async function sendStep(link: BrokerLink, step: Step): Promise<void> {
  await Promise.all(step.map((message) => link.publish({ ...message, retain: true })));
}

function closeSignal(link: BrokerLink): AbortSignal {
  const closed = new AbortController();
  void link.closed.then(() => closed.abort());
  return closed.signal;
}

const PAUSE = 2_500;
const SHORTEST_START_PAUSE = 2_000;
const START_PAUSE_SPREAD = 8_000;
