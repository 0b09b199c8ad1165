import type { EventOf, Trace } from "../trace.ts";
import { withPayload } from "./change-trace.ts";
import { type CalmOutput, calmOutputs, type Shown } from "./read-outputs.ts";
import type { Time } from "./read-trace.ts";

/** A state that vigie showed of a device in a calm time, all that it published meanwhile, and what it had shown before. */
export interface Stated extends Time {
  output: CalmOutput;
  state: string;
  shown: readonly Shown[];
  before: Shown | undefined;
}

/** Those of these states that stood in a calm time for so long. */
export function statesFor(trace: Trace, least: number, ...states: readonly string[]): Stated[] {
  return calmOutputs(trace)
    .filter(({ output }) => output.confirm !== undefined)
    .flatMap(readStates)
    .filter(({ state, from, to }) => states.includes(state) && to - from >= least);
}

function readStates(output: CalmOutput): Stated[] {
  const found: Stated[] = [];
  for (const [index, shown] of output.shown.entries()) {
    const before = output.shown[index - 1];
    const last = found.at(-1);
    const to = Math.min(shown.until, output.to);
    if (last?.state === shown.state) Object.assign(last, { to, shown: [...last.shown, shown] });
    else
      found.push({
        output,
        state: shown.state,
        from: Math.max(shown.steady, output.from),
        to,
        shown: [shown],
        before,
      });
  }
  return found;
}

/** vigie shows this state in place of the one that it has shown. */
export function withState(trace: Trace, { shown }: Pick<Stated, "shown">, state: string): Trace {
  return shown
    .flatMap(({ events }) => events)
    .reduce((changed, event) => withPayload(changed, event, withStateIn(event, state)), trace);
}

export function withStateIn({ topic, payload }: EventOf<"published">, state: string): string {
  if (topic.endsWith("/state")) return state;
  return payload.startsWith("{") ? JSON.stringify({ ...JSON.parse(payload), state }) : payload;
}
