import { HIDDEN } from "./generate-outputs.ts";
import type { LeakPlace, Seen } from "./trace.ts";

/** A part of an address, a header or a secret, with what stands around it; undefined: nothing of them stands in this text. */
export function findSecret(text: string): string | undefined {
  const found = HIDDEN.exec(text);
  return found ? text.slice(Math.max(0, found.index - 60), found.index + 60) : undefined;
}

export function findLeak(where: LeakPlace, text: string): Seen | undefined {
  const secret = findSecret(text);
  return secret === undefined ? undefined : { kind: "leak", where, text: secret };
}
