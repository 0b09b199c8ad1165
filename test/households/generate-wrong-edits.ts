import type { Draw } from "./draw.ts";
import type { ScriptEvent } from "./scenario.ts";
import type { WrongEdit } from "./wrong-edits.ts";

/**
 * The owner saves a configuration with a mistake, or half of it, and the right one later; vigie may have been stopped meanwhile, and its
 * supervisor starts it in vain. Returns how many seconds it takes.
 */
export function editWrongly(
  { one, chance, whole }: Draw,
  events: ScriptEvent[],
  at: number,
  config: number,
): number {
  const wrong = one<WrongEdit>(["half", "half", "empty", "option", "value", "rule", "tab"]);
  events.push({ at, kind: "edit", config, wrong });
  // A vigie that starts with the half of its file may have other topics and outputs, or another broker.
  const stays = wrong === "half" || wrong === "empty" || chance(0.5);
  if (stays) {
    const mended = one([1, 2, 10, 60, 600]);
    events.push({ at: at + mended, kind: "edit", config });
    return mended + 10;
  }
  const gone = whole(1, 120);
  events.push({ at: at + gone, kind: one(["stop", "kill"]), steps: 0 } as ScriptEvent);
  for (const after of [10, 20, 30]) events.push({ at: at + gone + after, kind: "start" });
  events.push({ at: at + gone + 40, kind: "edit", config }, { at: at + gone + 50, kind: "start" });
  return gone + 60;
}
