import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import { serviceFacts } from "../facts/service-facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { nameFailedOutputs } from "../outputs/output-status.ts";
import { dueQuestions, dueSends, outputStatuses } from "../outputs/outputs-part.ts";
import { forecastVerdicts, nextRuleBoundary, type VerdictForecast } from "../rules/forecast-verdicts.ts";
import { nextReadingBoundary, type Readings } from "../rules/value-readings.ts";
import type { Verdict } from "../rules/verdict.ts";
import { nextRequest } from "../sources/poll.ts";
import { outputGroups } from "../topics/output-topics.ts";
import { factGroups } from "../topics/render-topics.ts";
import { ruleGroups } from "../topics/rule-topics.ts";
import { renderGroups, type TopicGroups, topicsOf } from "../topics/topic-group.ts";
import { type Evaluation, evaluate, renewWithin } from "./evaluate.ts";
import { recordsOf } from "./facts-input.ts";
import { type Known, outputsOf } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { partOf } from "./poll-sources.ts";
import { whyUnsaved } from "./saving.ts";
import { nextSettling, verdictsFor } from "./settle.ts";
import type { Shown, View } from "./view.ts";

interface LookOptions {
  protect?: Protect;
  /** That of this very instant. */
  evaluation?: Evaluation;
  /** The last view: what throws is as it was. */
  before?: Pick<View, "outputs" | "topicGroups"> | undefined;
}

/** All that follows from what is known. It reads only: whoever looks changes nothing. */
export function look(
  known: Known,
  at: Clocks,
  config: LoopConfig,
  {
    protect = UNPROTECTED,
    evaluation = evaluate(known, at, config, protect),
    before = NOTHING_SHOWN,
  }: LookOptions = {},
): View {
  const { grace, tariff } = config;
  const { input, verdicts, next } = evaluation;
  const { right, at: trueTime } = evaluation.known.clock;
  const outputs = outputStatuses(outputsOf(known), {
    outputs: config.outputs,
    verdicts: verdictsFor(known, evaluation),
    isDemo: config.isDemo,
    before: before.outputs,
    protect,
  });
  // The outputs may be others than those of which the evaluation knew.
  const factsInput = { ...evaluation.known, failed_outputs: nameFailedOutputs(outputs) };
  const withOutputs = (facts: Facts): Facts => ({
    ...facts,
    service: serviceFacts(factsInput, facts.moment),
  });
  const facts = withOutputs(evaluation.facts);
  const forecasts = forecastVerdicts(verdicts, input, protect);
  const decided = right ? { verdicts, forecasts, real: evaluation.real.verdicts } : NOTHING_DECIDED;
  const boundary = right
    ? Math.min(facts.next_boundary, ruleBoundary(verdicts, forecasts, evaluation.readings, grace))
    : facts.next_boundary;
  const topicGroups = renderGroups(
    [
      ...factGroups(facts, { grace, laws: tariff.laws }),
      ...ruleGroups({ verdicts, forecasts, input, grace, clockRight: right }),
      ...outputGroups(outputs),
    ],
    { at: trueTime, grace, before: before.topicGroups, protect },
  );
  const due = nextSettling(known, at, config);
  // Convert true time to machine time.
  const trueUntil = at.now + (Math.min(boundary, due.trueTime) - trueTime);
  return {
    at,
    known: factsInput,
    facts,
    input,
    verdicts: decided.verdicts,
    forecasts: decided.forecasts,
    real: { facts: withOutputs(evaluation.real.facts), verdicts: decided.real },
    evaluated: verdicts,
    next,
    outputs,
    topics: topicsOf(topicGroups),
    topicGroups,
    ...shownOf(known, config),
    trueUntil,
    boundary: { now: trueUntil, steady: due.steady },
  };
}

/**
 * This view, with what it shows as it is known now. Most answers change nothing but when their source last answered, and are not
 * looked at.
 */
export function showAgain({ unsaved: _unsaved, ...view }: View, known: Known, config: LoopConfig): View {
  const boundary = { ...view.boundary, steady: nextSettling(known, view.at, config).steady };
  return { ...view, known: { ...view.known, ...recordsOf(known) }, ...shownOf(known, config), boundary };
}

function shownOf(known: Known, { sources }: LoopConfig): Shown {
  const { passing } = known;
  const records = passing.sources;
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
      isPolled: sources.every(({ id }) => records[id]?.isPolled),
      hasFailed: sources.some(({ id }) => records[id]?.hasFailed),
    },
    values: passing.values.heard,
    broker: passing.broker,
    homeAssistant: passing.homeAssistant,
    isPolled: passing.isPolled,
    pollCounts: passing.pollCounts,
    saving: passing.saving,
    jumps: passing.jumps,
    ...(unsaved !== null && { unsaved }),
  };
}

/**
 * After a look that failed: what the last one found stays as long as time alone does not change it; then nothing of the
 * moment is known.
 */
export function lookAfterError(
  before: View,
  known: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): View {
  const { grace, tariff } = config;
  const isOver = at.now >= before.trueUntil;
  const failed = (facts: Facts): Facts => ({
    ...facts,
    moment: isOver ? null : facts.moment,
    service: { ...facts.service, problem_code: "vigie" },
  });
  const facts = failed(before.facts);
  const { input, verdicts, forecasts, real, topicGroups, evaluated } = before;
  const ofRules = isOver
    ? ruleGroups({ verdicts: evaluated, forecasts: [], input, grace, clockRight: true })
    : [];
  const groups = [
    ...factGroups(facts, { grace, laws: tariff.laws }),
    ...ofRules.map((group) => ({ ...group, render: group.unknown ?? group.render })),
  ];
  const trueTime = before.known.clock.at + (at.steady - before.at.steady);
  const changed = renderGroups(groups, { at: trueTime, grace, before: topicGroups, protect });
  const nowGroups = new Map([...topicGroups, ...changed]);
  const shown = showAgain(before, known, config);
  return {
    ...shown,
    known: { ...shown.known, vigie_failed: true },
    facts,
    verdicts: isOver ? [] : verdicts,
    forecasts: isOver ? [] : forecasts,
    real: { facts: failed(real.facts), verdicts: isOver ? [] : real.verdicts },
    topics: topicsOf(nowGroups),
    topicGroups: nowGroups,
    boundary: { ...before.boundary, now: isOver ? Number.POSITIVE_INFINITY : before.trueUntil },
  };
}

/** Of the rules, and of the values that they look at. */
function ruleBoundary(
  verdicts: readonly Verdict[],
  forecasts: readonly VerdictForecast[],
  readings: Readings,
  grace: number,
): Instant {
  return Math.min(
    ...verdicts.map(({ values }) => values?.heldUntil ?? NEVER),
    nextRuleBoundary(forecasts) ?? NEVER,
    nextReadingBoundary(readings, renewWithin(grace)),
  );
}

const NEVER = Number.POSITIVE_INFINITY;
const NOTHING_SHOWN: { outputs: []; topicGroups: TopicGroups } = { outputs: [], topicGroups: new Map() };
/** While the clock is known to be wrong. */
const NOTHING_DECIDED = { verdicts: [], forecasts: [], real: [] };
