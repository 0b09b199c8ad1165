import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import { serviceFacts } from "../facts/service-facts.ts";
import { NO_PROBLEMS } from "../log/problem.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { dueSends } from "../outputs/flights.ts";
import { nameFailedOutputs, outputStatuses } from "../outputs/output-status.ts";
import { dueQuestions } from "../outputs/outputs-part.ts";
import { type Future, futuresOf, nextRuleBoundary } from "../rules/futures.ts";
import { nextReadingBoundary, type Readings } from "../rules/value-readings.ts";
import type { Verdict } from "../rules/verdict.ts";
import { nextRequest } from "../sources/poll.ts";
import { NO_POLLS } from "../sources/poll-outcome.ts";
import { outputGroups } from "../topics/output-topics.ts";
import { factGroups } from "../topics/render-topics.ts";
import { ruleGroups } from "../topics/rule-topics.ts";
import { renderGroups, topicsOf } from "../topics/topic-group.ts";
import { type Evaluation, evaluate, renewWithin } from "./evaluate.ts";
import { recordsOf } from "./facts-input.ts";
import { type Known, outputsOf } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { mayDecide, nextPollBoundary, partOf } from "./poll-sources.ts";
import { findProblems } from "./problems.ts";
import { whyUnsaved } from "./saving.ts";
import { nextSettling, verdictsFor } from "./settle.ts";
import type { Shown, View } from "./view.ts";

interface LookOptions {
  protect?: Protect;
  /** That of this very instant. */
  evaluation?: Evaluation | undefined;
  /** The last view: what throws is as it was. */
  before?: Partial<Pick<View, "outputs" | "problems" | "topicGroups">>;
}

/** All that follows from what is known. It reads only: whoever looks changes nothing. */
export function look(
  known: Known,
  at: Clocks,
  config: LoopConfig,
  { protect = UNPROTECTED, evaluation = evaluate(known, at, config, protect), before = {} }: LookOptions = {},
): View {
  const { grace, tariff } = config;
  const { input, verdicts, next, factsAt, real } = evaluation;
  const { right, at: trueTime } = evaluation.factsInput.clock;
  const outputs = outputStatuses(outputsOf(known), {
    outputs: config.outputs,
    verdicts: verdictsFor(known, config, evaluation),
    isDemo: config.isDemo,
    before: before.outputs ?? [],
    protect,
  });
  // The outputs may be others than those of which the evaluation knew.
  const factsInput = { ...evaluation.factsInput, failed_outputs: nameFailedOutputs(outputs) };
  const withOutputs = (facts: Facts): Facts => ({
    ...facts,
    service: serviceFacts(factsInput, facts.moment),
  });
  const facts = withOutputs(factsAt(trueTime));
  const realFacts = facts.simulation === null ? facts : withOutputs(real.factsAt(trueTime));
  const futures = futuresOf(verdicts, input);
  const decided = right ? { verdicts, futures, real: real.verdicts } : NOTHING_DECIDED;
  const boundary = right
    ? Math.min(facts.next_boundary, ruleBoundary(verdicts, futures, evaluation.readings, grace))
    : facts.next_boundary;
  const topicGroups = renderGroups(
    [
      ...factGroups(facts, { grace, laws: tariff.laws }),
      ...ruleGroups({ verdicts, futures, input, grace, clockRight: right }),
      ...outputGroups(outputs),
    ],
    { before: before.topicGroups ?? new Map(), protect },
  );
  return {
    at,
    factsInput,
    facts,
    input,
    verdicts: decided.verdicts,
    futures: decided.futures,
    real: { facts: realFacts, verdicts: decided.real },
    evaluated: verdicts,
    next,
    outputs,
    problems: findProblems(known, {
      at,
      config,
      input: factsInput,
      facts,
      verdicts: decided.verdicts,
      before: before.problems ?? NO_PROBLEMS,
    }),
    topics: topicsOf(topicGroups),
    topicGroups,
    ...shownOf(known, config),
    // Convert true time to machine time.
    boundary: {
      now: Math.min(at.now + (boundary - trueTime), nextPollBoundary(known, at, config)),
      steady: nextSettling(known, at, config),
    },
  };
}

