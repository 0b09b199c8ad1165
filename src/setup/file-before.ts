import { createHash } from "node:crypto";
import { readYaml } from "../config/yaml-text.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import type { Language } from "./words.ts";

/**
 * The SHA-256 of config/vigie.yaml as vigie ships it. The file itself cannot be asked: a set-up replaces it, and the next
 * build would take what the set-up has written for the shipped file.
 */
const SHIPPED = "ba0097965f62c949271bbdcefce318161f67ae91e1ff31aabe4ec56c933d0103";

/** Whether this is the file that came with vigie, as it came. Windows may have checked it out with other line ends. */
export function isShipped(text: string): boolean {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex") === SHIPPED;
}

/** The names of the devices that this configuration switches. One that cannot be read switches none. */
export function devicesIn(text: string, language: Language): string[] {
  const outputs = listAt(readYaml(text).value, ["outputs"]);
  return outputs
    .filter((output) => valueAt(output, ["message"]) !== true)
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
