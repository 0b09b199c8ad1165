import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import { withoutRevisions } from "../days/official-words.ts";
import { describeRefused } from "../days/refused-words.ts";
import { madeAt, noteTime, seenAt, tellTime } from "../facts/source-clocks.ts";
import { describeDuration } from "../log/duration.ts";
import type { Protect } from "../log/protect.ts";
import { type OutputsEvent, takeOutputs } from "../outputs/take-outputs.ts";
import {
  askAgain,
  takeAnswered,
  takeCommand,
  takeFailed,
  takeFollowUps,
  takeMemory,
  takeTried,
} from "../sources/poll.ts";
import type { PollContext, Source, SourcePart } from "../sources/source.ts";
import type { AnsweredEvent, CommandsEvent, Event, SavedEvent, SourceEvent, ValuesEvent } from "./event.ts";
import { type Known, outputsOf, say, withOutputs, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { partOf, pollContext, withPart } from "./poll-sources.ts";
import { noteEnd } from "./saving.ts";
import { carryOut } from "./take-commands.ts";
import { noteTold } from "./told-time.ts";

interface Context {
  config: LoopConfig;
  at: Clocks;
  /** What was known before the event. */
  before: Known;
}

interface Step {
  /** As an error of vigie itself names it. */
  name: string;
  take: (known: Known, context: Context) => Known;
}

/**
 * What vigie knows after something happened. Each step sees what those before it made of the event. One that throws keeps what
 * was known, and all others go on: an answer of which nothing could be learnt was an answer all the same, and is not asked for
 * again at once.
 */
export function take(
  before: Known,
  event: Event,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): Known {
  let known = before;
  for (const step of stepsOf(event, config)) {
    protect(step.name, () => {
      known = step.take(known, { config, at, before });
    });
  }
  return known;
}

function stepsOf(event: Event, config: LoopConfig): Step[] {
  switch (event.kind) {
    case "time":
      return [];
    case "jump":
      return [
        { name: "a jump of the clock", take: (known) => takeJump(known, event.by) },
        {
          name: "what a jump of the clock leaves open",
          take: (known, at) => askAfterJump(known, event.by, at),
        },
      ];
    case "source": {
      const source = config.sources.find(({ id }) => id === event.source);
      return source ? stepsOfSource(source, event.event) : [];
    }
    case "commands":
      return [
        { name: "commands", take: (known, context) => takeCommands(known, event, context) },
        { name: "commands to ask", take: (known, context) => takePollCommands(known, event, context) },
      ];
    case "values":
      return [{ name: "values", take: (known, { at }) => takeValues(known, event, at) }];
    case "outputs":
      return [{ name: "outputs", take: (known, context) => takeOutputsEvent(known, event.event, context) }];
    case "broker":
      return [{ name: "the broker", take: (known) => withPassing(known, { broker: event.state }) }];
    case "home assistant":
      return [
        {
          name: "Home Assistant",
          take: (known) =>
            known.passing.homeAssistant === event.status
              ? known
              : withPassing(known, { homeAssistant: event.status }),
        },
      ];
    case "saved":
      return [{ name: "the disk", take: (known, context) => takeSaved(known, event, context) }];
  }
}

function stepsOfSource(source: Source, event: SourceEvent): Step[] {
  const { speaker } = source;
  switch (event.kind) {
    case "memory":
      return [stepOfPart(`requests to ${speaker}`, source, (part) => takeMemory(part, event.memory))];
    case "tried":
      return [
        stepOfPart(`a retry at ${speaker}`, source, (part, at, context) =>
          takeTried(part, event, at, context),
        ),
      ];
    case "failed":
      return [
        stepOfPart(`a failure of ${speaker}`, source, (part, at, context) =>
          takeFailed(part, event, at, context),
        ),
      ];
    case "answered":
      return stepsOfAnswer(source, event);
  }
}

function stepsOfAnswer(source: Source, event: AnsweredEvent): Step[] {
  const { speaker } = source;
  const { kind } = event.due.request;
  return [
    {
      name: `the time of ${speaker}`,
      take: (known, { at }) => {
        const clocks = noteTime(known.passing.clocks, source.id, event, at);
        return noteTold(withPassing(known, { clocks }), event, at);
      },
    },
    {
      name: `an answer of ${speaker}: ${kind}`,
      take: (known, context) => {
        const before = known.kept.days;
        return changePart(learnFrom(known, event, source, context), source, context, (part, at, more) =>
          takeFollowUps(part, { ...event, before }, at, more),
        );
      },
    },
    {
      name: `what is said of an answer of ${speaker}: ${kind}`,
      take: (known, context) => sayUnusedWords(known, event, source, context),
    },
    stepOfPart(`that ${speaker} answered: ${kind}`, source, (part, at, context, { kept }) =>
      takeAnswered(part, { ...event, before: kept.days }, at, context),
    ),
  ];
}

/** `before` is what was known before the event. */
type ChangeOfPart = (part: SourcePart, at: Clocks, context: PollContext, before: Known) => SourcePart;

function stepOfPart(name: string, source: Source, change: ChangeOfPart): Step {
  return { name, take: (known, context) => changePart(known, source, context, change) };
}

function changePart(
  known: Known,
  source: Source,
  { at, config, before }: Context,
  change: ChangeOfPart,
): Known {
  const part = partOf(known, source);
  if (!part) return known;
  const changed = change(part, at, pollContext(known, source, at, config), before);
  return changed === part ? known : withPart(known, source, changed);
}

/** The true time as an answer came, and when the source made it. */
function timesOf({ kept, passing }: Known, made_at: Instant | null, source: Source, { config, at }: Context) {
  const { at: trueTime, right } = tellTime(passing.clocks, kept.days, config.check_clock, at);
  return { trueTime, right, made: madeAt(passing.clocks, source.id, { made_at, trueTime }, at) };
}

function learnFrom(
  known: Known,
  { answer, made_at }: AnsweredEvent,
  source: Source,
  context: Context,
): Known {
  const { kept, passing } = known;
  const { at, config } = context;
  const { tariff } = config;
  const { trueTime, made } = timesOf(known, made_at, source, context);
  const seen = seenAt(passing.clocks, source.id, trueTime, at);
  const learnt = source.learn(kept.days, answer, trueTime, tariff, made, seen);
  const days = passing.isPolled ? learnt : withoutRevisions(learnt);
  return days === kept.days ? known : { ...known, kept: { ...kept, days } };
}

function sayUnusedWords(
  known: Known,
  { answer, made_at }: AnsweredEvent,
  source: Source,
  context: Context,
): Known {
  const { tariff } = context.config;
  const { trueTime, right, made } = timesOf(known, made_at, source, context);
  // If the clock is wrong, a fresh answer may be refused too, and the line would call it old.
  const refused = right ? describeRefused(answer, made, known.kept.days, trueTime, tariff) : [];
  const unusable = source.describeUnusable(answer, trueTime, tariff);
  const words = `words of the ${source.name}`;
  return say(known, [
    ...refused.map((starts) => ({ problem: `${words} that are not used`, starts })),
    ...unusable.map((starts) => ({ problem: `${words} that cannot be used`, starts })),
  ]);
}

function takeCommands(known: Known, { commands }: CommandsEvent, { config, at }: Context): Known {
  const { kept, passing } = known;
  const { waiting } = passing.commands;
  const before = { settings: kept.settings, simulation: kept.simulation, lines: waiting?.lines ?? [] };
  const trueTime = tellTime(passing.clocks, kept.days, config.check_clock, at).at;
  const { settings, simulation, lines } = carryOut(before, commands, { ...config, at: trueTime });
  if (lines === before.lines) return known;
  // There is nothing to save, so no write would end.
  const isSame = settings === before.settings && simulation === before.simulation;
  if (isSame && !waiting) return say(known, lines);
  const write = passing.saving.number + 1;
  return {
    kept: { ...kept, settings, simulation },
    passing: {
      ...passing,
      commands: { ...passing.commands, waiting: { since: waiting?.since ?? at.steady, write, lines } },
    },
  };
}

function takePollCommands(known: Known, { commands }: CommandsEvent, context: Context): Known {
  const polls = commands.filter(({ command }) => command.kind === "poll");
  let taken = known;
  for (const { topic } of polls) {
    const sentence = `${topic}: vigie asks its sources as soon as its limits of requests allow it`;
    taken = say(taken, [{ level: "info", sentence, isOfCommand: true }]);
    for (const source of context.config.sources)
      taken = changePart(taken, source, context, (part, at, more) =>
        takeCommand(part, { command: topic }, at, more),
      );
  }
  return taken;
}

function takeValues(
  { kept, passing }: Known,
  { kept: values, heard, isSettled }: ValuesEvent,
  { steady }: Clocks,
): Known {
  // A connection that is lost before all was sent begins no new wait.
  const awaitedSince = isSettled ? null : (passing.values.awaitedSince ?? steady);
  return {
    kept: { ...kept, values },
    passing: { ...passing, values: { ...passing.values, heard, awaitedSince } },
  };
}

function takeOutputsEvent(known: Known, event: OutputsEvent, { at, config }: Context): Known {
  return withOutputs(known, takeOutputs(outputsOf(known), event, at, config));
}

function takeSaved(known: Known, event: SavedEvent, context: Context): Known {
  const saved = noteEnd(known, event, context.at.steady);
  return takeOutputsEvent(saved, { kind: "saved", changes: event.outputChanges }, context);
}

/**
 * If the clock was set back, values stay as old as they are: those of a dead device must not become young again. If it went
 * forward, they are older by that: the machine may have been suspended.
 */
function takeJump(known: Known, by: number): Known {
  const { values, jumps } = known.passing;
  const jumped =
    Math.abs(by) >= LONG_JUMP
      ? say(withPassing(known, { jumps: jumps + 1 }), [{ level: "info", sentence: describeJump(by) }])
      : known;
  if (by > 0) return jumped;
  const moved = <Value extends { at: number }>(value: Value): Value => ({ ...value, at: value.at + by });
  const heard = new Map([...values.heard].map(([topic, value]) => [topic, moved(value)]));
  // What was only kept was heard by an earlier process, with the clock as it was then.
  const kept = Object.fromEntries(
    Object.entries(known.kept.values).map(([topic, value]) => [
      topic,
      value && heard.has(topic) ? moved(value) : value,
    ]),
  );
  return withPassing({ ...jumped, kept: { ...jumped.kept, values: kept } }, { values: { ...values, heard } });
}

/** Each source is asked what time it is, and what else may have changed: at most ten times a day. */
function askAfterJump(known: Known, by: number, { config, at: { steady } }: Context): Known {
  const { untoldSince, askedAfterJumps } = known.passing;
  if (Math.abs(by) < LONG_JUMP || config.check_clock === "off") return known;
  // One that waits already does not wait longer: a clock that is set again and again would hold payloads back for ever.
  const waits = withPassing(known, { untoldSince: untoldSince ?? steady });
  const asked = askedAfterJumps.filter((at) => steady - at < DAY);
  if (asked.length >= ASKED_A_DAY) return waits;
  const noted = withPassing(waits, { askedAfterJumps: [...asked, steady] });
  return config.sources.reduce((one, source) => {
    const part = partOf(one, source);
    return part ? withPart(one, source, askAgain(part)) : one;
  }, noted);
}

function describeJump(by: number): string {
  const length = describeDuration(Math.abs(by));
  return by > 0
    ? `The clock went forward by ${length}: this machine was suspended, or its clock was set`
    : `The clock was set back by ${length}`;
}

/** Milliseconds: less is a correction of the clock. */
const LONG_JUMP = 60_000;
const DAY = 86_400_000;
const ASKED_A_DAY = 10;
