import type { Clocks } from "../core/calendar/clocks.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import type { Protect } from "../core/log/protect.ts";
import { type Changes, changes, type Said, saidAtStart } from "../core/loop/changes.ts";
import { isEvaluationDue } from "../core/loop/evaluate.ts";
import type { Event, Posted } from "../core/loop/event.ts";
import { type Kept, type Known, say, withPassing } from "../core/loop/known.ts";
import { look, lookAfterError, showAgain } from "../core/loop/look.ts";
import type { LoopConfig } from "../core/loop/loop-config.ts";
import { settleSaving } from "../core/loop/saving.ts";
import { settle, settleDue } from "../core/loop/settle.ts";
import { take } from "../core/loop/take.ts";
import type { View } from "../core/loop/view.ts";
import { NOTHING_SENT } from "../core/outputs/outputs-state.ts";
import { NO_RULES_STATE } from "../core/rules/rules-state.ts";
import { type ClockWithTimers, readClocks, TOLERATED_JUMP } from "../runtime/clock.ts";
import type { OwnErrors } from "./own-errors.ts";

export type Post = (event: Event) => void;

/** Does what a view wants and is not done yet, and posts what comes of it. It calls no other part. */
export interface Sink {
  /** As an error of vigie itself names it. */
  name: string;
  show: (view: View) => void;
}

/** What the loop runs with from a start or a reload on. */
export interface Beginning {
  config: LoopConfig;
  known: Known;
  said: Said;
  /** They show each view in this order. What has changed is said after that. */
  sinks: readonly Sink[];
  say: (changes: Changes) => void;
  /** The next instant, by this machine's wall clock, at which a source may be due. */
  nextPollTime: (after: Instant) => Instant;
}

interface LoopOptions {
  clock: ClockWithTimers;
  /** Milliseconds: a suspend, or a clock that was set, is noticed this soon. */
  longestSleep: number;
  ownErrors: OwnErrors;
  /** At each wake, several times a minute, also if nothing is due. */
  wake: Sink["show"];
}

/**
 * For each event `known = take(known, event)` and `known = settle(known)`, then `view = look(known)`, and each sink shows the
 * view. Events that are posted meanwhile wait.
 */
export interface Loop {
  post: Post;
  /** From now on with this configuration. */
  begin: (beginning: Beginning) => void;
  /** Takes no event until the next beginning. Returns what is known then. */
  pause: () => Known;
  known: () => Known;
  view: () => View;
}

