import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import { withoutRevisions } from "../days/official-words.ts";
import { describeRefused } from "../days/refused-words.ts";
import { madeAt, noteTime, seenAt } from "../facts/source-clocks.ts";
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
import type { Source, SourceContext, SourcePart } from "../sources/source.ts";
import type { AnsweredEvent, CommandsEvent, Event, SavedEvent, SourceEvent, ValuesEvent } from "./event.ts";
import { type Known, outputsOf, say, withOutputs, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { mayDecide, partOf, pollContext, settlePolls, withPart } from "./poll-sources.ts";
import { noteEnd } from "./saving.ts";
import { carryOut } from "./take-commands.ts";
import { noteTold, timeOf } from "./told-time.ts";

interface Context {
  config: LoopConfig;
  at: Clocks;
  protect: Protect;
}

/** What vigie knows after something happened. */
export function take(
  known: Known,
  event: Event,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): Known {
  const context = { config, at, protect };
  switch (event.kind) {
    case "time":
      return settlePolls(known, at, context);
    case "jump":
      return askAfterJump(takeJump(known, event.by), event.by, context);
    case "source": {
      const source = config.sources.find(({ id }) => id === event.source);
      return source ? takeSourceEvent(known, source, event.event, context) : known;
    }
    case "commands":
      return takePollCommands(takeCommands(known, event, context), event, context);
    case "values":
      return takeValues(known, event, at);
    case "outputs":
      return takeOutputsEvent(known, event.event, context);
    case "broker":
      return withPassing(known, { broker: event.state });
    case "home assistant":
      return withPassing(known, { homeAssistant: event.status });
    case "saved":
      return takeSaved(known, event, context);
  }
}

function takeSourceEvent(known: Known, source: Source, event: SourceEvent, context: Context): Known {
  const change = (run: ChangeOfPart) => changePart(known, source, context, run);
  switch (event.kind) {
    case "memory":
      return change((part) => takeMemory(part, event.memory));
    case "tried":
      return change((part, ofPoll) => takeTried(part, event, ofPoll));
    case "failed":
      return change((part, ofPoll) => takeFailed(part, event, ofPoll));
    case "answered":
      return takeAnswer(known, source, event, context);
  }
}

/**
 * An answer of which nothing can be learnt, by an error of vigie itself, was an answer all the same: it is not asked for again at
 * once.
 */
function takeAnswer(before: Known, source: Source, event: AnsweredEvent, context: Context): Known {
  const { at, protect } = context;
  const clocks = noteTime(before.passing.clocks, source.id, event, at);
  let known = noteTold(withPassing(before, { clocks }), event, at);
  const answered = { ...event, before: before.kept.days };
  protect(`an answer of ${source.speaker}: ${event.due.request.kind}`, () => {
    known = learnFrom(known, event, source, context);
    known = changePart(known, source, context, (part, ofPoll) => takeFollowUps(part, answered, ofPoll));
    known = sayUnusedWords(known, event, source, context);
  });
  return changePart(known, source, context, (part, ofPoll) => takeAnswered(part, answered, ofPoll));
}

type ChangeOfPart = (part: SourcePart, context: SourceContext) => SourcePart;

function changePart(known: Known, source: Source, { at, config }: Context, change: ChangeOfPart): Known {
  const part = partOf(known, source);
  if (!part) return known;
  const changed = change(part, pollContext(known, source, at, config));
  return changed === part ? known : withPart(known, source, changed);
}

/** The true time as an answer came, and when the source made it. */
function timesOf(known: Known, made_at: Instant | null, source: Source, { config, at }: Context) {
  const { at: trueTime, right } = timeOf(known, at, config);
  return { trueTime, right, made: madeAt(known.passing.clocks, source.id, { made_at, trueTime }, at) };
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
  const days = mayDecide(known, config) ? learnt : withoutRevisions(learnt);
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
  const { kept } = known;
  const before = { settings: kept.settings, simulation: kept.simulation, lines: [] };
  const trueTime = timeOf(known, at, config).at;
  const { settings, simulation, lines } = carryOut(before, commands, { ...config, at: trueTime });
  return say({ ...known, kept: { ...kept, settings, simulation } }, lines);
}

function takePollCommands(known: Known, { commands }: CommandsEvent, context: Context): Known {
  const polls = commands.filter(({ command }) => command.kind === "poll");
  let taken = known;
  for (const { topic } of polls) {
    const sentence = `${topic}: vigie asks its sources as soon as its limits of requests allow it`;
    taken = say(taken, [{ level: "info", sentence, isOfCommand: true }]);
    for (const source of context.config.sources)
      taken = changePart(taken, source, context, (part, ofPoll) =>
        takeCommand(part, { command: topic }, context.at, ofPoll),
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
