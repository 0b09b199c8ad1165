import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HomeAssistantOptions } from "./home-assistant.ts";

/** What Home Assistant needs to be judged, and nothing that looks for the internet. Returns the port. */
export async function writeConfiguration(
  folder: string,
  port: number,
  { lines = [], files = {}, timeZone = "Europe/Paris" }: HomeAssistantOptions,
): Promise<number> {
  const home = {
    name: "House",
    latitude: 48.85,
    longitude: 2.35,
    elevation: 35,
    unit_system: "metric",
    currency: "EUR",
    country: "FR",
    language: "en",
    time_zone: timeZone,
  };
  const configuration = [
    "homeassistant:",
    "  packages: !include_dir_named packages",
    ...Object.entries(home).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
    `http: {server_host: 127.0.0.1, server_port: ${port}}`,
    ...["api", "config", "onboarding", "frontend", "energy", "history", "calendar"].map((name) => `${name}:`),
    "recorder: {commit_interval: 1}",
    "system_log: {fire_event: true, max_entries: 500}",
    "logger: {default: warning, logs: {homeassistant.components.mqtt: info}}",
    ...lines,
  ];
  const all = { ...files, "configuration.yaml": `${configuration.join("\n")}\n` };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return port;
}
