import { expect } from "vitest";
import type { Clocks } from "../../src/core/calendar/clocks.ts";
import type { Output } from "../../src/core/outputs/output.ts";
import {
  dueQuestions,
  dueSends,
  forgetSaid,
  isShownOtherwise,
  nextOutputBoundary,
  type OutputsPart,
  outputStatuses,
  startOutputs,
} from "../../src/core/outputs/outputs-part.ts";
import { NOTHING_SENT, type OutputsState } from "../../src/core/outputs/outputs-state.ts";
import { settleOutputs } from "../../src/core/outputs/settle-outputs.ts";
import { type OutputsEvent, takeOutputs } from "../../src/core/outputs/take-outputs.ts";
import { rougeFacts } from "./facts.ts";
import { BOILER, outputsOf, verdictsOf } from "./outputs.ts";

const START = Date.parse("2026-01-05T06:00:00+01:00");
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const CONFIRM = {
  from: { kind: "mqtt", topic: "boiler" },
  every: 30 * SECOND,
  for: HOUR,
  keep: false,
} as const;
export const KEEPING: Output = { ...BOILER, confirm: { ...CONFIRM, keep: true } };
export const SHOWING: Output = { ...BOILER, confirm: CONFIRM };

/** One output in virtual time. Saves and the broker answer at once. */
export function house(
  output: Output,
  {
    kept = NOTHING_SENT,
    at = 0,
    isPeak = false,
    isAfterCrash = false,
  }: { kept?: OutputsState; at?: number; isPeak?: boolean | null; isAfterCrash?: boolean } = {},
) {
  const outputs = outputsOf([output]);
  let states: Record<string, boolean | null> | null = null;
  let facts = rougeFacts();
  let saves = true;

  let now = at;
  let peak: boolean | null = isPeak;
  const clocks = (): Clocks => ({ now: START + now, steady: now + 30 * 24 * HOUR });
  let part: OutputsPart = startOutputs(kept, clocks(), { isAfterCrash });
  let connections = 0;
  const sent: { at: number; payload: string }[] = [];
  const said: string[] = [];
  const given = new Set<number>();
  /** What the address answers; undefined: the broker acknowledges. */
  let answer: (number: number) => OutputsEvent = (number) => ({ kind: "acknowledged", number });
  let state = (): string | null => null;
  let looks = 0;
  const isAnswered = new Set<number>();
  const ids: string[] = [];

  const settle = () => {
    for (let round = 0; round < 50; round += 1) {
      const before = part;
      part = settleOutputs(part, clocks(), { outputs, verdicts: verdictsOf(states ?? { peak }, facts) });
      if (saves)
        part = takeOutputs(part, { kind: "saved", changes: part.passing.changes }, clocks(), { outputs });
      part = settleOutputs(part, clocks(), { outputs, verdicts: verdictsOf(states ?? { peak }, facts) });
      for (const { number, payload, by } of dueSends(part)) {
        if (given.has(number)) continue;
        given.add(number);
        if (by.kind === "http") ids.push(by.id);
        sent.push({ at: now, payload });
        part = takeOutputs(part, answer(number), clocks(), { outputs });
      }
      for (const { number } of dueQuestions(part)) {
        if (isAnswered.has(number)) continue;
        isAnswered.add(number);
        const payload = state();
        const event: OutputsEvent =
          payload === null
            ? { kind: "no answer", number, message: "it does not answer" }
            : { kind: "answer", number, payload };
        part = takeOutputs(part, event, clocks(), { outputs });
      }
      if (part === before) break;
      if (round === 49) throw new Error("the outputs never come to rest");
    }
    for (const line of part.passing.said)
      said.push("sentence" in line ? line.sentence : "starts" in line ? line.starts : line.isOver);
    part = forgetSaid(part);
  };
  const take = (event: OutputsEvent) => {
    const { kept: keptBefore, passing } = part;
    part = takeOutputs(part, event, clocks(), { outputs });
    if (part.kept !== keptBefore || isShownOtherwise(passing, part.passing)) looks += 1;
    settle();
  };
  const self = {
    states: (next: Record<string, boolean | null>) => {
      states = next;
      settle();
    },
    facts: (next: typeof facts) => {
      facts = next;
      settle();
    },
    saves: (next: boolean) => {
      saves = next;
      settle();
    },
    ids: () => ids,
    connection: () => connections,
    take,
    /** The number of the last sending. */
    number: () => Math.max(0, ...given),
    /** How often something has changed that is looked at. */
    looks: () => looks,
    changes: () => part.passing.changes,
    sent,
    said,
    kept: () => JSON.parse(JSON.stringify(part.kept)) as OutputsState,
    now: () => now,
    connect: () => {
      connections += 1;
      take({ kind: "connection opened", connection: connections, version: 5 });
    },
    reportsRead: () => take({ kind: "reports read", connection: connections }),
    lose: () => take({ kind: "connection lost", connection: connections }),
    turn: (next: boolean | null) => {
      peak = next;
      settle();
    },
    report: (payload: string, retain = false) => take({ kind: "report", topic: "boiler", payload, retain }),
    publish: (topic: string, payload: string, retain = false) =>
      take({ kind: "report", topic, payload, retain }),
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    stateIs: (next: typeof state) => {
      state = next;
    },
    /** Each boundary on the way is settled when it comes. */
    wait: (length: number) => {
      const end = now + length;
      for (;;) {
        const { steady = Number.POSITIVE_INFINITY } = nextOutputBoundary(part);
        if (steady - 30 * 24 * HOUR > end) break;
        const before = part;
        const isPast = steady - 30 * 24 * HOUR <= now;
        now = Math.max(now, steady - 30 * 24 * HOUR);
        settle();
        if (isPast && part === before) throw new Error(`a boundary in the past: ${steady} at ${now}`);
      }
      now = end;
      settle();
    },
    status: () => {
      const [status] = outputStatuses(part, {
        outputs,
        verdicts: verdictsOf(states ?? { peak }, facts),
        isDemo: false,
      });
      return status;
    },
    state: () => self.status()?.state,
    tellings: () => sent.map(({ at }) => at / SECOND),
  };
  return self;
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

export const OVER_HTTP: Output = {
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
};

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
