import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `commands`: what the commands of an owner print. */
export type Which = "data" | "words" | "commands";

const FOLDER = fileURLToPath(new URL("kept", import.meta.url));

/** What was kept of a scene; empty if nothing was. */
export function readKept(title: string, which: Which): string {
  const file = join(FOLDER, fileOf(title, which));
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

export function keep(title: string, which: Which, text: string): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, fileOf(title, which)), text);
}

export function listKept(): string[] {
  return readdirSync(FOLDER).toSorted();
}

export function fileOf(title: string, which: Which): string {
  return `${title.replaceAll(/\W+/g, "-")}.${which}.txt`;
}
