import { HOUSE } from "../found/shared.ts";
import type { OutputText, RuleText, Scenario } from "../scenario.ts";

/** A scripted household. What is seen of it at each `look` of its script is kept as text. */
export interface Scene {
  /** What it is about; the names of its files follow from it. */
  title: string;
  scenario: Scenario;
  /** The views that are kept, too, beside topics, pages and `/health`. */
  shows?: readonly ("calendar" | "discovery" | "elements" | "first look" | "metrics" | "state")[];
  /** The name of a look: what an owner types then, without `vigie`. */
  commands?: Readonly<Record<string, readonly string[]>>;
}

export { HOUSE };

export const ROUGE_PEAK: RuleText = {
  id: "rouge_peak",
  when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
};
/** A relay that confirms nothing. */
export const BOILER: OutputText = {
  id: "boiler",
  topic: "boiler/set",
  choose: [{ when: "rouge_peak", payload: "off" }],
  else: "on",
};

/** `name`: what is to be seen then. */
export function look(name: string) {
  return { kind: "look", name } as const;
}
