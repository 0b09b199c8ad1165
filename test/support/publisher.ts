import type { MqttConfig } from "../../src/config/config.ts";
import type { Topic, Topics } from "../../src/core/topics/topic.ts";
import type { Identity } from "../../src/mqtt/owner.ts";
import { createPublisher, type Publisher, type PublisherOptions } from "../../src/mqtt/publisher.ts";
import type { Command } from "../../src/mqtt/read-command.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
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
    installation: `running-${name}`,
    incarnation: `run-${name}`,
    previousIncarnation,
    host: `host-${name}`,
    version: "1.0.0",
    since: 0,
  };
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
    onCommand: (topic, command) => commands.push([topic, command]),
    onOtherOwner: ({ incarnation }) => {
      yielded = true;
      yieldTo(incarnation);
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
