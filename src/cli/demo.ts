import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProblemLog } from "../app/create-problem-log.ts";
import { createDaemon } from "../app/daemon.ts";
import { judgeDaemon } from "../app/health-report.ts";
import { serveViews } from "../app/serve-views.ts";
import { wallTime } from "../core/calendar/dates.ts";
import { weekdayInWords } from "../core/calendar/day-in-words.ts";
import type { Color, Instant, Tariff } from "../core/calendar/tariff.ts";
import { describeDuration } from "../core/log/duration.ts";
import type { PageView } from "../http/page-view.ts";
import { systemClock } from "../runtime/clock.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import { oneLine } from "../runtime/escape-controls.ts";
import { fastClock } from "../runtime/fast-clock.ts";
import type { Log } from "../runtime/log.ts";
import { aborted } from "../runtime/wait.ts";
import { openStore } from "../state/store.ts";
import { type DemoPlan, readDemoPlan } from "./demo-options.ts";
import { tellStory } from "./demo-story.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { createIdentity } from "./run.ts";
import { paint } from "./table.ts";

/** `vigie demo`: the daemon on a fast clock and invented days, which touches nothing of the house and tells what happens. */
export function demo(args: string[], io: Io): Promise<number> {
  return toExitCode("demo", io, async () => {
    const folder = await mkdtemp(join(tmpdir(), "vigie-demo-")).catch((cause: unknown) => {
      const problem = `no temporary folder can be made in ${tmpdir()}: ${describeDiskError(cause)}`;
      throw new CommandFailed(`${problem} (TMPDIR names another place)`, { cause });
    });
    try {
      await play(await readDemoPlan(args, io, folder), io);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function play({ config, rulesFrom, from, speed }: DemoPlan, io: Io): Promise<void> {
  const clock = fastClock(from, speed, systemClock);
  const print = (at: Instant, line: string) => {
    const shown = oneLine(line);
    io.stdout.write(`${timeOf(at, config.tariff)}  ${io.color ? paintColors(shown) : shown}\n`, "painted");
  };
  const problem = (sentence: string) => print(clock.now(), `Problem: ${sentence}`);
  const nothing = () => undefined;
  // Warnings are notices, such as that the days are invented and which broker runs. What is wrong and lasts is a problem.
  const log: Log = { debug: nothing, info: nothing, warn: nothing, error: problem };
  const over = (sentence: string) => print(clock.now(), sentence);
  const problemLog = createProblemLog({ ...log, warn: problem, info: over }, clock);
  const store = await openStore(config.state, { log, problemLog, random: Math.random });
  let isTelling = false;
  let told: PageView | undefined;
  const tell = () => {
    const view = isTelling ? daemon.view() : undefined;
    if (!view) return;
    for (const line of tellStory(told, view)) print(view.facts.at, line);
    told = view;
  };
  const views = serveViews({
    view: () => daemon.view(),
    health: () => judgeDaemon(clock.now(), daemon) ?? { healthy: false, words: "vigie is starting" },
    now: clock.now,
    log,
    problemLog,
  });
  let isTaken = false;
  const polled = new AbortController();
  const daemon = createDaemon({
    store,
    log,
    problemLog,
    clock,
    random: Math.random,
    identity: createIdentity(store, clock),
    // A program of the house may look for its own broker at the usual port, and must not find this one.
    embeddedPort: 0,
    takeOver: false,
    demoSpeed: speed,
    // This clock cannot be set.
    longestSleep: Number.POSITIVE_INFINITY,
    sinks: [
      {
        name: "the story",
        show: ({ sinceStart, broker: { other_owner } }) => {
          if (other_owner && !isTaken) problem("another vigie publishes on the broker of this demo");
          isTaken = other_owner !== undefined;
          if (sinceStart.unpolled.length === 0) polled.abort();
          tell();
        },
      },
    ],
  });
  const start = async () => {
    await daemon.start(config);
    await aborted(AbortSignal.any([polled.signal, io.signal]));
    await Promise.race([daemon.published(), aborted(io.signal)]);
    await views.open(config);
  };
  // Until there is something to see, no day goes by.
  await clock.atRealPace(start());
  io.stdout.write(`
${views
  .addresses()
  .map((address) => `  Open in a browser: ${address}\n`)
  .join("")}
  This is vigie as it runs in a house, from ${timeOf(from, config.tariff)} on, a day in ${describeDuration(DAY / speed)}.
  The days are INVENTED by the built-in simulator. Nothing is sent to a device or a broker of yours.

  rules   ${rulesFrom}
  topics  mosquitto_sub -h 127.0.0.1 -p ${daemon.status()?.embeddedPort} -v -t '${config.mqtt.base_topic}/#'
  end     Ctrl-C

`);
  isTelling = true;
  tell();
  await aborted(io.signal);
  await Promise.all([views.stop(), daemon.stop()]);
}

/** `Tue 2026-01-20 20:00` */
function timeOf(at: Instant, { time_zone }: Tariff): string {
  const [date = "", time = ""] = wallTime(at, time_zone).split("T");
  return `${weekdayInWords(date, "en").slice(0, 3)} ${date} ${time.slice(0, 5)}`;
}

function paintColors(line: string): string {
  return line.replace(/\b(?:bleu|blanc|rouge)\b/g, (color) => paint(color, color as Color));
}

const DAY = 24 * 3_600_000;
