import { type ConfigFile, readText } from "./read-config.ts";
import type { ScriptEvent } from "./scenario.ts";

/**
 * What is wrong with a file as its owner saves it. `half`: its first half, which may be a configuration of its own. `empty`: an editor
 * that empties a file before it writes it. An option, a value or a rule that is not known; `tab`: no YAML.
 */
export type WrongEdit = "half" | "empty" | "option" | "value" | "rule" | "tab";

/** The file that each edit of this kind writes. `files`: those without a mistake. */
export async function readWrongEdits(
  events: readonly ScriptEvent[],
  files: readonly ConfigFile[],
): Promise<ReadonlyMap<ScriptEvent, ConfigFile>> {
  const found = new Map<ScriptEvent, ConfigFile>();
  for (const event of events) {
    const wrong = event.kind === "edit" ? event.wrong : undefined;
    if (event.kind !== "edit" || wrong === undefined) continue;
    const { yaml } = files[event.config] ?? files[0]!;
    found.set(event, { ...(await readText(spoil(yaml, wrong))), wrong });
  }
  return found;
}

function spoil(yaml: string, wrong: WrongEdit): string {
  switch (wrong) {
    case "half":
      return yaml.slice(0, yaml.length / 2);
    case "empty":
      return "";
    case "option":
      return `${yaml}\nbroker: mqtt://192.0.2.1\n`;
    case "value":
      return yaml
        .replace(/^mqtt:\n/m, "mqtt:\n  grace: soon\n")
        .replace(/^( {2}grace: soon\n(?:.*\n)*?) {2}grace: .*\n/m, "$1");
    case "rule":
      return yaml.replace(
        /^rules:( \[\])?\n/m,
        "rules:\n  - id: wrong\n    when: { day: today, color: green }\n",
      );
    case "tab":
      return `${yaml}\n\tpage:\n`;
  }
}
