import type { Outputs } from "./output.ts";
import { type OutputsPart, passingOf, withKept, withPassingOf } from "./outputs-part.ts";
import { type DevicesState, lastSent, type Sent } from "./outputs-state.ts";

/** A source agrees with this machine's clock: what was chosen by it stands. */
export function forgetFormer(before: OutputsPart, { list }: Outputs): OutputsPart {
  return list.reduce((part, { key }) => withPassingOf(part, key, { former: null }), before);
}

/**
 * This machine's clock was found wrong: what was sent before it was believed is in force again, and is sent once more. A message
 * cannot be taken back.
 */
export function takeBack(before: OutputsPart, { list }: Outputs): OutputsPart {
  return list.reduce((part, { key }) => {
    const { former } = passingOf(part, key);
    if (!former) return part;
    const isOther = lastSent(part.kept.devices, key)?.payload !== former.payload;
    const kept = isOther ? inForceAgain(part.kept.devices, key, former) : part.kept.devices;
    return withPassingOf(withKept(part, kept, "now"), key, { former: null });
  }, before);
}

function inForceAgain(state: DevicesState, key: string, former: Sent): DevicesState {
  const again: Sent = {
    ...former,
    away_since: lastSent(state, key)?.away_since ?? null,
    acknowledged: false,
    stands: true,
    answer: former.expect === null ? "none" : "awaited",
    because:
      "the clock of this machine was wrong when the last payload was chosen, and this is the one before",
    tries: 0,
    stuck: null,
  };
  return { ...state, [key]: again };
}
