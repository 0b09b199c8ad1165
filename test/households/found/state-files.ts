import type { ScriptEvent } from "../scenario.ts";
import type { StateFileMishap } from "../state-file-mishaps.ts";
import { FLAPPING, type Found, QUIET_MORNING, REPORTING, valueAt } from "./shared.ts";

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
