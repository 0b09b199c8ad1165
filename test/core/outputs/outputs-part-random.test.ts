import fc from "fast-check";
import { expect, test } from "vitest";
import type { DueSend } from "../../../src/core/outputs/due-send.ts";
import { dueSends } from "../../../src/core/outputs/flights.ts";
import type { Output } from "../../../src/core/outputs/output.ts";
import { outputStatuses } from "../../../src/core/outputs/output-status.ts";
import { NOTHING_SENT, type OutputsKept } from "../../../src/core/outputs/outputs-kept.ts";
import { nextOutputBoundary, type WaitingSend } from "../../../src/core/outputs/outputs-part.ts";
import { lastSent, type Sent } from "../../../src/core/outputs/outputs-state.ts";
import { settleOutputs } from "../../../src/core/outputs/settle-outputs.ts";
import { startOutputs } from "../../../src/core/outputs/start-outputs.ts";
import { type OutputsEvent, takeOutputs } from "../../../src/core/outputs/take-outputs.ts";
import { runs } from "../../support/long.ts";
import { BOILER, confirmBy, outputsOf, toTopic, verdictsOf } from "../../support/outputs.ts";

const { else: _, ...BARE } = BOILER;
const TIMES = { every: 3_000, for: 10_000 };
const OUTPUTS: Output[] = [
  BOILER,
  {
    ...BARE,
    id: "plug",
    ...toTopic("plug/set"),
    confirm: confirmBy("plug", { ...TIMES, keep: true, online: { topic: "plug/online", equals: "true" } }),
  },
  {
    ...BOILER,
    id: "heating",
    ...toTopic("heating/set"),
    choose: [
      { when: "peak", payload: "18" },
      { when: "guests", payload: "21" },
    ],
    else: { payload: "19" },
    unknown: { payload: "20" },
    confirm: confirmBy("heating", TIMES),
  },
];
const START = Date.UTC(2026, 0, 5);
const HAS_REPORTED: readonly Sent["answer"][] = ["heard", "contrary", "doubted"];
type Rule = "peak" | "guests";

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("rule" as const),
      rule: fc.constantFrom<Rule>("peak", "guests"),
      state: fc.constantFrom(true, false, null),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("time" as const), passes: fc.integer({ min: 1, max: 6_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("time" as const), passes: fc.constant(600_000) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("disk" as const), fails: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("broker" as const),
      refuses: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("connect" as const), version: fc.constantFrom<4 | 5>(4, 5) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("disconnect" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reports read" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      topic: fc.constantFrom("plug", "heating"),
      payload: fc.constantFrom("off", "18", "19", "20", "21"),
      retain: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      topic: fc.constant("plug/online"),
      payload: fc.constantFrom("true", "false"),
      retain: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** What outputs.md says is chosen; null: nothing is sent. */
function chosenPayload(output: Output, states: Record<Rule, boolean | null>): string | null {
  for (const { when, payload } of output.choose) {
    const state = states[when as Rule];
    if (state === true) return String(payload);
    if (state === null) return output.unknown ? String(output.unknown.payload) : null;
  }
  return output.else ? String(output.else.payload) : null;
}

/** A process that is killed and started again, its disk, and its broker. */
function createWorld() {
  const outputs = outputsOf(OUTPUTS);
  const states: Record<Rule, boolean | null> = { peak: null, guests: null };
  let disk: OutputsKept = NOTHING_SENT;
  /** Began and are not answered. */
  let saves: { kept: OutputsKept; changes: number }[] = [];
  let part = startOutputs(disk, { now: START, steady: 0 }, { outputs });
  let savedChanges = 0;
  let answeredChanges = 0;
  let steady = 0;
  let connections = 0;
  let given = 0;
  /** By topic: the last payload that the broker acknowledged, and the last that was given to it. */
  const acknowledged = new Map<string, string>();
  const latest = new Map<string, string>();
  /** By topic: what the disk held as vigie was killed, if nobody had acknowledged it. */
  const aboutToBe = new Map<string, string>();
  /** By topic: how often the same payload may still be given to the broker. */
  const allowed = new Map<string, number>();
  /** Something went out that the disk did not hold, and then vigie was killed. */
  let hasForgotten = false;
  let isAhead = false;

  const at = () => ({ now: START + steady, steady });
  let verdicts = verdictsOf(states);
  const context = () => ({ outputs, verdicts });
  const allowAgain = () => {
    for (const [topic, times] of allowed) allowed.set(topic, Math.max(1, times));
  };
  const judgeGiven = (due: DueSend, before: WaitingSend | undefined) => {
    // Another payload may have waited, and be dropped as this one is wanted again.
    const waiting = before?.send.payload === due.payload ? before : undefined;
    const output = OUTPUTS.find(({ id }) => id === due.output);
    if (!output) throw new Error(`There is no output ${due.output}`);
    const { key } = output;
    const underWay = part.passing.byKey.get(key)?.underWay;
    if (underWay?.stage !== "given") throw new Error(`${key} is not under way`);
    expect(due.number).toBe(given + 1);
    given = due.number;
    if (!underWay.send) {
      // A repetition is of the payload that stands.
      expect(due.payload).toBe(lastSent(part.kept.devices, key)?.payload);
      return;
    }
    // Saved before sent, or waited long enough. Another try needs no save.
    if (latest.get(key) !== due.payload) expect(waiting).toBeDefined();
    expect(answeredChanges >= (waiting?.change ?? 0) || steady >= (waiting?.saveLimit ?? 0)).toBe(true);
    // Never one that the newest verdicts do not want. While they are unknown, what was sent last stands.
    expect(due.payload).toBe(chosenPayload(output, states) ?? standing(key));
    if (latest.get(key) === due.payload) {
      const left = allowed.get(key) ?? 0;
      expect(left, `${key} ${due.payload} is sent once more`).toBeGreaterThan(0);
      allowed.set(key, left - 1);
    } else allowed.set(key, 0);
    latest.set(key, due.payload);
    aboutToBe.delete(key);
    if (lastSent(disk.devices, key)?.payload !== due.payload) isAhead = true;
  };
  /** What was given last, or what was about to be as vigie was killed. */
  const standing = (key: string) => aboutToBe.get(key) ?? latest.get(key);
  const waitingByOutput = () => {
    const waiting = new Map<string, WaitingSend>();
    for (const { id, key } of OUTPUTS) {
      const underWay = part.passing.byKey.get(key)?.underWay;
      if (underWay?.stage === "waiting for the save") waiting.set(id, underWay);
    }
    return waiting;
  };
  /** Nothing is known of what it does. */
  const judgeAway = () => {
    const statuses = outputStatuses(part, { ...context(), isDemo: false });
    for (const { state, sent } of statuses)
      if (sent && sent.away_since !== null) expect(state).not.toBe("confirmed");
  };
  const settle = () => {
    const before = new Set(dueSends(part).map(({ number }) => number));
    const waiting = waitingByOutput();
    part = settleOutputs(part, at(), context());
    expect(settleOutputs(part, at(), context())).toBe(part);
    expect(nextOutputBoundary(part)).toBeGreaterThan(steady);
    const due = dueSends(part).sort((one, other) => one.number - other.number);
    expect(new Set(due.map(({ output }) => output)).size).toBe(due.length);
    for (const one of due) {
      expect(one.by).toMatchObject({ kind: "mqtt", connection: connections });
      if (!before.has(one.number)) judgeGiven(one, waiting.get(one.output));
    }
    judgeAway();
    if (part.passing.changes === savedChanges) return;
    savedChanges = part.passing.changes;
    saves.push({ kept: part.kept, changes: savedChanges });
  };
  const take = (event: OutputsEvent) => {
    part = takeOutputs(part, event, at(), { outputs });
    settle();
  };
  const passTime = (passes: number) => {
    const end = steady + passes;
    for (let next = nextOutputBoundary(part); next <= end; ) {
      // A repetition that the broker does not answer is not repeated, so this comes to its end.
      steady = next;
      allowRefused();
      settle();
      next = nextOutputBoundary(part);
    }
    steady = end;
    settle();
  };
  /** After its pause. */
  const allowRefused = () => {
    for (const [key, { retry }] of part.passing.byKey) if (retry) allowed.set(key, 1);
  };
  const answerSave = (fails: boolean) => {
    const save = saves.shift();
    if (!save) return;
    if (!fails) disk = save.kept;
    answeredChanges = save.changes;
    take({ kind: "saved", changes: save.changes });
  };
  const answerBroker = (refuses: boolean) => {
    const [due] = dueSends(part);
    if (due?.by.kind !== "mqtt") return;
    const { topic } = due.by;
    if (refuses) {
      allowed.set(topic, Math.max(1, allowed.get(topic) ?? 0));
      return take({ kind: "refused", number: due.number, message: "No" });
    }
    acknowledged.set(topic, due.payload);
    take({ kind: "acknowledged", number: due.number });
  };
  const connect = (version: 4 | 5) => {
    connections += 1;
    allowAgain();
    take({ kind: "connection opened", connection: connections, version });
  };
  const kill = () => {
    hasForgotten ||= isAhead;
    isAhead = false;
    saves = [];
    for (const [key, { acknowledged: isTaken, payload }] of Object.entries(disk.devices))
      if (!isTaken) aboutToBe.set(key, payload);
    part = startOutputs(disk, at(), { outputs });
    savedChanges = 0;
    answeredChanges = 0;
    given = 0;
    allowAgain();
    settle();
  };
  const live = (one: Step) => {
    switch (one.kind) {
      case "rule":
        // What ends and begins again is sent again.
        if (states[one.rule] !== one.state) allowAgain();
        states[one.rule] = one.state;
        verdicts = verdictsOf(states);
        return settle();
      case "time":
        return passTime(one.passes);
      case "disk":
        return answerSave(one.fails);
      case "broker":
        return answerBroker(one.refuses);
      case "connect":
        return connect(one.version);
      case "disconnect":
        return take({ kind: "connection lost", connection: connections });
      case "reports read":
        return take({ kind: "reports read", connection: connections });
      case "report":
        return take(one);
      case "kill":
        return kill();
    }
  };
  /** All is answered, and nothing more happens. */
  const rest = () => {
    connect(5);
    // What was lost with a connection is tried again after a while.
    passTime(600_000);
    for (let round = 0; round < 20; round += 1) {
      while (saves.length > 0) answerSave(false);
      while (dueSends(part).length > 0) answerBroker(false);
    }
    for (const output of OUTPUTS) {
      const chosen = chosenPayload(output, states);
      const sent = lastSent(part.kept.devices, output.key);
      if (chosen === null || !sent) continue;
      expect(sent).toMatchObject({ payload: chosen, acknowledged: true });
      // What a device has reported need not be acknowledged, also if it reports something else since.
      if (!hasForgotten && !HAS_REPORTED.includes(sent.answer))
        expect(acknowledged.get(output.key)).toBe(chosen);
    }
  };
  return { live, rest, settle };
}

test("whatever happens, one payload at a time is under way to a topic, only chosen ones are sent, and the last one is the chosen one", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 80 }), (steps) => {
      const world = createWorld();
      world.settle();
      for (const one of steps) world.live(one);
      world.rest();
    }),
    { numRuns: runs(300) },
  );
});
