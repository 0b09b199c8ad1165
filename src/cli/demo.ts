import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDaemon } from "../app/daemon.ts";
import { addDays, wallInstant, wallTime } from "../core/calendar/dates.ts";
import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import { describeDate } from "../core/days/day-events.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import type { View } from "../http/view.ts";
import { type ClockWithTimers, systemClock } from "../runtime/clock.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import { describeDuration } from "../runtime/duration.ts";
import { fastClock } from "../runtime/fast-clock.ts";
import type { Log } from "../runtime/log.ts";
import { createProblemLog } from "../runtime/problem-log.ts";
import { aborted, sleep } from "../runtime/wait.ts";
import { openStore } from "../state/store.ts";
import { type DemoPlan, readDemoPlan } from "./demo-options.ts";
import { tellStory } from "./demo-story.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { createIdentity } from "./run.ts";

/** `vigie demo`: the daemon on a fast clock and invented days, which touches nothing of the house and tells what happens. */
export function demo(args: string[], io: Io): Promise<number> {
  return toExitCode("demo", io, async () => {
    const folder = await mkdtemp(join(tmpdir(), "vigie-demo-")).catch((cause: unknown) => {
      const why = describeDiskError(cause);
      throw new CommandFailed(
        `no temporary folder can be made in ${tmpdir()}: ${why} (TMPDIR names another place)`,
        {
          cause,
        },
      );
    });
    try {
      await play(await readDemoPlan(args, io, folder), io);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function play(plan: DemoPlan, io: Io): Promise<void> {
  const { from, speed, days } = plan;
  const clock = fastClock(from, speed, systemClock);
  // Until there is something to see, no day goes by.
  const { daemon, ended, startTelling, stopTelling } = await clock.atRealPace(start(plan, clock, io));
  io.stdout.write(describeDemo(plan, daemon.status()?.embeddedPort));
  const begun = systemClock.steady();
  startTelling();
  if (days === undefined) await aborted(ended);
  else await sleep(endOf(plan, days) - clock.now(), ended, clock).catch(() => undefined);
  stopTelling();
  const [shown, taken] = [clock.now() - from, systemClock.steady() - begun];
  await daemon.stop();
  if (ended.aborted && !io.signal.aborted) throw ended.reason;
  io.stdout.write(
    `\nThe demo has shown ${describeDuration(shown)} in ${describeDuration(taken)}.${describeLimit(speed, shown, taken)}\n`,
  );
}

/** Starts the daemon, and resolves when both sources have answered and the first topics are out. */
async function start({ config }: DemoPlan, clock: ClockWithTimers, io: Io) {
  const print = (at: Instant, line: string) => {
    io.stdout.write(`${timeOf(at, config.tariff)}  ${io.color ? colorize(line) : line}\n`);
  };
  let isTelling = false;
  const problem = (sentence: string) => print(clock.now(), `Problem: ${sentence}`);
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    // Notices, such as that the days are invented and which broker runs. What is wrong and lasts goes to the problem log.
    warn: () => undefined,
    error: problem,
  };
  const ofProblems = { ...log, warn: problem, info: (sentence: string) => print(clock.now(), sentence) };
  const problemLog = createProblemLog(ofProblems, clock);
  const store = await openStore(config.state, { log, problemLog, random: Math.random });

  let told: View | undefined;
  const tell = () => {
    const view = isTelling ? daemon.view() : undefined;
    if (!view) return;
    for (const line of tellStory(told, view)) print(view.facts.at, line);
    told = view;
  };
  const failed = new AbortController();
  const ended = AbortSignal.any([io.signal, failed.signal]);
  const polled = new AbortController();
  const daemon = createDaemon({
    store,
    log,
    problemLog,
    clock,
    random: Math.random,
    identity: await createIdentity(store, clock),
    // A program of the house may look for its own broker at the usual port, and must not find this one.
    embeddedPort: 0,
    takeOver: false,
    onOtherOwner: () => failed.abort(new CommandFailed("another vigie publishes on the broker of this demo")),
    // This clock cannot be set.
    longestSleep: Number.POSITIVE_INFINITY,
    beforePublishing: async () => undefined,
    onPolled: () => polled.abort(),
    onWake: () => undefined,
    onViewChange: tell,
  });
  await daemon.start(config);
  // The page is served from here on, as `vigie run` serves it.
  await aborted(AbortSignal.any([polled.signal, ended]));
  await Promise.race([daemon.published(), aborted(ended)]);
  const startTelling = () => {
    isTelling = true;
    tell();
  };
  const stopTelling = () => {
    isTelling = false;
  };
  return { daemon, ended, startTelling, stopTelling };
}

function describeDemo({ config, rulesFrom, from, speed }: DemoPlan, port: number | null = null): string {
  const { time_zone } = config.tariff;
  const [date = "", time = ""] = wallTime(from, time_zone).split("T");
  const values = topicsOfRules(config.rules);
  const unknown =
    values.length === 0 ? "" : `  values  none of the house are read: ${values.join(", ")} stay unknown\n`;
  return `
  vigie as it runs in a house, from ${describeDate(date)} ${date.slice(0, 4)} ${time.slice(0, 5)}, ${speed} times as fast as life: a day in ${describeDuration(DAY / speed)}.
  These days are INVENTED by the built-in simulator. Nothing is sent to a device or a broker of yours.

  rules   ${rulesFrom}
${unknown}  topics  mosquitto_sub -h 127.0.0.1 -p ${port} -v -t '${config.mqtt.base_topic}/#'
  end     Ctrl-C

`;
}

/** Where this machine could not keep up. A demo of less than a second shows nothing of it. */
function describeLimit(wanted: number, shown: number, taken: number): string {
  const reached = shown / taken;
  if (taken < 1_000 || reached > 0.8 * wanted) return "";
  return ` This machine ran it ${Math.round(reached)} times as fast as life, not ${wanted}: more is not possible here, and no day is left out.`;
}

/** At the same time of the day as it began. */
function endOf({ from, config: { tariff } }: DemoPlan, days: number): Instant {
  const [date = "", time = ""] = wallTime(from, tariff.time_zone).split("T");
  return wallInstant(addDays(date, days), time, tariff.time_zone);
}

/** `Tue 2026-01-20 20:00` */
function timeOf(at: Instant, { time_zone }: Tariff): string {
  const [date = "", time = ""] = wallTime(at, time_zone).split("T");
  return `${describeDate(date).slice(0, 3)} ${date} ${time.slice(0, 5)}`;
}

function colorize(line: string): string {
  return line.replace(/\b(?:bleu|blanc|rouge)\b/g, (color) => `\u001b[1;${CODES[color]}m${color}\u001b[0m`);
}

const CODES: Record<string, number> = { bleu: 34, blanc: 37, rouge: 31 };
const DAY = 24 * 3_600_000;
