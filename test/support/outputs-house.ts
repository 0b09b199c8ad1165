import { expect } from "vitest";
import type { Clocks } from "../../src/core/calendar/clocks.ts";
import type { BothVerdicts } from "../../src/core/outputs/choose-outputs.ts";
import { dueSends } from "../../src/core/outputs/flights.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import { outputStatuses } from "../../src/core/outputs/output-status.ts";
import { NOTHING_SENT, type OutputsKept } from "../../src/core/outputs/outputs-kept.ts";
import {
  dueQuestions,
  forgetSaid,
  isShownOtherwise,
  nextOutputBoundary,
  type OutputsPart,
} from "../../src/core/outputs/outputs-part.ts";
import { settleOutputs } from "../../src/core/outputs/settle-outputs.ts";
import { startOutputs } from "../../src/core/outputs/start-outputs.ts";
import { type OutputsEvent, takeOutputs } from "../../src/core/outputs/take-outputs.ts";
import { rougeFacts } from "./facts.ts";
import { BOILER, outputsOf, verdictsOf } from "./outputs.ts";

export const START = Date.parse("2026-01-05T06:00:00+01:00");
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** For so long the machine runs already. */
const UP = 30 * 24 * HOUR;

export const CONFIRM = {
  from: { kind: "mqtt", topic: "boiler" },
  every: 30 * SECOND,
  for: HOUR,
  keep: false,
} as const;
export const KEEPING: Output = { ...BOILER, confirm: { ...CONFIRM, keep: true } };
export const SHOWING: Output = { ...BOILER, confirm: CONFIRM };

interface HouseOptions {
  kept?: OutputsKept;
  at?: number;
  isAfterCrash?: boolean;
  /** null: nothing is decided yet. */
  verdicts?: BothVerdicts | null;
}

/** Outputs in virtual time. The test says what is saved, and what the broker and the devices answer. */
export function byHand(
  list: Output[],
  { kept = NOTHING_SENT, at = 0, isAfterCrash = false, verdicts: first = null }: HouseOptions = {},
) {
  const outputs = outputsOf(list);
  let now = at;
  let verdicts = first;
  let clock: "agreed" | "unsure" | "wrong" = "agreed";
  // Only the steady clock counts parts of a millisecond.
  const clocks = (): Clocks => ({ now: Math.round(START + now), steady: now + UP });
  let part: OutputsPart = startOutputs(kept, clocks(), { outputs, isAfterCrash });
  let looks = 0;
  const boundary = () => nextOutputBoundary(part) - UP;
  const settle = () => {
    part = settleOutputs(part, clocks(), { outputs, verdicts, clock });
    // Without `expect`, which takes longer than all of this.
    if (settleOutputs(part, clocks(), { outputs, verdicts, clock }) !== part)
      throw new Error("a second settling at the same instant changes something");
    if (boundary() <= now) throw new Error("a boundary is not in the future");
  };
  const take = (event: OutputsEvent): OutputsPart => {
    const before = part;
    part = takeOutputs(part, event, clocks(), { outputs });
    if (part.kept !== before.kept || isShownOtherwise(before.passing, part.passing)) looks += 1;
    settle();
    return part;
  };
  return {
    take,
    settle,
    boundary,
    decide: (next: BothVerdicts | null) => {
      verdicts = next;
      settle();
    },
    /** Whether a source agrees with this machine's clock, from now on. */
    trust: (next: typeof clock) => {
      clock = next;
      settle();
    },
    save: () => void take({ kind: "saved", changes: part.passing.changes }),
    /** Each boundary on the way is settled when it comes. */
    pass: (length: number, atEach: () => void = () => undefined) => {
      const end = now + length;
      for (let next = boundary(); next <= end; next = boundary()) {
        now = next;
        settle();
        atEach();
      }
      now = end;
      settle();
      atEach();
    },
    open: (connection: number, version: 4 | 5 = 5) =>
      void take({ kind: "connection opened", connection, version }),
    lose: (connection: number) => void take({ kind: "connection lost", connection }),
    report: (payload: string, retain = false, topic = "boiler") =>
      void take({ kind: "report", topic, payload, retain }),
    now: () => now,
    part: () => part,
    /** How often something has changed that is looked at. */
    looks: () => looks,
    due: () => dueSends(part),
    questions: () => dueQuestions(part),
    status: () => outputStatuses(part, { outputs, verdicts, isDemo: false })[0],
    /** What was said since the last call. */
    said: () => {
      const { said } = part.passing;
      part = forgetSaid(part);
      return said.map((line) =>
        "level" in line ? line.sentence : "starts" in line ? line.starts : line.isOver,
      );
    },
  };
}

