import type { Clocks } from "../core/calendar/clocks.ts";
import { NO_PROBLEMS, type Problems } from "../core/log/problem.ts";
import type { Protect } from "../core/log/protect.ts";
import { type Changes, changes, type Said, saidAtStart } from "../core/loop/changes.ts";
import type { Evaluation } from "../core/loop/evaluate.ts";
import type { Event, Posted } from "../core/loop/event.ts";
import { type Kept, type Known, say, withPassing } from "../core/loop/known.ts";
import { look, lookAfterError } from "../core/loop/look.ts";
import type { LoopConfig } from "../core/loop/loop-config.ts";
import { mayChangeView } from "../core/loop/may-change-view.ts";
import { settlePolls } from "../core/loop/poll-sources.ts";
import { settleSaving } from "../core/loop/saving.ts";
import { nextSettling, settle } from "../core/loop/settle.ts";
import { take } from "../core/loop/take.ts";
import type { View } from "../core/loop/view.ts";
import { NOTHING_SENT } from "../core/outputs/outputs-kept.ts";
import { NO_RULES_STATE } from "../core/rules/rules-state.ts";
import type { OwnErrors } from "./own-errors.ts";

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
}

/** What the loop holds from one event to the next. The functions of this file change it. */
export interface LoopState {
  readonly beginning: Beginning;
  readonly ownErrors: OwnErrors;
  known: Known;
  view: View;
  said: Said;
}

/**
 * A state that makes vigie throw must neither end each start, nor keep a rule unknown for ever: a start is tried without what was
 * remembered. What throws all the same is no reason to forget anything, and ends no reload. `before`: what was held before a reload.
 */
export function beginState(
  beginning: Beginning,
  at: Clocks,
  ownErrors: OwnErrors,
  before: LoopState | undefined,
): LoopState {
  ownErrors.forget();
  const { known, config } = beginning;
  const { protect } = ownErrors;
  // What was wrong before a reload, and is not any more, is said to be over.
  const problems = before?.said.problems ?? NO_PROBLEMS;
  const tryWith = (start: Known) => tryStart(start, config, at, { ownErrors, problems });
  const first = tryWith(known);
  const without =
    first.errors > 0 ? tryWith({ ...known, kept: { ...known.kept, ...NOTHING_REMEMBERED } }) : first;
  const isForgotten = without.errors < first.errors;
  const { start, view: found } = isForgotten ? without : first;
  const view = found ?? (before && lookAfterError(before.view, start, at, { config, protect }));
  if (!view) throw new Error("vigie can start neither with what it has saved nor without it");
  // What was said comes from what rules remember.
  const said = isForgotten ? saidAtStart(start.kept) : beginning.said;
  return {
    beginning,
    ownErrors,
    known: isForgotten ? say(start, [{ level: "warn", sentence: WITHOUT_MEMORY }]) : start,
    view,
    said: { ...said, problems },
  };
}

/** What is shown if this is what vigie knows at a start, and how many parts of it throw. */
function tryStart(
  start: Known,
  config: LoopConfig,
  at: Clocks,
  { ownErrors, problems }: { ownErrors: OwnErrors; problems: Problems },
): { start: Known; view: View | undefined; errors: number } {
  let errors = 0;
  const counting: Protect = (part, run) => {
    const isRun = ownErrors.protect(part, run);
    if (!isRun) errors += 1;
    return isRun;
  };
  let evaluation: Evaluation | undefined;
  let view: View | undefined;
  // Under the names of later looks, which say when it is over.
  counting("what is decided", () => {
    ({ evaluation } = settle(start, at, { config, protect: counting }));
  });
  if (evaluation !== undefined)
    counting("what is shown", () => {
      view = look(start, at, config, { evaluation, before: { problems }, protect: counting });
    });
  return { start, view, errors: view ? errors : Number.POSITIVE_INFINITY };
}

/** Says what waits for a look, which does not come any more. Returns what is known. */
export function endState(state: LoopState): Known {
  const { said: lines } = state.known.passing;
  const { said, beginning, ownErrors } = state;
  if (lines.length > 0) ownErrors.protect("what is said", () => beginning.say({ said, lines, events: [] }));
  return withPassing(state.known, { said: [] });
}

