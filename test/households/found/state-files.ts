import type { ScriptEvent } from "../scenario.ts";
import type { StateFileMishap } from "../state-file-mishaps.ts";
import { FLAPPING, type Found, GUESTS_CONFIRMED, QUIET_MORNING, REPORTING, valueAt } from "./shared.ts";

/** What becomes of the state file while vigie is stopped. */
export const STATE_FILES: readonly Found[] = [
  {
    what: "a damaged state file is not kept, or no word is said of it",
    scenario: livesWith({ from: "damaged", how: "cut" }),
  },
  {
    what: "a damaged state file and a damaged one before it are not kept, or no word is said of them",
    scenario: livesWith({ from: "damaged", how: "garbage", both: true }),
  },
  {
    what: "a state file that is gone beside the one before it is not spoken of",
    scenario: livesWith({ from: "damaged", how: "missing" }),
  },
  {
    what: "a vigie that finds the state file of a newer one changes something",
    scenario: livesWith({ from: "newer version" }, [
      { at: 620, kind: "start" },
      { at: 640, kind: "state file", from: "back" },
    ]),
  },
  {
    what: "a state file of an older version is not read",
    scenario: livesWith({ from: "older version" }),
  },
  {
    what: "a judge for which a vigie whose state file is damaged knows that a payload is still in force, though its rule is unknown",
    scenario: {
      ...QUIET_MORNING,
      length: 1_600,
      seed: 6034,
      configs: [GUESTS_CONFIRMED],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        // It is not retained: after the start nobody has heard it.
        { at: 60, kind: "report", topic: "house/value1", payload: "guests", retain: false },
        { at: 600, kind: "stop" },
        { at: 610, kind: "state file", from: "damaged", how: "cut" },
        { at: 660, kind: "start" },
        { at: 900, kind: "press", device: "device1" },
        { at: 904, kind: "press", device: "device1" },
        { at: 1_500, kind: "quiet" },
      ],
    },
  },
];

/** A device is told something, and vigie is stopped and started twice. */
function livesWith(mishap: StateFileMishap, more: ScriptEvent[] = []) {
  return {
    ...QUIET_MORNING,
    configs: [FLAPPING],
    devices: [REPORTING],
    events: [
      { at: 1, kind: "start" as const },
      valueAt(60, "guests"),
      { at: 600, kind: "stop" as const },
      { at: 610, kind: "state file" as const, ...mishap },
      ...more,
      { at: 660, kind: "start" as const },
      { at: 1_500, kind: "quiet" as const },
      { at: 1_510, kind: "stop" as const },
      { at: 1_560, kind: "start" as const },
      { at: 2_700, kind: "quiet" as const },
    ],
  };
}
