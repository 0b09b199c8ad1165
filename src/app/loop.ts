import type { Config } from "../config/config.ts";
import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { Answer, OfficialAnswer, OfficialRequest, Request } from "../core/contract/answer.ts";
import { type ContradictionLine, findContradictions } from "../core/days/contradictions.ts";
import { type DayEvent, findDayEvents } from "../core/days/day-events.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import { learn, learnOfficial } from "../core/days/learn.ts";
import { describeRefused } from "../core/days/refused-words.ts";
import { deriveFacts } from "../core/facts/derive-facts.ts";
import type { Facts, FactsInput } from "../core/facts/facts.ts";
import {
  isOfficialShownAlike,
  type OfficialRecord,
  recordOfficialOutcome,
  recordOfficialSuccess,
  startOfficialRecord,
} from "../core/facts/official-record.ts";
import {
  isShownAlike,
  type PollOutcome,
  type PollRecord,
  recordAnswer,
  recordPollOutcome,
  type ServiceKind,
  startPollRecord,
} from "../core/facts/poll-record.ts";
import type { VerdictsAndFacts } from "../core/outputs/choose-outputs.ts";
import { nameFailedOutputs } from "../core/outputs/output-status.ts";
import { evaluateRules } from "../core/rules/evaluate-rules.ts";
import { createEvaluationInput } from "../core/rules/evaluation-input.ts";
import { forecastVerdicts, nextRuleBoundary, type VerdictForecast } from "../core/rules/forecast-verdicts.ts";
import { mqttConditionsIn, type Rule } from "../core/rules/rule.ts";
import { switchedAt } from "../core/rules/rule-settings.ts";
import {
  haveChanged,
  NO_READINGS,
  nextReadingBoundary,
  type Readings,
  readValues,
  settledReadings,
} from "../core/rules/value-readings.ts";
import type { Verdict } from "../core/rules/verdict.ts";
import { findVerdictChanges, type VerdictChange } from "../core/rules/verdict-changes.ts";
import { outputTopics } from "../core/topics/output-topics.ts";
import { renderTopics } from "../core/topics/render-topics.ts";
import { ruleTopics } from "../core/topics/rule-topics.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Found } from "../http/view.ts";
import type { DeviceSender } from "../mqtt/device-sender.ts";
import type { ValueListener } from "../mqtt/value-listener.ts";
import type { Clock } from "../runtime/clock.ts";
import { isOfficialSilent } from "../service/client-memory.ts";
import type { OfficialClient, OfficialReply } from "../service/official-client.ts";
import type { DueOfficial } from "../service/official-times.ts";
import {
  type LastAnswered,
  noteAnswered,
  type PlanInput,
  planFollowUps,
  planRequests,
} from "../service/plan-requests.ts";
import { sendRequests } from "../service/send-requests.ts";
import type { Reply, RequestOptions } from "../service/service-request.ts";
import { FORECAST_SERVICE, OFFICIAL_SOURCE, type Source } from "../service/sources.ts";
import type { LoopMemory } from "./loop-memory.ts";
import { createTimeCheck, type SourceName } from "./service-time.ts";

/** What the loop takes from the configuration. */
interface LoopConfig {
  rules: readonly Rule[];
  tariff: Tariff;
  service: Pick<Config["service"], "late_after" | "check_clock">;
  mqtt: Pick<Config["mqtt"], "grace">;
}

export interface LoopOptions {
  config: LoopConfig;
  serviceKind: ServiceKind;
  memory: LoopMemory;
  clock: Clock;
  /** Sends one request to the service; null where there is none. */
  ask: AskService | null;
  /** Sends one request to the official source; null where there is none. */
  askOfficial: AskOfficial | null;
  /** The retained topics as they should be from now on. */
  publish: (topics: Topics) => void;
  /** Sends devices what their outputs want. */
  devices: Pick<DeviceSender, "statuses" | "update">;
  /** What other programs in the house publish. */
  values: Pick<ValueListener, "heard" | "isSettled">;
  onDayEvent: (event: DayEvent) => void;
  onContradiction: (line: ContradictionLine) => void;
  /** An answer named a colour that does not count: the same sentence each time that this answer comes. */
  onRefusedWord: (sentence: string, source: Source) => void;
  onVerdictChange: (change: VerdictChange) => void;
  /** A time is over for which a command had disabled or enabled a rule. */
  onSwitchedBack: (rule: string, enabled: boolean) => void;
  onRefreshed: (snapshot: Snapshot) => void;
}

type AskService = (request: Request, options: RequestOptions) => Promise<LearntReply>;