function shownOf(known: Known, config: LoopConfig): Shown {
  const { sources } = config;
  const { passing } = known;
  const unsaved = whyUnsaved(passing.saving);
  return {
    requests: Object.fromEntries(
      sources.map((source) => {
        const part = partOf(known, source);
        return [source.id, part ? nextRequest(part) : null];
      }),
    ),
    sends: dueSends(outputsOf(known)),
    questions: dueQuestions(outputsOf(known)),
    sinceStart: {
      unpolled: sources.map(({ id }) => id).filter((id) => !passing.sources[id]?.isPolled),
      hasFailed: sources.some(({ id }) => passing.sources[id]?.firstFailure),
    },
    broker: passing.broker,
    homeAssistant: passing.homeAssistant,
    mayDecide: mayDecide(known, config),
    pollCounts: Object.fromEntries(sources.map(({ id }) => [id, passing.sources[id]?.counts ?? NO_POLLS])),
    saving: passing.saving,
    jumps: passing.jumps,
    ...(unsaved !== null && { unsaved }),
  };
}

/**
 * After an error of vigie itself in what decides, or in what is shown: nothing of the moment is known, but for what is sent to
 * devices. `evaluation`: undefined if what decides has failed.
 */
export function lookAfterError(
  { unsaved: _unsaved, ...before }: View,
  known: Known,
  at: Clocks,
  {
    config,
    protect,
    evaluation,
  }: { config: LoopConfig; protect: Protect; evaluation?: Evaluation | undefined },
): View {
  const { grace, tariff } = config;
  const outputs = outputStatuses(outputsOf(known), {
    outputs: config.outputs,
    verdicts: evaluation ? verdictsFor(known, config, evaluation) : null,
    isDemo: config.isDemo,
    before: before.outputs,
    protect,
  });
  const failed_outputs = nameFailedOutputs(outputs);
  const failed = (facts: Facts): Facts => ({
    ...facts,
    moment: null,
    service: { ...facts.service, problem_code: "vigie", failed_outputs },
  });
  const facts = failed(before.facts);
  const { input, real } = before;
  // What commands have set is in force, and is shown with the rule.
  const verdicts = evaluation?.verdicts ?? before.evaluated;
  const groups = [
    ...factGroups(facts, { grace, laws: tariff.laws }),
    ...ruleGroups({ verdicts, futures: [], input, grace, clockRight: true }).map((group) => ({
      ...group,
      render: group.unknown ?? group.render,
    })),
    ...outputGroups(outputs),
  ];
  const changed = renderGroups(groups, { before: before.topicGroups, protect });
  const topicGroups = new Map([...before.topicGroups, ...changed]);
  return {
    ...before,
    factsInput: { ...before.factsInput, ...recordsOf(known, config), failed_outputs, vigie_failed: true },
    facts,
    outputs,
    verdicts: [],
    futures: [],
    real: { facts: failed(real.facts), verdicts: [] },
    topics: topicsOf(topicGroups),
    topicGroups,
    ...shownOf(known, config),
    boundary: { now: nextPollBoundary(known, at, config), steady: nextSettling(known, at, config) },
  };
}

/** The next boundary of the rules, and of the values that they look at. */
function ruleBoundary(
  verdicts: readonly Verdict[],
  futures: readonly Future[],
  readings: Readings,
  grace: number,
): Instant {
  return Math.min(
    ...verdicts.map(({ hold }) => hold?.until ?? NEVER),
    nextRuleBoundary(futures) ?? NEVER,
    nextReadingBoundary(readings, renewWithin(grace)),
  );
}

const NEVER = Number.POSITIVE_INFINITY;
/** While the clock is known to be wrong. */
const NOTHING_DECIDED = { verdicts: [], futures: [], real: [] };