export function createLoop({ clock, longestSleep, ownErrors, wake }: LoopOptions): Loop {
  const { protect, isFailing } = ownErrors;
  const inbox: Posted[] = [];
  let running: Beginning | undefined;
  let known!: Known;
  let said!: Said;
  let view!: View;
  let isTaking = false;
  /** An evaluation waits for the end of this turn. */
  let isWaiting = false;
  /** When the last look failed, by the steady clock; null: it did not. */
  let failedAt: number | null = null;
  let newest = readClocks(clock);
  let nextPollTime = Number.POSITIVE_INFINITY;
  let cancelSleep: () => void = () => undefined;
  /** At the last wake, by the steady clock. */
  let awakeAt = newest.steady;

  const post: Post = (event) => {
    inbox.push({ event, at: readClocks(clock) });
    takeAll();
  };
  const takeAll = () => {
    if (!isTaking) alone(() => undefined);
  };
  /** What comes while this runs is taken after it. */
  const alone = (run: () => void) => {
    isTaking = true;
    try {
      run();
      while (running && inbox.length > 0) takeNext(running);
    } finally {
      isTaking = false;
      sleep();
    }
  };
  const takeNext = (beginning: Beginning) => {
    const posted = inbox.shift();
    if (posted) for (const one of afterJump(posted)) takeOne(beginning, one);
  };
  const takeOne = (beginning: Beginning, { event, at }: Posted) => {
    const { config } = beginning;
    const before = known;
    known = take(known, event, at, { config, protect });
    known = settleDue(known, at, { config, protect });
    const { boundary } = view;
    const isTime = at.now >= boundary.now || at.steady >= boundary.steady;
    if (isLookDue(before, config, at) || isTime) {
      if (isTime || !SHARED.has(event.kind)) return lookAgain(beginning, at);
      lookSoon();
    }
    // That the broker has a payload is saved before anything else: vigie may be killed at any instant.
    if (known !== before) showKnown(beginning, at);
  };
  /** Also if a part has failed, or works again: the view says so. */
  const isLookDue = (before: Known, config: LoopConfig, at: Clocks) => {
    let hasChanged = true;
    protect("whether something has changed", () => {
      hasChanged = isEvaluationDue(before, known, at, { shown: view, config, protect });
    });
    return hasChanged || isFailing() !== known.passing.hasFailed;
  };
  /** What devices and the disk say in one turn of the event loop is looked at together. */
  const lookSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(() => {
      const beginning = running;
      if (isWaiting && beginning) alone(() => lookAgain(beginning, readClocks(clock)));
    });
  };
  /** If this machine's clock was set since the event before, that is the first event. */
  const afterJump = (posted: Posted): Posted[] => {
    const { at } = posted;
    const by = Math.round(at.now - newest.now - (at.steady - newest.steady));
    newest = at;
    return Math.abs(by) > TOLERATED_JUMP ? [{ event: { kind: "jump", by }, at }, posted] : [posted];
  };
  /** Once more if a part has failed meanwhile, or works again: the view says so. */
  const lookAgain = (beginning: Beginning, at: Clocks) => {
    lookOnce(beginning, at);
    if (isFailing() !== view.known.vigie_failed) lookOnce(beginning, at);
  };
  const lookOnce = (beginning: Beginning, at: Clocks) => {
    const { config } = beginning;
    isWaiting = false;
    known = withPassing(known, { hasFailed: isFailing() });
    const isTriedSoon = failedAt !== null && at.steady < failedAt + RETRIED_AFTER;
    if (!isTriedSoon) {
      const hasLooked = protect("look", () => {
        const settled = settle(known, at, { config, protect });
        view = look(settled.known, at, config, { ...settled, before: view, protect });
        known = settled.known;
      });
      failedAt = hasLooked ? null : at.steady;
    }
    if (failedAt !== null) {
      protect("look after an error", () => {
        // What was learnt is saved all the same.
        saveKnown(config, at);
        view = lookAfterError(view, known, at, { config, protect });
      });
    }
    if (isFailing()) {
      // What fails may stay due: it is not tried without end.
      const now = Math.max(at.now + BETWEEN_TRIES, Math.min(view.boundary.now, at.now + RETRIED_AFTER));
      const steady =
        failedAt === null
          ? Math.max(view.boundary.steady, at.steady + BETWEEN_TRIES)
          : failedAt + RETRIED_AFTER;
      view = { ...view, boundary: { now, steady } };
    }
    showAll(beginning, changes);
  };
  const saveKnown = (config: LoopConfig, at: Clocks) => {
    const trueTime = view.known.clock.at + (at.steady - view.at.steady);
    known = settleSaving(known, { trueTime, steady: at.steady }, config);
  };
  /** Nothing that the rules look at is another than before, so there is no change to say. */
  const showKnown = (beginning: Beginning, at: Clocks) => {
    const { config } = beginning;
    protect("what is known", () => {
      saveKnown(config, at);
      view = showAgain(view, known, config);
    });
    showAll(beginning, (before) => ({ said: before, lines: [], events: [] }));
  };
  const showAll = ({ config, sinks, say }: Beginning, findChanges: typeof changes) => {
    for (const sink of sinks) protect(sink.name, () => sink.show(view));
    const { said: lines } = known.passing;
    if (lines.length > 0) known = withPassing(known, { said: [] });
    let found: Changes = { said, lines: [], events: [] };
    protect("what has changed", () => {
      found = findChanges(said, view, config);
    });
    ({ said } = found);
    if (lines.length + found.lines.length + found.events.length === 0) return;
    protect("what is said", () => say({ ...found, lines: [...lines, ...found.lines] }));
  };
  /**
   * Until something is due by one of the two clocks. One long timer would not do: it counts the time that passes, and the wall
   * clock may be set, so both are compared several times a minute. No event puts off the next wake: values may come each second.
   */
  const sleep = () => {
    cancelSleep();
    if (!running) return;
    const { now, steady } = readClocks(clock);
    const { boundary } = view;
    const waits = [boundary.now - now, boundary.steady - steady, nextPollTime - now];
    const wait = Math.min(awakeAt + longestSleep - steady, ...waits);
    cancelSleep = clock.after(Math.max(1, Math.ceil(wait)), awake);
  };
  /** If this process was suspended, what arrived meanwhile is taken first: a device may have reported in time. */
  const awake = () => {
    setImmediate(() => setImmediate(takeTime));
  };
  const takeTime = () => {
    if (!running) return;
    const { now, steady } = readClocks(clock);
    awakeAt = steady;
    nextPollTime = running.nextPollTime(now);
    post({ kind: "time" });
    protect("wake", () => wake(view));
  };
  /**
   * A state that makes vigie throw must not end each start, nor keep a rule unknown for ever: a start sets aside what has to be,
   * so that the least throws. What throws with anything saved is no reason to set something aside.
   */
  const firstLook = ({ config }: Beginning, at: Clocks) => {
    const looks: { known: Known; view: View; errors: number; without: string }[] = [];
    for (const [without, nothing] of SET_ASIDE) {
      let errors = 0;
      const protectStart: Protect = (part, run) => {
        const isRun = protect(part, run);
        if (!isRun) errors += 1;
        return isRun;
      };
      const one = { ...known, kept: { ...known.kept, ...nothing } };
      ownErrors.attempt(without === "" ? "a start" : `a start without ${without}`, () => {
        looks.push({ known: one, view: look(one, at, config, { protect: protectStart }), errors, without });
      });
      if (looks.at(-1)?.errors === 0) break;
    }
    const least = Math.min(...looks.map(({ errors }) => errors));
    const best = looks.find(({ errors }) => errors === least);
    if (!best) throw new Error("vigie can start neither with what it has saved nor without it");
    ({ known, view } = best);
    if (best.without === "") return;
    // What was said is read from what was saved.
    said = saidAtStart(known.kept);
    known = say(known, [{ level: "warn", sentence: describeSetAside(best.without) }]);
  };
  return {
    post,
    begin: (beginning) => {
      const at = readClocks(clock);
      ({ known, said } = beginning);
      newest = at;
      awakeAt = at.steady;
      failedAt = null;
      ownErrors.forget();
      firstLook(beginning, at);
      running = beginning;
      nextPollTime = beginning.nextPollTime(at.now);
      alone(() => {
        known = settleDue(known, at, { config: beginning.config, protect });
        lookAgain(beginning, at);
      });
    },
    pause: () => {
      running = undefined;
      isWaiting = false;
      cancelSleep();
      return known;
    },
    known: () => known,
    view: () => view,
  };
}

const NO_RULES: Partial<Kept> = { rules: NO_RULES_STATE, settings: {}, simulation: null };

/** What failed is tried again. */
const RETRIED_AFTER = 60_000;
const BETWEEN_TRIES = 1_000;
/** Events of which many come in one turn. */
const SHARED: ReadonlySet<Event["kind"]> = new Set(["outputs", "saved", "values"]);

function describeSetAside(without: string): string {
  return `This start is without ${without}: an error of vigie itself keeps what was saved from being read`;
}

/** What a start does without, one after the other. */
const SET_ASIDE: readonly (readonly [string, Partial<Kept>])[] = [
  ["", {}],
  ["what rules remember, and what commands have set", NO_RULES],
  [
    "what rules remember, what commands have set, and what was sent to devices",
    { ...NO_RULES, outputs: NOTHING_SENT },
  ],
  [
    "what rules remember, what commands have set, what was sent to devices, and the days that were known",
    { ...NO_RULES, outputs: NOTHING_SENT, days: NO_KNOWN_DAYS },
  ],
];