/** What the loop uses of a reply. */
type LearntReply = Pick<Reply, "answer" | "date" | "made_at">;

type AskOfficial = OfficialClient["ask"];

export interface OfficialPollRequest {
  /** The most important first. */
  due: readonly DueOfficial[];
  signal: AbortSignal;
  onAnswered: (request: OfficialRequest) => void;
  onRetry?: RequestOptions["onRetry"];
}

export interface PollRequest extends RequestOptions {
  essential: boolean;
  /** Asks once more for days whose colour is final already, and for history that has left days out. */
  recheck: boolean;
}

export interface Loop {
  /** Asks the service for what is due, and refreshes with each answer that says something new. Never two at once. */
  poll: (request: PollRequest) => Promise<PollOutcome>;
  /** The same of the official source, at the same time as a poll of the service or not. */
  pollOfficial: (request: OfficialPollRequest) => Promise<PollOutcome>;
  /** Derives what is true now from what is remembered, and publishes it. */
  refresh: () => void;
  /** Values were heard: refreshes where a condition finds something else than before. */
  noticeValues: () => void;
  /** Milliseconds from this machine's clock to the true time, as a source told it: 0 where the clock counts as right. */
  clockBehind: () => number;
  /** What the last refresh found. */
  snapshot: () => Snapshot;
  /** When each source last answered; the published instants move less often. */
  lastSuccess: () => { service: Instant | null; official: Instant | null };
}

/** What a refresh found, and when the next one is due. */
export interface Snapshot extends Found {
  /** The next instant, by this machine's clock, at which time alone changes a fact or a verdict. */
  boundary: Instant;
}

