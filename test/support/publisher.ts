import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { MqttConfig } from "../../src/config/config.ts";
import type { Command } from "../../src/core/loop/command.ts";
import type { Owner, Topic, Topics } from "../../src/core/topics/topic.ts";
import { type Identity, ownerOf } from "../../src/mqtt/owner.ts";
import { createPublisher, type Publisher, type PublisherOptions } from "../../src/mqtt/publisher.ts";
import { openShortConnection } from "../../src/mqtt/short-connection.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { logTo } from "./logs.ts";

interface Kept {
  publisher: Publisher;
  lines: string[];
  /** Each with the topic on which it arrived. */
  commands: [string, Command][];
  /** The owner to which it yielded. */
  yielded: Promise<string>;
  hasYielded: () => boolean;
}

export function brokerAt(url: string, more: Partial<MqttConfig> = {}): MqttConfig {
  return { url, base_topic: "vigie", grace: 600_000, tls: { verify: true }, ...more };
}

export function identity(name: string, previousIncarnation: string | null = null): Identity {
  return {
    installation: `running${name}`.padEnd(12, "0"),
    incarnation: `run-${name}`,
    previousIncarnation,
    host: `host-${name}`,
    version: "1.0.0",
    since: 0,
  };
}

/** What the vigie with this name writes to `owner`. */
export function ownerNamed(name: string): Owner {
  return ownerOf(identity(name), "vigie");
}

/** Another program that answers each ping below the base topic as this owner. Returns how to end it. */
export async function answerPingsAs(
  owner: Owner,
  url: string,
  base_topic: string,
): Promise<() => Promise<void>> {
  const { subscribeToOwner, listen, publish, close } = await openShortConnection({
    broker: brokerAt(url, { base_topic }),
    instance: "vigie",
    random: Math.random,
    signal: new AbortController().signal,
  });
  listen(({ topic }) => {
    if (topic !== "owner/ping") return;
    publish({ topic: "owner/pong", payload: JSON.stringify(owner), retain: false }).catch(() => undefined);
  });
  await subscribeToOwner();
  return () => close();
}

/** A publisher with its log, commands and yielding kept. */
export function keepPublishing(
  url: string,
  options: Partial<Omit<PublisherOptions, "broker">> & {
    broker?: Partial<MqttConfig>;
    name?: string;
    /** False: the test calls `connect`. Else it connects when its first topics are set. */
    connected?: boolean;
  } = {},
): Kept {
  const lines: string[] = [];
  const log = logTo(lines);
  const commands: Kept["commands"] = [];
  let yielded = false;
  let yieldTo: (incarnation: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => {
    yieldTo = resolve;
  });
  const { broker, name = "a", connected = true, ...rest } = options;
  const publisher = createPublisher({
    instance: "vigie",
    identity: identity(name),
    clock: systemClock,
    log,
    problemLog: createProblemLog(log, systemClock),
    random: Math.random,
    takeOver: false,
    ...rest,
    broker: brokerAt(url, broker),
    post: (event) => {
      if (event.kind === "commands")
        for (const { topic, command } of event.commands) commands.push([topic, command]);
      const other = event.kind === "broker" ? event.state.other_owner : undefined;
      if (!other) return;
      yielded = true;
      yieldTo(other.incarnation);
    },
  });
  const setTopics: Publisher["setTopics"] = (newest) => {
    publisher.setTopics(newest);
    if (connected) publisher.connect();
  };
  return {
    publisher: { ...publisher, setTopics },
    lines,
    commands,
    yielded: promise,
    hasYielded: () => yielded,
  };
}

export function topics(payloads: Record<string, string | Topic>): Topics {
  return new Map(
    Object.entries(payloads).map(([name, value]) => [
      name,
      typeof value === "string" ? { payload: value } : value,
    ]),
  );
}
