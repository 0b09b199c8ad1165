import type { Config } from "../config/config.ts";
import type { Topics } from "../core/topics/topic.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { VERSION } from "../runtime/version.ts";
import { isOfficialSilent } from "../service/client-memory.ts";
import { createServiceClient } from "../service/service-client.ts";
import { openAddress } from "../simulator/address.ts";
import type { Store } from "../state/store.ts";
import { createCycle } from "./cycle.ts";
import { openRulebook } from "./rulebook.ts";
import { openSource } from "./source-memory.ts";

/** One poll from and into the state file, and the topics that follow from it. */
export async function pollOnce(
  config: Config,
  { store, log, signal }: { store: Store; log: Log; signal: AbortSignal },
): Promise<{ topics: Topics; failures: string[] }> {
  const { service } = config;
  const address = await openAddress(service, systemClock);
  const source = openSource(store, service.base_url);
  const client = createServiceClient({
    config: service,
    base: address.base,
    version: VERSION,
    memory: source.client,
    log,
    clock: systemClock,
    random: Math.random,
  });
  let topics: Topics = new Map();
  const cycle = createCycle({
    tariff: config.tariff,
    late_after: service.late_after,
    check_clock: service.check_clock,
    grace: config.mqtt.grace,
    simulated: address.simulated,
    memory: source.recall(),
    clock: systemClock,
    rulebook: openRulebook({
      rules: config.rules,
      tariff: config.tariff,
      grace: config.mqtt.grace,
      store,
      log,
      turned: () => undefined,
    }),
    // Devices hear of nothing: only one who stays can tell them when it is over.
    outputs: { hasProblem: () => false, follow: () => undefined },
    ask: client.ask,
    officialSilent: (now) => isOfficialSilent(source.client.get(), now),
    want: (wanted) => {
      topics = wanted;
    },
    keep: source.keep,
    notice: () => undefined,
  });
  try {
    const { failures } = await cycle.poll({ signal, essential: true, confirm: true });
    // Also where the answers said nothing new.
    cycle.refresh();
    return { topics, failures };
  } finally {
    source.save();
    await client.close();
    await address.stop();
  }
}
