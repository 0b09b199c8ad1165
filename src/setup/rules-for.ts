import { RULE_TEMPLATES, type WrittenOutput } from "../config/device-templates.ts";
import { MESSAGE_RULE, type WrittenMessage } from "../config/message-templates.ts";

/** A device, or a message to a phone. */
export type AddedOutput = WrittenOutput | WrittenMessage;

/** The rules that these outputs name, after those that every configuration begins with. */
export function rulesFor(outputs: readonly AddedOutput[]) {
  const named = outputs.flatMap(({ choose }) => choose.map(({ when }) => when));
  const all = [...Object.values(RULE_TEMPLATES), MESSAGE_RULE];
  return all.filter(({ id }) => ALWAYS.includes(id) || named.includes(id));
}

const ALWAYS = ["rouge_ahead", "rouge_peak"];