/** The loop of `run` and of `once`. It refreshes at once, with what the state file holds. */
export function createLoop(options: LoopOptions): Loop {
  const { config, memory, clock, devices } = options;
  const { rules, tariff, service } = config;
  const { grace } = config.mqtt;
  const time = createTimeCheck(clock, service.check_clock);
  const mqttConditions = rules.flatMap(({ when }) => mqttConditionsIn(when));
  const renewWithin = Math.max(0, grace - RENEWED_BEFORE);
  let readings: Readings = new Map();
  let isSettled = false;
  let polls: PollRecord = startPollRecord(time.now(memory.days()).at, memory.days(), options.serviceKind);
  let official: OfficialRecord | null =
    options.askOfficial &&
    startOfficialRecord(time.now(memory.days()).at, memory.days(), memory.officialClient.get().failing_since);
  // Empty from the end of the first poll ever of each source, with or without an answer. Before, no device is sent anything,
  // and no verdict is a change. A state file with days says that there was one.
  const unpolled = new Set(Object.keys(memory.days().days).length > 0 ? [] : sourcesOf(options));
  let latest!: Snapshot;

  function refresh(): void {
    const known = gatherKnown();
    const { at: trueTime, right } = known.clock;
    const facts = deriveFacts(known, tariff);

    const simulation = memory.simulation();
    readings = readNow(trueTime);
    isSettled = options.values.isSettled();
    const values = isSettled ? settledReadings(readings) : NO_READINGS;
    const { knownDays } = known;
    const input = createEvaluationInput({ at: trueTime, knownDays, tariff, simulation, values });
    const rulesBefore = memory.rulesState();
    const { verdicts, real, next, saving } = evaluateRules(rules, input, memory.settings(), rulesBefore);
    const changes = unpolled.size === 0 && right ? findVerdictChanges(rulesBefore, verdicts, input) : [];
    const forecasts = forecastVerdicts(verdicts, input);

    const topics: Topics = new Map([
      ...renderTopics(facts, { grace, laws: tariff.laws }),
      ...ruleTopics({ verdicts, forecasts, input, grace, clockRight: right }),
      ...outputTopics(devices.statuses()),
    ]);
    options.publish(topics);
    if (right) {
      memory.keepRulesState(next, saving);
      endSettings(trueTime);
    }
    const boundary = right
      ? Math.min(facts.next_boundary, ruleBoundary(verdicts, forecasts))
      : facts.next_boundary;
    // Convert true time to machine time.
    const machineBoundary = clock.now() + (boundary - trueTime);
    const decided = right ? { verdicts, forecasts, real } : NOTHING_DECIDED;
    latest = {
      known,
      facts,
      input,
      verdicts: decided.verdicts,
      forecasts: decided.forecasts,
      real: { facts: withoutSimulation(known, facts), verdicts: decided.real },
      topics,
      boundary: machineBoundary,
    };

    for (const change of changes) options.onVerdictChange(change);
    if (unpolled.size === 0) {
      devices.update({
        withSimulation: withFacts(latest),
        withoutSimulation: withFacts(latest.real),
      });
    }
    options.onRefreshed(latest);
  }

  /** After the evaluation, which may need to know when a time was over. */
  function endSettings(at: Instant): void {
    for (const id of memory.endSettings(at))
      options.onSwitchedBack(id, switchedAt(memory.settings(), id, at).enabled);
  }

  /** Of the rules, of the values that they look at, and of what has to be saved. */
  function ruleBoundary(verdicts: readonly Verdict[], forecasts: readonly VerdictForecast[]): Instant {
    return Math.min(
      ...verdicts.map(({ values }) => values?.heldUntil ?? NEVER),
      nextRuleBoundary(forecasts) ?? NEVER,
      nextReadingBoundary(readings, renewWithin),
      memory.savingDue(),
    );
  }

  function readNow(at: Instant): Readings {
    return readValues(mqttConditions, options.values.heard(), at, readings, renewWithin);
  }

  function noticeValues(): void {
    if (!options.values.isSettled()) return;
    const { at } = time.now(memory.days());
    if (!isSettled || haveChanged(readings, readNow(at))) refresh();
  }

  function gatherKnown(): FactsInput {
    return {
      knownDays: memory.days(),
      polls,
      official,
      clock: time.now(memory.days()),
      late_after: service.late_after,
      simulation: memory.simulation(),
      failed_outputs: nameFailedOutputs(devices.statuses()),
    };
  }

  function withoutSimulation(known: FactsInput, facts: Facts): Facts {
    return facts.simulation === null ? facts : deriveFacts({ ...known, simulation: null }, tariff);
  }

  async function poll(request: PollRequest): Promise<PollOutcome> {
    const { ask } = options;
    const outcome = ask ? await askService(ask, request) : NOTHING_SENT;
    if (request.signal.aborted) return outcome;
    polls = recordPollOutcome(polls, outcome);
    notePolled("service");
    return outcome;
  }

  function notePolled(source: SourceName): void {
    const isFirst = unpolled.delete(source);
    if (isFirst || isChanged()) refresh();
  }

  /** Before the first answer ever there is nothing else to show, and a poll that fails may take minutes. */
  function showFirstFailure(failure: string): void {
    if (polls.last_success !== null) return;
    polls = recordPollOutcome(polls, { answers: 0, failures: [failure] });
    if (isChanged()) refresh();
  }

  function showFirstOfficialFailure(failure: string, kind: OfficialRequest["kind"], at: Instant): void {
    if (!official || official.last_success !== null) return;
    keepOfficial(recordOfficialOutcome(official, { answers: 0, failures: [failure] }, [kind], at));
    if (isChanged()) refresh();
  }

  async function pollOfficial(poll: OfficialPollRequest): Promise<PollOutcome> {
    const { due, signal, onAnswered } = poll;
    const { askOfficial } = options;
    if (!askOfficial) return NOTHING_SENT;
    const missing = new Set<OfficialRequest["kind"]>();
    const outcome = await sendRequests(
      OFFICIAL_SOURCE,
      signal,
      due,
      async ({ request, essential }, limit) => {
        missing.add(request.kind);
        const onRetry = (failure: string) => {
          poll.onRetry?.(failure);
          showFirstOfficialFailure(failure, request.kind, time.now(memory.days()).at);
        };
        const reply = await askOfficial(request, {
          signal: limit,
          essential,
          onRetry,
          trueTime: noteOfficialTime,
        });
        protectFromOwnErrors(() => takeOfficialAnswer(reply));
        if (reply.failure) throw reply.failure;
        missing.delete(request.kind);
        onAnswered(request);
        return [];
      },
    );
    if (signal.aborted) return outcome;
    const { at } = time.now(memory.days());
    keepOfficial(official && recordOfficialOutcome(official, outcome, [...missing], at));
    notePolled("official");
    return outcome;
  }

  function keepOfficial(record: OfficialRecord | null): void {
    official = record;
    const failing_since = record?.light?.since ?? null;
    const known = memory.officialClient.get();
    if (known.failing_since !== failing_since) memory.officialClient.set({ ...known, failing_since });
  }

  function noteOfficialTime(date: Instant | null): Instant {
    time.noteTime("official", date);
    return time.now(memory.days()).at;
  }

  function askService(ask: AskService, request: PollRequest): Promise<PollOutcome> {
    const plan = planRequests(planInput(request));
    const onRetry = (failure: string) => {
      request.onRetry?.(failure);
      showFirstFailure(failure);
    };
    return sendRequests(FORECAST_SERVICE, request.signal, plan, async (one, signal) => {
      const reply = await ask(one, { ...request, signal, onRetry });
      const daysBefore = memory.days();
      protectFromOwnErrors(() => takeAnswer(reply));
      return planFollowUps(reply.answer, daysBefore, planInput(request));
    });
  }

  function takeAnswer({ answer, date, made_at }: LearntReply): void {
    time.noteTime("service", date);
    const { at, right } = time.now(memory.days());
    const daysBefore = memory.days();
    const [made, seen] = [time.madeAt("service", made_at, at), time.seenAt("service", at)];
    const days = learn(daysBefore, answer, at, tariff, made, seen);
    polls = recordAnswer(polls, { answer, at, before: daysBefore, after: days });
    keepDays(days, noteAnswered(memory.lastAnswered(), answer, at, tariff), at);
    if (right) reportRefused(answer, made, days, at);
  }

  function takeOfficialAnswer({ answer, failure, made_at }: OfficialReply): void {
    const { at, right } = time.now(memory.days());
    if (!failure) keepOfficial(official && recordOfficialSuccess(official, answer.kind, at));
    const [made, seen] = [time.madeAt("official", made_at, at), time.seenAt("official", at)];
    const days = learnOfficial(memory.days(), answer, at, tariff, made, seen);
    keepDays(days, memory.lastAnswered(), at);
    if (right) reportRefused(answer, made, days, at);
  }

  /** Only where the clock is right: otherwise a fresh answer may be refused too, and the line would call it old. */
  function reportRefused(
    answer: Answer | OfficialAnswer,
    made_at: Instant,
    days: KnownDays,
    at: Instant,
  ): void {
    const source = "words" in answer ? OFFICIAL_SOURCE : FORECAST_SERVICE;
    for (const line of describeRefused(answer, made_at, days, at, tariff))
      options.onRefusedWord(line, source);
  }

  /** Keeps what an answer taught, and says what is new of it. */
  function keepDays(days: KnownDays, lastAnswered: LastAnswered, at: Instant): void {
    const before = memory.days();
    memory.keepAnswer(days, lastAnswered);
    for (const event of findDayEvents(before, days, at, tariff)) options.onDayEvent(event);
    for (const line of findContradictions(before, days, at, tariff)) options.onContradiction(line);
    if (isChanged()) refresh();
  }

  /** Most answers say what the one before said: then nothing has to be derived and published again. */
  function isChanged(): boolean {
    const { known, boundary } = latest;
    return (
      memory.days() !== known.knownDays ||
      !isShownAlike(polls, known.polls) ||
      !isOfficialShownAlike(official, known.official) ||
      !known.clock.right ||
      !time.now(memory.days()).right ||
      clock.now() >= boundary
    );
  }

  function planInput({ recheck }: PollRequest): PlanInput {
    const knownDays = memory.days();
    const now = time.now(knownDays).at;
    const officialSilent = isOfficialSilent(memory.client.get(), now);
    return { knownDays, lastAnswered: memory.lastAnswered(), tariff, now, officialSilent, recheck };
  }

  refresh();
  return {
    poll,
    pollOfficial,
    refresh,
    noticeValues,
    clockBehind: () => time.behind(memory.days()),
    snapshot: () => latest,
    lastSuccess: () => ({
      service: polls.last_success,
      official: official?.last_success ?? null,
    }),
  };
}

/** Before the broker drops a topic of a rule that depends on a value, it is published again. */
const RENEWED_BEFORE = 60_000;
const NEVER = Number.POSITIVE_INFINITY;
const NOTHING_SENT: PollOutcome = { failures: [], answers: 0 };

/** While the clock is known to be wrong. */
const NOTHING_DECIDED = { verdicts: [], forecasts: [], real: [] };

function sourcesOf({ ask, askOfficial }: LoopOptions): SourceName[] {
  return [...(ask ? (["service"] as const) : []), ...(askOfficial ? (["official"] as const) : [])];
}

/** An error here is not a failure of a source. vigie goes on: what it knows of other days stays published. */
function protectFromOwnErrors(take: () => void): void {
  try {
    take();
  } catch (cause) {
    throw new Error(`An error of vigie itself, not of the service: ${String(cause)}`, { cause });
  }
}

function withFacts({ verdicts, facts }: Pick<Snapshot, "verdicts" | "facts">): VerdictsAndFacts {
  return { verdicts: new Map(verdicts.map((verdict) => [verdict.rule.id, verdict])), facts };
}
