import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { removeDiscovery } from "../mqtt/discovery-publisher.ts";
import { nameOwner } from "../mqtt/owner.ts";
import { purgeAll } from "../mqtt/purge.ts";
import { systemClock } from "../runtime/clock.ts";
import { toExitCode, Yielded } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie purge`: clears everything of an instance from the broker. */
export function purge(args: string[], io: Io): Promise<number> {
  return toExitCode("purge", io, async () => {
    const { values } = readArgs({ args, options: OPTIONS });
    const { config } = await loadConfig({
      file: values.config,
      env: io.env,
      cwd: io.cwd,
      signal: io.signal,
      overrides: values.instance === undefined ? {} : { instance: values.instance },
    });
    await purgeInstance(config, io);
  });
}

const OPTIONS = { config: { type: "string" }, instance: { type: "string" } } as const;

async function purgeInstance(
  { mqtt, instance, tariff, homeassistant: { prefix } }: Config,
  { stderr, signal }: Io,
): Promise<void> {
  if (mqtt.url === "embedded") {
    throw new WrongUsage(
      "Expected mqtt.url to be the address of a broker, got embedded: the embedded broker keeps nothing after vigie has stopped",
    );
  }
  const result = await purgeAll({
    broker: mqtt,
    instance,
    clock: systemClock,
    log: { warn: (sentence) => stderr.write(`vigie: ${sentence}\n`) },
    random: Math.random,
    signal,
    clearDiscovery: (link) => removeDiscovery(link, [{ prefix, instance }], { signal, pauseBefore: false }),
  });
  if ("living" in result) {
    throw new Yielded(
      `${nameOwner(result.living, systemClock.now(), tariff.time_zone)} publishes below ${mqtt.base_topic}: stop it first, then purge`,
    );
  }
  const { length } = result.cleared;
  const what = length === 1 ? "1 topic" : `${length} topics`;
  stderr.write(
    length === 0
      ? `There is nothing of ${instance} below ${mqtt.base_topic} and ${prefix}\n`
      : `Cleared ${what} below ${mqtt.base_topic} and ${prefix}\n`,
  );
}
