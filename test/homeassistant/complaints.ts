import { expect } from "vitest";
import { type HomeAssistant, MARKER } from "./home-assistant.ts";
import type { LogLine } from "./process.ts";

/** Checks that Home Assistant has logged no warning and no error since a mark, and shows no repair. */
export async function expectNoComplaints(
  home: HomeAssistant,
  since: number,
  allowed: readonly RegExp[] = [],
): Promise<void> {
  expect(await complaints(home, since, allowed)).toEqual([]);
  const repairs = await home.repairs();
  expect(repairs.filter((issue) => !NOT_OURS.includes(String(issue["translation_key"])))).toEqual([]);
}

/** The warnings and errors of Home Assistant since a mark, without those that each Home Assistant logs. */
export async function complaints(
  home: HomeAssistant,
  since: number,
  allowed: readonly RegExp[] = [],
): Promise<string[]> {
  const end = await home.mark();
  const ours = ({ level, logger, text }: LogLine) =>
    ["WARNING", "ERROR", "CRITICAL"].includes(level) &&
    logger !== MARKER &&
    ![...ANY_START, ...allowed].some((words) => words.test(`${logger} ${text}`));
  return home.lines
    .slice(since, end)
    .filter(ours)
    .map(({ level, text }) => `${level} ${text}`);
}

/** Not ours: of optional packages, and of other integrations that lack theirs where only some were installed. */
const ANY_START = [
  ...[/zlib_ng/, /ffmpeg/i, /turbojpeg/i, /\bpip\b/, /assist_pipeline/],
  /^homeassistant\.setup (?!.*mqtt)(Setup failed|Unable to set up dependencies)/,
];
/** Of the configuration that the tests give it. */
const NOT_OURS = ["deprecated_method", "deprecated_yaml", "yaml_still_present_after_migration"];
/** Its own words when its broker is gone. */
export const BROKER_LOST =
  /The connection was lost|Error returned from MQTT server|Unable to connect to the MQTT broker|failed to receive on socket|No ACK from MQTT server|The client is not currently connected/;
