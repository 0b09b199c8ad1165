import type { Clocks } from "../calendar/clocks.ts";
import { recordKilled } from "./decide-message.ts";
import { resumeTurn } from "./device-reports.ts";
import { mapRecords } from "./message.ts";
import type { Outputs } from "./output.ts";
import { keptFor, type OutputsKept } from "./outputs-kept.ts";
import {
  confirmingOutputs,
  NOTHING_PASSES,
  type OutputsPart,
  type PassingOutput,
  say,
  withKept,
  withPassingMessage,
  withPassingOf,
} from "./outputs-part.ts";
import { lastSent, recordOf } from "./outputs-state.ts";

interface StartContext {
  outputs: Outputs;
  isAfterCrash?: boolean | undefined;
  /** What passed with the configuration before; null: this is a start. */
  before?: OutputsPart["passing"] | null;
}

/** `known`: what the state file holds, or what was kept with the configuration before. */
export function startOutputs(
  known: OutputsKept,
  at: Clocks,
  { outputs, isAfterCrash = false, before = null }: StartContext,
): OutputsPart {
  const messages = mapRecords(known.messages, recordKilled);
  const kept = keptFor({ ...known, messages }, outputs.list, at.now);
  const steady = (instant: number) => at.steady - Math.max(0, at.now - instant);
  const entries = Object.entries(kept.devices).map(([key, sent]): [string, PassingOutput] => {
    const told = sent.told.map(steady);
    // A device that was told again is not told sooner because vigie was restarted.
    return [key, { ...NOTHING_PASSES, told, sentAt: told.at(-1) ?? null }];
  });
  const part: OutputsPart = {
    kept,
    passing: {
      connection: null,
      byKey: new Map(entries),
      messages: new Map(),
      isAfterCrash,
      reports: { byKey: new Map(), retained: new Map() },
      changes: 0,
      given: 0,
      wakeAt: Number.POSITIVE_INFINITY,
      isEnding: false,
      said: [],
    },
  };
  const started = endProblems(
    before ? keepProblems(part, known, { outputs, before, at }) : part,
    known,
    outputs,
  );
  return confirmingOutputs(outputs).reduce(
    (next, output) => resumeTurn(next, output, { isAfterCrash, at }),
    started,
  );
}

/** What was not taken is tried at once. The problem goes on, too, unless there is no such output any more. */
function keepProblems(
  start: OutputsPart,
  known: OutputsKept,
  { outputs, before, at }: { outputs: Outputs; before: OutputsPart["passing"]; at: Clocks },
): OutputsPart {
  let part = keepRetriesOfMessages(start, { outputs, before, at });
  for (const [key, { retry, tellingFailure }] of before.byKey) {
    if (retry === null && tellingFailure === null) continue;
    const output = outputs.list.find((one) => one.key === key && !one.message);
    const isTold = output?.confirm !== undefined && tellingFailure !== null;
    part =
      output && (retry || isTold)
        ? withPassingOf(part, key, {
            retry: retry && { ...retry, at: at.steady },
            ...(isTold && { tellingFailure }),
          })
        : say(part, {
            problem: `output ${key}`,
            isOver: `Nothing has to be sent to ${nameDevice(known, key)} any more`,
          });
  }
  return part;
}

/** The pause of a message that may have arrived goes on. */
function keepRetriesOfMessages(
  start: OutputsPart,
  { outputs, before, at }: { outputs: Outputs; before: OutputsPart["passing"]; at: Clocks },
): OutputsPart {
  let part = start;
  for (const [key, { retry }] of before.messages) {
    if (retry === null) continue;
    const isSame = outputs.list.some((one) => one.key === key && one.message);
    part = isSame
      ? withPassingMessage(part, key, {
          retry: { ...retry, at: retry.mayHaveArrived ? retry.at : at.steady },
        })
      : say(part, { problem: `output ${key}`, isOver: "The output of a message that was not taken is gone" });
  }
  return part;
}

/** Nobody waits any more for what a device does that has no output, or whose output does not say what confirms. */
function endProblems(start: OutputsPart, known: OutputsKept, outputs: Outputs): OutputsPart {
  const confirmed = new Set(confirmingOutputs(outputs).map(({ key }) => key));
  const keys = Object.keys(known.devices).filter(
    (key) => known.devices[key]?.stuck !== null && !confirmed.has(key),
  );
  let part = start;
  for (const key of keys) {
    part = withKept(part, recordOf(part.kept.devices, key, { stuck: null }), "with the next save");
    part = say(part, {
      problem: `answer ${key}`,
      isOver: `Nothing is asked of ${nameDevice(known, key)} any more`,
    });
  }
  return part;
}

/** The output may be gone, or be for another device by now. */
function nameDevice({ devices }: OutputsKept, key: string): string {
  return `the former device of output ${lastSent(devices, key)?.id ?? key}`;
}
