import type { Clocks } from "../core/calendar/clocks.ts";
import type { Event, Posted } from "../core/loop/event.ts";
import type { Known } from "../core/loop/known.ts";
import type { View } from "../core/loop/view.ts";
import { type ClockWithTimers, readClocks, TOLERATED_JUMP } from "../runtime/clock.ts";
import {
  type Beginning,
  beginState,
  endState,
  type LoopState,
  lookAtAll,
  type Sink,
  takeEvent,
} from "./loop-state.ts";
import type { OwnErrors } from "./own-errors.ts";

export type Post = (event: Event) => void;

interface LoopOptions {
  clock: ClockWithTimers;
  /** Milliseconds: a suspend, or a clock that was set, is noticed this soon. */
  longestSleep: number;
  ownErrors: OwnErrors;
  /** At each wake, several times a minute, also if nothing is due. */
  wake: Sink["show"];
}

/**
 * For each event `known = take(known, event)`. Then all is looked at, unless the event can change nothing that is shown: what is due is
 * settled, the view is derived from what is known, and each sink shows it. Events that are posted meanwhile wait.
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
  const inbox = createInbox(clock);
  const alarm = createAlarm(clock, longestSleep);
  /** undefined before the first beginning. */
  let state!: LoopState;
  let isRunning = false;
  let isTaking = false;

  const post: Post = (event) => {
    inbox.put(event);
    if (!isTaking) alone(() => undefined);
  };
  /** What comes while this runs is taken after it. */
  const alone = (run: () => void) => {
    isTaking = true;
    try {
      run();
      for (let posted = next(); posted; posted = next()) takeOne(posted);
    } finally {
      isTaking = false;
      if (isRunning) alarm.set(state.view, takeTime);
    }
  };
  const next = () => (isRunning ? inbox.next() : undefined);
  const takeOne = (posted: Posted) => {
    const isLookedAt = takeEvent(state, posted);
    if (isLookedAt === "now") lookNow(posted.at);
    if (isLookedAt === "soon") sharedLook.ask();
  };
  const lookNow = (at: Clocks) => {
    sharedLook.cancel();
    lookAtAll(state, at);
  };
  const sharedLook = createSharedLook(() => alone(() => lookNow(readClocks(clock))));
  const takeTime = () => {
    if (!isRunning) return;
    post({ kind: "time" });
    ownErrors.protect("wake", () => wake(state.view));
  };
  return {
    post,
    begin: (beginning) => {
      const at = readClocks(clock);
      inbox.begin(at);
      state = beginState(beginning, at, ownErrors, state);
      isRunning = true;
      alarm.begin(at);
      alone(() => lookNow(at));
    },
    pause: () => {
      isRunning = false;
      sharedLook.cancel();
      alarm.cancel();
      return endState(state);
    },
    known: () => state.known,
    view: () => state.view,
  };
}

/** What was posted and is not taken yet. If this machine's clock was set since the event before, that is an event of its own. */
function createInbox(clock: ClockWithTimers) {
  const waiting: Posted[] = [];
  let newest: Clocks | undefined;
  return {
    /** A clock that is set during a reload is noticed after it. */
    begin: (at: Clocks) => {
      newest ??= at;
    },
    put: (event: Event) => {
      const at = readClocks(clock);
      newest ??= at;
      const by = Math.round(at.now - newest.now - (at.steady - newest.steady));
      newest = at;
      if (Math.abs(by) > TOLERATED_JUMP) waiting.push({ event: { kind: "jump", by }, at });
      waiting.push({ event, at });
    },
    next: () => waiting.shift(),
  };
}

/** What devices and the disk say in one turn of the event loop is looked at together. */
function createSharedLook(run: () => void) {
  let isAsked = false;
  return {
    ask: () => {
      if (isAsked) return;
      isAsked = true;
      setImmediate(() => {
        if (isAsked) run();
      });
    },
    cancel: () => {
      isAsked = false;
    },
  };
}

/**
 * Wakes the loop when something is due by one of the two clocks. One long timer would not do: it counts the time that passes, and the
 * wall clock may be set, so both are compared several times a minute. No event puts off the next wake: values may come each second.
 */
function createAlarm(clock: ClockWithTimers, longestSleep: number) {
  let awakeAt = Number.NEGATIVE_INFINITY;
  let cancel: () => void = () => undefined;
  const wakeUp = (run: () => void) => {
    awakeAt = clock.steady();
    run();
  };
  return {
    begin: ({ steady }: Clocks) => {
      awakeAt = steady;
    },
    set: ({ boundary }: View, run: () => void) => {
      cancel();
      const { now, steady } = readClocks(clock);
      const wait = Math.min(awakeAt + longestSleep - steady, boundary.now - now, boundary.steady - steady);
      // If this process was suspended, what arrived meanwhile is taken first: a device may have reported in time.
      const awake = () => setImmediate(() => setImmediate(() => wakeUp(run)));
      cancel = clock.after(Math.max(1, Math.ceil(wait)), awake);
    },
    cancel: () => cancel(),
  };
}
