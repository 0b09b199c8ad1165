import type { Config } from "../config/config.ts";
import { outputStatus } from "../core/outputs/output-status.ts";
import { lastSent } from "../core/outputs/outputs-state.ts";
import { type HeardValues, type KeptValues, readKeptValues } from "../core/rules/value-readings.ts";
import type { Topics } from "../core/topics/topic.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { Store } from "../state/store.ts";
import { createLoop } from "./loop.ts";
import { openLoopMemory } from "./loop-memory.ts";
import { openService } from "./open-service.ts";

interface PollOnceOptions {
  store: Store;
  log: Log;
  problemLog: ProblemLog;
  signal: AbortSignal;
  /** The values of the house, and what of them the state file should hold; null: they could not be heard. */
  heard: { values: HeardValues; kept: KeptValues } | null;
}

/** One poll of the loop, from and into the state file, and the topics that follow from it. */
export async function pollOnce(
  config: Config,
  { store, log, problemLog, signal, heard }: PollOnceOptions,
): Promise<{ topics: Topics; failures: string[] }> {
  const memory = openLoopMemory(store, {
    source: config.service.base_url,
    rules: config.rules,
    log,
    values: () => heard?.kept ?? readKeptValues(store.state().values),
  });
  const service = await openService(config.service, {
    memory: memory.client,
    log,
    clock: systemClock,
    random: Math.random,
  });
  const statuses = () =>
    config.outputs.list.map((output) =>
      outputStatus(output, {
        sent: lastSent(memory.outputs(), output.topic),
        isRefused: false,
        would_send: null,
      }),
    );
  let topics: Topics = new Map();
  const loop = createLoop({
    config,
    invented: service.invented,
    memory,
    clock: systemClock,
    ask: service.client.ask,
    publish: (wanted) => {
      topics = wanted;
    },
    // `once` sends nothing to devices: it ends, so it could not send the next payload.
    devices: { statuses, update: () => undefined },
    values: { heard: () => heard?.values ?? new Map(), isSettled: () => heard !== null },
    onDayEvent: () => undefined,
    onVerdictChange: () => undefined,
    onSwitchedBack: () => undefined,
    onRefreshed: () => undefined,
  });
  try {
    // A service that does not answer is tried again for minutes: say why as soon as it is known.
    const onRetry = (failure: string) => problemLog.starts("service", failure);
    const { failures } = await loop.poll({ signal, essential: true, recheck: true, onRetry });
    // Also where the answers said nothing new.
    loop.refresh();
    return { topics, failures };
  } finally {
    await service.stop();
    await memory.flush();
  }
}
