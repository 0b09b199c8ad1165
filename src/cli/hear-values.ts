import type { Config, MqttConfig } from "../config/config.ts";
import type { ValuesEvent } from "../core/loop/event.ts";
import { type Rule, topicsOfRules } from "../core/rules/rule.ts";
import { type HeardValues, type KeptValues, readKeptValues } from "../core/rules/value-readings.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import { openShortConnection, type ShortConnection } from "../mqtt/short-connection.ts";
import { createValueListener } from "../mqtt/value-listener.ts";
import { systemClock } from "../runtime/clock.ts";
import { atMost, deadline, settleable } from "../runtime/wait.ts";
import type { State } from "../state/state.ts";
import type { Io } from "./io.ts";
import { openLogs } from "./open-logs.ts";

interface HearOptions {
  config: Pick<Config, "instance" | "rules" | "mqtt" | "tariff">;
  broker: MqttConfig;
  state: Pick<State, "values"> | undefined;
  signal: AbortSignal;
  /** Reads also what the running vigie has published: of a value that is not retained only that one can know. */
  withPublished: boolean;
}

/** What was heard, and what of it the state file should hold. */
export interface Heard {
  values: HeardValues;
  kept: KeptValues;
  /**
   * What the running vigie has published, by topic below the base topic; empty where all values were heard, where it is not
   * asked for, and where the broker does not tell it.
   */
  published: ReadonlyMap<string, string>;
}

/**
 * Listens to the topics of rules until each was heard, or for 2 s: long enough for what the broker holds. Rejects where
 * the broker cannot be reached.
 */
export async function hearValues(options: HearOptions): Promise<Heard> {
  const { config, broker, state, signal, withPublished } = options;
  const topics = topicsOfRules(config.rules);
  const kept = readKeptValues(state?.values);
  if (topics.length === 0) return { values: new Map(), kept: {}, published: new Map() };
  const allHeard = settleable();
  let newest: Pick<ValuesEvent, "heard" | "kept"> = { heard: new Map(), kept };
  const listener = createValueListener({
    topics,
    kept,
    clock: systemClock,
    problemLog: openLogs(config).problemLog,
    post: (event) => {
      newest = event;
      if (event.heard.size === topics.length) allHeard.settle();
    },
  });
  const connecting = deadline(CONNECT_LIMIT, signal, () => new BrokerError(NO_ANSWER));
  try {
    const visit = await openShortConnection({
      broker,
      instance: config.instance,
      random: Math.random,
      signal: connecting.signal,
      post: listener.take,
    });
    try {
      listener.connected(visit.link);
      await atMost(allHeard.promise, LISTEN_LIMIT);
      const isMissing = newest.heard.size < topics.length;
      const published = withPublished && isMissing ? await readPublished(visit) : new Map();
      return { values: newest.heard, kept: newest.kept, published };
    } finally {
      await visit.close();
    }
  } finally {
    connecting.clear();
    listener.stop();
  }
}

/** It only adds to what was heard: where this user may not read it, `tellUnheard` names what is not known. */
async function readPublished(visit: ShortConnection): Promise<Map<string, string>> {
  return visit.read().catch((error: unknown) => {
    if (!(error instanceof BrokerError)) throw error;
    return new Map();
  });
}

export function tellUnheard(rules: readonly Rule[], heard: HeardValues, { stderr }: Io): void {
  const missing = topicsOfRules(rules).filter((topic) => !heard.has(topic));
  if (missing.length === 0) return;
  stderr.write(
    `vigie: the broker holds no value on ${missing.join(", ")}: a value that is not retained this command cannot know. The running vigie may, and decide otherwise: vigie show has its verdicts\n`,
  );
}

const CONNECT_LIMIT = 10_000;
const LISTEN_LIMIT = 2_000;
const NO_ANSWER = `the broker has not answered within ${CONNECT_LIMIT / 1000} s`;
