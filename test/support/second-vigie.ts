import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { answerDays } from "./plain-days.ts";
import { startPlainService } from "./plain-service.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "./running-vigie.ts";
import type { Cleanup } from "./vigie.ts";

/**
 * A vigie that owns the base topic, and what a second one on the same broker has: with a device over HTTP that is told something
 * whatever the day is.
 */
export async function startBesideAnother(cleanup: Cleanup) {
  const service = await serveBleuDays(cleanup);
  const first = await startVigieAndBroker(cleanup, { service });
  await first.until({ availability: "online", "service/status": "ok" });
  const device = await startPlainService(() => ({ body: "ok" }));
  cleanup.add(device.stop);
  // A start waits up to 15 s for the first answer before it sends anything to a device.
  const asked = await startPlainService((path) => answerDays(path, Date.now(), { colors: {} }));
  cleanup.add(asked.stop);
  const folder = await cleanup.createFolder();
  const config = (broker: string, grace = "10m") =>
    vigieConfig(asked.url, broker, {
      mqtt: { url: broker, grace },
      rules: [{ id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } }],
      outputs: [{ id: "heater", url: `${device.url}/off`, choose: [{ when: "always", payload: "off" }] }],
    });
  const state = async () => JSON.parse(await readFile(join(folder, "state/state.json"), "utf8"));
  return { first, device, asked, folder, config, state };
}
