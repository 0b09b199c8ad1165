import type { Scenario, ScriptEvent } from "../scenario.ts";
import { eachMinute, type Found, GUESTS_CONFIRMED, PEAK, QUIET_MORNING } from "./shared.ts";

/** Another vigie, and other programs that write on vigie's topics. */
export const OTHERS_ON_THE_BROKER: readonly Found[] = [
  {
    what: "a vigie that had left its base topic and has it again leaves it for ten minutes at each reload",
    scenario: {
      ...QUIET_MORNING,
      length: 2_400,
      seed: 110,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "other vigie", how: "takes over", for: 60 },
        { at: 1_800, kind: "reload" },
      ],
    },
  },
  {
    what: "a judge demands that a start is online at once, though another vigie had the base topic and the broker was away since",
    scenario: {
      ...QUIET_MORNING,
      length: 2_400,
      seed: 13,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "other vigie", how: "asks", for: 60 },
        { at: 300, kind: "other vigie", how: "takes over", for: 40 },
        { at: 330, kind: "broker", how: "stopped", for: 400, retained: "kept" },
      ],
    },
  },
  {
    what: "a judge demands that a vigie is online, which waits for an hour of silence of another one, as the broker was away",
    scenario: {
      ...QUIET_MORNING,
      length: 4_500,
      seed: 214,
      configs: [{ ...GUESTS_CONFIRMED, mqtt: { url: "mqtt://192.0.2.1", grace: "1h" } }],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "other vigie", how: "takes over", for: 60 },
        { at: 300, kind: "broker", how: "stopped", for: 2_400, retained: "kept" },
        { at: 4_400, kind: "quiet" },
      ],
    },
  },
  {
    what: "a vigie whose configuration is edited while it waits for its base topic waits as long once more",
    scenario: {
      ...QUIET_MORNING,
      length: 6_600,
      seed: 498793912,
      configs: [{ ...GUESTS_CONFIRMED, mqtt: { url: "mqtt://192.0.2.1", grace: "1h" } }],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "other vigie", how: "takes over", for: 300 },
        { at: 900, kind: "reload" },
      ],
    },
  },
  {
    what: "a judge for which the silence of the other vigie counts also while the connection is lost, ten times",
    scenario: {
      ...QUIET_MORNING,
      length: 4_500,
      configs: [{ ...GUESTS_CONFIRMED, mqtt: { url: "mqtt://192.0.2.1", grace: "1h" } }],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "other vigie", how: "takes over", for: 300 },
        ...eachMinute(900, 10),
      ],
    },
  },
  {
    what: "a household takes a vigie for settled that waits for the other one, as the broker was away meanwhile",
    scenario: {
      ...QUIET_MORNING,
      length: 8_000,
      configs: [{ ...GUESTS_CONFIRMED, mqtt: { url: "mqtt://192.0.2.1", grace: "1h" } }],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "other vigie", how: "takes over", for: 300 },
        { at: 422, kind: "broker", how: "killed", for: 3_600, retained: "saved" },
        { at: 4_023, kind: "broker", how: "killed", for: 2_000, retained: "lost" },
        { at: 7_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "a household lets a start wait for a disk that hangs, which vigie does not do, and another vigie has gone",
    scenario: {
      ...QUIET_MORNING,
      length: 1_500,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "other vigie", how: "takes over", for: 60 },
        { at: 362, kind: "disk", fault: "hangs", for: 600 },
      ],
    },
  },
  {
    what: "a judge takes the message that clears another program's event for an event",
    scenario: {
      ...QUIET_MORNING,
      length: 600,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "foreign", topic: "vigie/event", payload: "ON" },
        { at: 300, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge demands a line on a refused login, though vigie has said that it says no more of its broker for an hour",
    scenario: {
      ...QUIET_MORNING,
      length: 4_500,
      seed: 9,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        ...[60, 120, 180, 240, 300].map((at): ScriptEvent => ({ at, kind: "connection lost" })),
        { at: 360, kind: "password", password: "new", code: "not authorised", cuts: true, for: 300 },
        { at: 4_200, kind: "password", password: "newer", code: "bad password", cuts: true, for: 60 },
      ],
    },
  },
  {
    what: "a judge demands discovery messages that another program has deleted",
    scenario: meddled(285288698, { at: 120, kind: "delete", below: "homeassistant" }),
  },
  {
    what: "a judge takes a discovery message of another program for one of vigie",
    scenario: meddled(466079378, {
      at: 120,
      kind: "foreign",
      topic: "homeassistant/device/other/config",
      payload: "junk",
    }),
  },
  {
    what: "a judge demands the topics of a rule that was removed while the broker was away and lost them",
    scenario: {
      ...QUIET_MORNING,
      seed: 466079360,
      length: 2_400,
      configs: [{ ...GUESTS_CONFIRMED, rules: [...GUESTS_CONFIRMED.rules, PEAK] }, GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "broker", how: "stopped", for: 300, retained: "lost" },
        { at: 180, kind: "edit", config: 1 },
        { at: 2_100, kind: "quiet" },
      ],
    },
  },
];

function meddled(seed: number, event: ScriptEvent): Scenario {
  return {
    ...QUIET_MORNING,
    length: 900,
    seed,
    configs: [GUESTS_CONFIRMED],
    events: [{ at: 1, kind: "start" }, event, { at: 600, kind: "quiet" }],
  };
}
