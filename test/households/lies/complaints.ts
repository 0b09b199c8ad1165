import { wrongOf } from "../judges/judge.ts";
import { JUDGES } from "../judges/judges.ts";
import type { Trace } from "../trace.ts";

/** What the judge of this name says is wrong in this trace. Nothing if there is no such judge. */
export function complaints(trace: Trace, name: string): string[] {
  const judge = JUDGES.find((one) => one.name === name);
  return judge ? wrongOf(judge.find(trace)).map(({ sentence }) => sentence) : [];
}
