import { HIDDEN } from "./generate-outputs.ts";
import type { Seen } from "./trace.ts";

/** undefined: nothing of an address, a header or a secret stands in this text. */
export function findLeak(where: string, text: string): Seen | undefined {
  const found = HIDDEN.exec(text);
  if (!found) return undefined;
  return { kind: "leak", where, text: text.slice(Math.max(0, found.index - 60), found.index + 60) };
}