/** One output in virtual time. Saves, the broker and the device answer at once. */
export function house(
  output: Output,
  { isPeak = false, ...options }: HouseOptions & { isPeak?: boolean | null } = {},
) {
  const vigie = byHand([output], { ...options, verdicts: verdictsOf({ peak: isPeak }) });
  let states: Record<string, boolean | null> = { peak: isPeak };
  let facts = rougeFacts();
  let saves = true;
  let connections = 0;
  const sent: { at: number; payload: string }[] = [];
  const said: string[] = [];
  const ids: string[] = [];
  const answered = new Set<number>();
  let saved = { kept: vigie.part().kept, changes: 0 };
  let answer = (number: number): OutputsEvent => ({ kind: "acknowledged", number });
  /** What the device says when it is asked; null: nothing. */
  let state = (): string | null => null;

  const isNew = ({ number }: { number: number }) => !answered.has(number) && answered.add(number);
  const answerAll = () => {
    for (let round = 0; ; round += 1) {
      if (round === 50) throw new Error("the outputs never come to rest");
      const before = vigie.part();
      const { kept, passing } = before;
      if (passing.changes > saved.changes) saved = { kept, changes: passing.changes };
      if (saves) vigie.save();
      for (const { number, payload, by } of vigie.due().filter(isNew)) {
        if (by.kind === "http") ids.push(by.id);
        sent.push({ at: vigie.now(), payload });
        vigie.take(answer(number));
      }
      for (const { number } of vigie.questions().filter(isNew)) {
        const payload = state();
        vigie.take(
          payload === null
            ? { kind: "no answer", number, message: "it does not answer" }
            : { kind: "answer", number, payload },
        );
      }
      if (vigie.part() === before) break;
    }
    said.push(...vigie.said());
  };
  const take = (event: OutputsEvent) => {
    vigie.take(event);
    answerAll();
  };
  const decide = (next: { states?: typeof states; facts?: typeof facts }) => {
    states = next.states ?? states;
    facts = next.facts ?? facts;
    vigie.decide(verdictsOf(states, facts));
    answerAll();
  };
  return {
    ...{ take, sent, said, now: vigie.now, due: vigie.due, looks: vigie.looks, status: vigie.status },
    part: vigie.part,
    state: () => vigie.status()?.state,
    changes: () => vigie.part().passing.changes,
    kept: () => JSON.parse(JSON.stringify(vigie.part().kept)) as OutputsKept,
    /** What a start after a kill would find. */
    saved: () => JSON.parse(JSON.stringify(saved.kept)) as OutputsKept,
    ids: () => ids,
    connection: () => connections,
    /** The number of the last sending. */
    number: () => Math.max(0, ...answered),
    states: (next: typeof states) => decide({ states: next }),
    turn: (peak: boolean | null) => decide({ states: { peak } }),
    facts: (next: typeof facts) => decide({ facts: next }),
    /** In place of `states` and `facts`; null: nothing is decided now. */
    verdicts: (next: BothVerdicts | null) => {
      vigie.decide(next);
      answerAll();
    },
    saves: (next: boolean) => {
      saves = next;
      answerAll();
    },
    connect: () => {
      connections += 1;
      take({ kind: "connection opened", connection: connections, version: 5 });
    },
    reportsRead: () => take({ kind: "reports read", connection: connections }),
    lose: () => take({ kind: "connection lost", connection: connections }),
    report: (payload: string, retain = false) => take({ kind: "report", topic: "boiler", payload, retain }),
    publish: (topic: string, payload: string, retain = false) =>
      take({ kind: "report", topic, payload, retain }),
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    stateIs: (next: typeof state) => {
      state = next;
    },
    wait: (length: number) => vigie.pass(length, answerAll),
    tellings: () => sent.map(({ at }) => at / SECOND),
  };
}

/** The boiler got "off", and said so. */
export function confirmed(output: Output = KEEPING, report = "off") {
  const vigie = house(output);
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  vigie.report(report);
  expect(vigie.state()).toBe("confirmed");
  vigie.wait(MINUTE);
  vigie.sent.length = 0;
  vigie.said.length = 0;
  return vigie;
}

/** The boiler got "off", and only what the broker held before says that it does so. */
export function assumed(output: Output) {
  const vigie = house(output);
  vigie.connect();
  vigie.report("off", true);
  vigie.reportsRead();
  vigie.turn(true);
  vigie.wait(MINUTE);
  return vigie;
}

export const OVER_HTTP = {
  ...BOILER,
  key: "http:boiler",
  to: {
    kind: "http",
    place: "http://192.0.2.40",
    url: "http://192.0.2.40/relay/0?turn={payload}",
    method: "GET",
  },
  choose: [{ when: "peak", payload: "off", expect: "false" }],
  else: { payload: "on", expect: "true" },
  confirm: {
    from: { kind: "http", place: "http://192.0.2.40", url: "http://192.0.2.40/relay/0" },
    path: "ison",
    every: 30 * SECOND,
    for: HOUR,
    keep: true,
  },
} satisfies Output;

const MESSAGE: Output = {
  ...BOILER,
  key: "http:phone",
  to: {
    kind: "http",
    place: "https://ntfy.example.org",
    url: "https://ntfy.example.org/{secret}",
    method: "POST",
  },
  message: true,
};
const { else: _none, ...withoutElse } = MESSAGE;
export const PHONE: Output = withoutElse;
