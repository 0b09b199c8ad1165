import { FLAPPING, type Found, GUESTS_CONFIRMED, QUIET_MORNING, REPORTING, valueAt } from "./shared.ts";

/** The owner edits the configuration. */
export const CONFIGURATIONS: readonly Found[] = [
  {
    what: "a configuration that is wrong is put in force, or nothing is said of it, also at a start",
    scenario: {
      ...QUIET_MORNING,
      configs: [FLAPPING, GUESTS_CONFIRMED],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 600, kind: "edit", config: 1, wrong: "value" },
        { at: 700, kind: "reload" },
        { at: 800, kind: "edit", config: 1, wrong: "tab" },
        { at: 900, kind: "edit", config: 1, wrong: "empty" },
        { at: 910, kind: "edit", config: 1, wrong: "half" },
        { at: 920, kind: "edit", config: 1 },
        { at: 1_200, kind: "edit", config: 0, wrong: "rule" },
        { at: 1_300, kind: "stop" },
        { at: 1_310, kind: "start" },
        { at: 1_320, kind: "edit", config: 0 },
        { at: 1_330, kind: "start" },
        { at: 3_000, kind: "quiet" },
      ],
    },
  },
];
