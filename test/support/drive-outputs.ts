import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createLineLog } from "../../src/app/line-log.ts";
import { readPollLines } from "../../src/app/read-poll-lines.ts";
import { createLoop } from "../../src/app/run-loop.ts";
import { configSchema } from "../../src/config/config-schema.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { saidAtStart } from "../../src/core/loop/changes.ts";
import type { Kept, SavingPart } from "../../src/core/loop/known.ts";
import type { LoopConfig } from "../../src/core/loop/loop-config.ts";
import { startKnown } from "../../src/core/loop/start.ts";
import type { View } from "../../src/core/loop/view.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import type { OutputStatus } from "../../src/core/outputs/output-status.ts";
import { NO_RULES_STATE } from "../../src/core/rules/rules-state.ts";
import { createDeviceSink } from "../../src/mqtt/device-sink.ts";
import type { ConnectionUser } from "../../src/mqtt/owner-connection.ts";
import type { ClockWithTimers } from "../../src/runtime/clock.ts";
import type { Log } from "../../src/runtime/log.ts";
import { atMost } from "../../src/runtime/wait.ts";
import { knownDaysOf, official } from "./known-days.ts";
import { outputsOf, type SavedState } from "./outputs.ts";
import { UNPRICED } from "./tariff.ts";
import { THROWN_ERRORS } from "./test-loop.ts";
import { passTurns } from "./turns.ts";

interface DrivenOutputs extends ConnectionUser {
  /** From now on the rule `peak` is as this says. Resolves when the loop has looked. */
  turn: (states: { peak: boolean | null }) => Promise<void>;
  /** As the last view shows them. */
  statuses: () => readonly OutputStatus[];
  /** Nothing new is sent, as when vigie ends. */
  stop: () => Promise<void>;
}

interface DriveOptions {
  saved: SavedState;
  log: Log;
  clock: ClockWithTimers;
}

/** The real loop with these outputs and the rule `peak`, which is unknown before `turn`, over the connections that the test opens. It asks no source. */
export function driveOutputs(list: readonly Output[], { saved, log, clock }: DriveOptions): DrivenOutputs {
  const problemLog = createProblemLog(log, clock);
  const config: LoopConfig = { ...CONFIG, outputs: outputsOf([...list]) };
  const at = { now: clock.now(), steady: clock.steady() };
  const kept: Kept = {
    days: knownDaysOf({ "2026-01-01": official("bleu") }),
    sources: {},
    rules: NO_RULES_STATE,
    settings: {},
    simulation: null,
    outputs: saved.get(),
    values: {},
  };
  const heard = (state: boolean | null) =>
    new Map(state === null ? [] : [["peak", { payload: state ? "ON" : "OFF", at: clock.now() }]]);
  const known = startKnown(kept, { at, config, broker: "test", before: null });
  const { passing } = known;
  const lineLog = createLineLog(log, { problemLog, clock });
  const loop = createLoop({
    clock,
    longestSleep: 24 * 3_600_000,
    ownErrors: THROWN_ERRORS,
    wake: () => undefined,
  });
  const sink = createDeviceSink({
    outputs: config.outputs,
    problemLog,
    post: (event) => loop.post({ kind: "outputs", event }),
  });
  let shown: View | undefined;
  let newest = { number: 0, given: kept };
  const write = async ({ number, given, outputChanges }: SavingPart, isOfOutputs: boolean) => {
    if (isOfOutputs) await saved.save(given.outputs);
    loop.post({ kind: "saved", number, outputChanges, problem: null });
  };
  loop.begin({
    config,
    known: {
      kept,
      passing: { ...passing, values: { ...passing.values, heard: new Map(), awaitedSince: null } },
    },
    said: saidAtStart(kept),
    sinks: [
      {
        name: "the disk",
        show: ({ saving }) => {
          if (saving.number === newest.number) return;
          const isOfOutputs = saving.given.outputs !== newest.given.outputs;
          newest = saving;
          void write(saving, isOfOutputs);
        },
      },
      { name: "devices", show: ({ sends }) => sink.show(sends) },
      {
        name: "what the test sees",
        show: (view) => {
          shown = view;
        },
      },
    ],
    // That the rule has turned is said too, and is nothing of the outputs.
    say: ({ lines }) =>
      lineLog.write(lines.filter((line) => !("level" in line && line.sentence.startsWith("Rule peak ")))),
  });
  return {
    take: sink.take,
    connected: sink.connected,
    turn: (states) => {
      loop.post({ kind: "values", heard: heard(states.peak), kept: {}, isSettled: true });
      return settled();
    },
    statuses: () => shown?.outputs ?? [],
    stop: async () => {
      loop.post({ kind: "outputs", event: { kind: "ending" } });
      await atMost(sink.allAnswered(), STOP_LIMIT);
      const { kept } = loop.pause();
      await atMost(saved.save(kept.outputs), STOP_LIMIT);
    },
  };
}

/** Resolves when all has happened that needs no time: what is posted is looked at in a later turn of the event loop. */
function settled(): Promise<void> {
  return passTurns(12);
}

const { service } = configSchema.parse({
  service: { base_url: "http://127.0.0.1" },
  mqtt: { url: "mqtt://127.0.0.1" },
});
const CONFIG: Omit<LoopConfig, "outputs"> = {
  // vigie would log a warning about prices that have become old.
  tariff: UNPRICED,
  rules: rulesOptions.parse([{ id: "peak", when: { mqtt: { topic: "peak", equals: "ON" } } }]),
  sources: [],
  isInvented: false,
  pollLines: readPollLines(service.poll, { ...UNPRICED, offset: 0 }),
  grace: 600_000,
  late_after: service.late_after,
  check_clock: "off",
  isDemo: false,
};
const STOP_LIMIT = 1_500;
