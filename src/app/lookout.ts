import { createHash } from "node:crypto";
import type { Config } from "../config/config.ts";
import { describeDevice } from "../core/discovery/describe-device.ts";
import type { Facts } from "../core/facts/facts.ts";
import { comparePrices } from "../core/facts/prices.ts";
import type { VerdictsAndFacts } from "../core/outputs/choose-outputs.ts";
import { readOutputsState } from "../core/outputs/outputs-state.ts";
import type { Verdict } from "../core/rules/verdict.ts";
import { describeTurn, turnEvent } from "../core/rules/verdict-changes.ts";
import { type OutputSender, startOutputSender } from "../mqtt/device-sender.ts";
import { type Discovery, startDiscovery } from "../mqtt/discovery-publisher.ts";
import type { Identity } from "../mqtt/owner.ts";
import type { Publisher } from "../mqtt/publisher.ts";
import type { OnCommand } from "../mqtt/watch-base.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { VERSION } from "../runtime/version.ts";
import { isOfficialSilent } from "../service/client-memory.ts";
import { type OwedPoll, owedPoll, type SlotInput } from "../service/poll-times.ts";
import type { ServiceClient } from "../service/service-client.ts";
import type { Store } from "../state/store.ts";
import { type Cycle, createCycle } from "./cycle.ts";
import { openOrders } from "./handle-command.ts";
import { tellClock, tellDayEvent, tellPoll } from "./report.ts";
import { openRulebook, type Rulebook } from "./rulebook.ts";
import { startSchedule } from "./schedule.ts";
import type { Seen } from "./seen.ts";
import type { Source } from "./source-memory.ts";

export interface LookoutOptions {
  config: Config;
  store: Store;
  source: Source;
  client: ServiceClient;
  publisher: Publisher;
  identity: Identity;
  log: Log;
  problemLog: ProblemLog;
  clock: Clock;
  random: () => number;
  /** Another one ran before it in this process. */
  renewed: boolean;
  onPoll: () => void;
  onBeat: (now: number) => void;
}

/** The loop: a cycle, and the schedule that drives it. */
export interface Lookout {
  facts: () => Facts;
  /** When the service answered last; what is published of it moves seldom. */
  lastSuccess: () => number | null;
  verdicts: () => readonly Verdict[];
  /** When Home Assistant has been told of every entity. */
  announced: () => Promise<void>;
  command: OnCommand;
  stop: () => Promise<void>;
}

/** Publishes what the store knows at once, before the first answer; then polls. */
export function startLookout(options: LookoutOptions): Lookout {
  const { log, clock } = options;
  const stopping = new AbortController();
  const offset = offsetOf(options.identity.installation);
  const rulebook = openRules(options);
  const sender: OutputSender = startOutputSender({
    outputs: options.config.outputs,
    state: readOutputsState(options.store.state().outputs),
    save: (outputs) => options.store.save({ ...options.store.state(), outputs }),
    clock,
    log,
    problemLog: options.problemLog,
    refresh: () => cycle.refresh(),
  });
  const cycle = openCycle(options, rulebook, sender);
  // Discovery first: it holds clearing, so that no topic goes before its entity does.
  const discovery = openDiscovery(options);
  cycle.refresh();
  const leaves = [sender, discovery].map(options.publisher.addConnectionUser);
  let polling = Promise.resolve();
  let lastPoll: number | null = null;

  const poll = (owed: OwedPoll) => {
    lastPoll = clock.now();
    polling = cycle.poll({ ...owed, signal: stopping.signal }).then((outcome) => {
      if (stopping.signal.aborted) return;
      tellPoll(outcome, comparePrices(cycle.seen().known, options.config.tariff), options.problemLog);
      options.onPoll();
    });
  };
  const owed = () => owedPoll(clock.now(), lastPoll, slotInput(options, offset));
  const pollIfDue = () => {
    const due = owed();
    if (due) poll(due);
  };
  pollIfDue();
  // It stands in for the hourly poll where that is due: a finger on the button must not put it off for ever.
  const ask = () => poll({ essential: owed()?.essential ?? false, confirm: true });
  const orders = openOrders({ rules: options.config.rules, rulebook, cycle, log, ask }, stopping.signal);
  const stopSchedule = startSchedule({
    clock,
    log,
    offset,
    pollIfDue,
    beat: beatOf(options, cycle),
    turn: () => cycle.seen().due,
    refresh: cycle.refresh,
    jumped: options.publisher.republishAll,
  });
  return {
    facts: () => cycle.seen().facts,
    lastSuccess: () => cycle.polls().last_success,
    verdicts: () => cycle.seen().rules.verdicts,
    announced: discovery.settled,
    command: orders.command,
    stop: async () => {
      stopSchedule();
      await orders.settled();
      stopping.abort();
      await Promise.all([sender.stop(), discovery.stop()]);
      for (const leave of leaves) leave();
      await polling;
    },
  };
}

function beatOf({ problemLog, onBeat }: LookoutOptions, cycle: Cycle): LookoutOptions["onBeat"] {
  return (now) => {
    tellClock(cycle.seen().known.clock, problemLog);
    onBeat(now);
  };
}

function slotInput({ config, source }: LookoutOptions, offset: number): SlotInput {
  return { poll: config.service.poll, tariff: config.tariff, knownDays: source.recall().knownDays, offset };
}

function openRules({ config, store, publisher, log }: LookoutOptions): Rulebook {
  return openRulebook({
    rules: config.rules,
    tariff: config.tariff,
    grace: config.mqtt.grace,
    store,
    log,
    turned: (turn) => {
      publisher.publishEvent(turnEvent(turn));
      log.info(describeTurn(turn));
    },
  });
}

function openDiscovery({ config, ...options }: LookoutOptions): Discovery {
  const { status_topic } = config.homeassistant;
  return startDiscovery({ ...options, description: describeDevice(config, VERSION), status_topic });
}

function openCycle(options: LookoutOptions, rulebook: Rulebook, sender: OutputSender): Cycle {
  const { config, source, client, publisher, log, clock } = options;
  const { dry_when_simulated } = config.outputs;
  return createCycle({
    rulebook,
    outputs: {
      hasProblem: sender.hasProblem,
      follow: ({ known, facts, rules }: Seen) => {
        const truth = dry_when_simulated ? rulebook.truth(known) : undefined;
        sender.update(outlook(rules.verdicts, facts), truth && outlook(truth.verdicts, truth.facts));
      },
    },
    tariff: config.tariff,
    late_after: config.service.late_after,
    check_clock: config.service.check_clock,
    grace: config.mqtt.grace,
    simulated: config.service.base_url === "simulator",
    memory: source.recall(),
    clock,
    ask: client.ask,
    officialSilent: (now) => isOfficialSilent(source.client.get(), now),
    want: publisher.setTopics,
    keep: source.keep,
    notice: (notice) => tellDayEvent(notice, log, publisher),
  });
}

function outlook(verdicts: readonly Verdict[], facts: Facts): VerdictsAndFacts {
  return { verdicts: new Map(verdicts.map((verdict) => [verdict.ready.rule.id, verdict])), facts };
}

/** 0 to 1, the same at each start: a thousand houses do not ask at the same second. */
function offsetOf(installation: string): number {
  return createHash("sha256").update(installation).digest().readUInt32BE() / 2 ** 32;
}