/** Takes an event; returns when all has to be looked at because of it. */
export function takeEvent(state: LoopState, { event, at }: Posted): "never" | "soon" | "now" {
  const { beginning, ownErrors, known: before, view } = state;
  const { config } = beginning;
  const { protect, isFailing } = ownErrors;
  let isQuiet = false;
  protect(nameOf(event), () => {
    state.known = take(before, event, at, { config, protect });
    const shown = view.factsInput.clock;
    isQuiet = !mayChangeView(event, { before, known: state.known }, at, { config, shown, protect });
    // A report is judged a second later, though nothing is shown of it now; and a disk that has ended its write hangs no more.
    const due = isQuiet ? nextSettling(state.known, at, config) : view.boundary.steady;
    if (due !== view.boundary.steady) state.view = withBoundary(view, { steady: due });
  });
  // What was due by now is due, also if nothing more will be due later.
  if (isDueBy(view, at) || isDueBy(state.view, at)) return "now";
  if (isQuiet && isFailing() === state.known.passing.vigieFailed) return "never";
  return sharesLook(event) ? "soon" : "now";
}

/** Looks at all, and once more if a part has failed meanwhile, or works again: the view says so. */
export function lookAtAll(state: LoopState, at: Clocks): void {
  lookOnce(state, at);
  if (state.ownErrors.isFailing() !== state.view.factsInput.vigie_failed) lookOnce(state, at);
}

function lookOnce(state: LoopState, at: Clocks): void {
  const { config } = state.beginning;
  const { protect, isFailing } = state.ownErrors;
  state.known = withPassing(settlePolls(state.known, at, { config, protect }), { vigieFailed: isFailing() });
  let evaluation: Evaluation | undefined;
  protect("what is decided", () => {
    ({ known: state.known, evaluation } = settle(state.known, at, { config, protect }));
  });
  // What was learnt is saved, also if it makes vigie throw.
  protect("what is saved", () => {
    state.known = settleSaving(state.known, at, config);
  });
  const { known, view: before } = state;
  const isShown =
    evaluation !== undefined &&
    protect("what is shown", () => {
      state.view = look(known, at, config, { evaluation, before, protect });
    });
  if (!isShown)
    protect("what is shown after an error", () => {
      state.view = lookAfterError(before, known, at, { config, protect, evaluation });
    });
  if (isFailing()) state.view = withBoundary(state.view, triedAgain(state.view.boundary, at));
  showAll(state);
}

function showAll(state: LoopState): void {
  const { view, said } = state;
  const { config, sinks, say } = state.beginning;
  const { protect } = state.ownErrors;
  for (const sink of sinks) protect(sink.name, () => sink.show(view));
  const { said: lines } = state.known.passing;
  if (lines.length > 0) state.known = withPassing(state.known, { said: [] });
  let found: Changes = { said, lines: [], events: [] };
  protect("what has changed", () => {
    found = changes(said, view, config);
  });
  state.said = found.said;
  if (lines.length + found.lines.length + found.events.length === 0) return;
  protect("what is said", () => say({ ...found, lines: [...lines, ...found.lines] }));
}

/** Many of these come in one turn of the event loop. */
function sharesLook(event: Event): boolean {
  return event.kind === "outputs" || event.kind === "saved";
}

/** As an error of vigie itself names it. */
function nameOf(event: Event): string {
  const kind = event.kind === "source" ? `${event.source}, ${event.event.kind}` : event.kind;
  return `an event: ${kind}`;
}

function isDueBy({ boundary }: View, at: Clocks): boolean {
  return at.now >= boundary.now || at.steady >= boundary.steady;
}

function withBoundary(view: View, boundary: Partial<View["boundary"]>): View {
  return { ...view, boundary: { ...view.boundary, ...boundary } };
}

/** What fails may stay due: it is tried again within a minute, and not without end. */
function triedAgain({ now, steady }: View["boundary"], at: Clocks): View["boundary"] {
  const [soonest, latest] = [at.now + BETWEEN_TRIES, at.now + RETRIED_AFTER];
  return {
    now: Math.max(soonest, Math.min(now, latest)),
    steady: Math.max(steady, at.steady + BETWEEN_TRIES),
  };
}

const RETRIED_AFTER = 60_000;
const BETWEEN_TRIES = 1_000;

const NOTHING_REMEMBERED: Partial<Kept> = {
  rules: NO_RULES_STATE,
  settings: {},
  simulation: null,
  outputs: NOTHING_SENT,
};
const WITHOUT_MEMORY =
  "This start is without what rules remember, what commands have set, and what was sent to devices: an error of vigie itself keeps what was saved from being read";
