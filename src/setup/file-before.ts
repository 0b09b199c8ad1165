import { createHash } from "node:crypto";
import { readYaml } from "../config/yaml-text.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";

/**
 * The SHA-256 of config/vigie.yaml as vigie ships it. The file itself cannot be asked: a set-up replaces it, and the next
 * build would take what the set-up has written for the shipped file.
 */
const SHIPPED = "a47bb644c8ba5287fd61cccdb4fa2345a77144d03206780e4e2080989257884c";

/** Whether this is the file that came with vigie, as it came. Windows may have checked it out with other line ends. */
export function isShipped(text: string): boolean {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex") === SHIPPED;
}

/** The names of the devices that this configuration switches, and of its messages. One that cannot be read has none. */
export function outputsIn(text: string, language: Language): { devices: string[]; messages: string[] } {
  const outputs = listAt(readYaml(text).value, ["outputs"]);
  const isMessage = (output: unknown) => valueAt(output, ["message"]) === true;
  return {
    devices: namesOf(
      outputs.filter((output) => !isMessage(output)),
      language,
    ),
    messages: namesOf(outputs.filter(isMessage), language),
  };
}

function namesOf(outputs: readonly unknown[], language: Language): string[] {
  return outputs
    .map((output) =>
      NAMES(language)
        .map((path) => valueAt(output, path))
        .find(isText),
    )
    .filter((name) => name !== undefined);
}

/** Where an output may have a name; the first that it has counts. Not its address, which may hold a token. */
const NAMES = (language: Language) => [
  ["name", language],
  ...[["name"], ["name", "fr"], ["name", "en"]],
  ...[["id"], ["topic"]],
];

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
