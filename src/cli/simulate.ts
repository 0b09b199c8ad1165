import { z } from "zod";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { writeLength } from "../config/value-schemas.ts";
import { isoInstant, localTime } from "../core/calendar/dates.ts";
import { dayInWords } from "../core/calendar/day-in-words.ts";
import { COLORS } from "../core/calendar/tariff.ts";
import { dateSchema } from "../core/calendar/time-schemas.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { readPretendedDay, type SimulationRequest, startSimulation } from "../core/facts/simulation.ts";
import { AVAILABILITY } from "../core/topics/topic.ts";
import { simulationLength } from "../mqtt/read-command.ts";
import { systemClock } from "../runtime/clock.ts";
import { valueAt } from "../runtime/value-at.ts";
import { aborted, deadline, settleable } from "../runtime/wait.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { A_PRETENDED_DAY, meantDay } from "./pretend.ts";
import { readArgs, WrongUsage } from "./usage.ts";
import { type Visit, visitVigie } from "./visit-vigie.ts";

/** `vigie simulate COLOR[:next] [--for 1h]`, `vigie simulate auto`: tells the running vigie to pretend a colour, or to end that. */
export function simulate(args: string[], io: Io): Promise<number> {
  return toExitCode("simulate", io, async () => {
    const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true });
    const wish = readWish(positionals, values.for);
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    await visitVigie(config, io, async (visit) => {
      const lines = await tellVigie(wish, visit, config, io.signal);
      for (const line of lines) io.stderr.write(`${line}\n`);
    });
  });
}

const OPTIONS = { config: { type: "string" }, for: { type: "string" } } as const;

/** null: no colour is to be pretended any more. */
function readWish([given, ...more]: readonly string[], length: string | undefined): SimulationRequest | null {
  const unexpected = more[0];
  if (unexpected !== undefined) throw new WrongUsage(`Unexpected argument '${unexpected}'`);
  const isEnd = given?.toLowerCase() === "auto";
  if (isEnd && length !== undefined)
    throw new WrongUsage("Expected no --for with auto, which ends the simulation");
  if (isEnd) return null;
  const day = given === undefined ? undefined : readPretendedDay(given);
  if (!day) {
    const got = given === undefined ? "nothing" : `${given}${meantDay(given)}`;
    throw new WrongUsage(`Expected ${A_PRETENDED_DAY}, or auto to end the simulation, got ${got}`);
  }
  const read = simulationLength.safeParse(length);
  if (!read.success)
    throw new WrongUsage(`Expected --for to be ${read.error.issues[0]?.message}, got ${length}`);
  return { ...day, for: read.data };
}

/** Resolves with what a person is told of it. */
async function tellVigie(
  wish: SimulationRequest | null,
  visit: Visit,
  config: Config,
  signal: AbortSignal,
): Promise<string[]> {
  const { topics, url } = visit;
  const { base_topic } = config.mqtt;
  if (topics.get(AVAILABILITY) !== "online")
    throw new CommandFailed(`No vigie runs below ${base_topic} on ${url}: it is not online`);
  // What changes nothing is not answered.
  if (wish === null && topics.get("simulation/color") === "auto") return ["No colour is pretended"];
  const same = wish && sameAlready(wish, topics, config);
  const answer = same ?? (await command(wish, visit, base_topic, signal));
  return answer ? describeSimulation(answer, topics, config) : ["No colour is pretended any more"];
}

/** What is pretended now, if it ends at the same second as what is asked for: two commands that last to the end of the day do. */
function sameAlready(
  wish: SimulationRequest,
  topics: ReadonlyMap<string, string>,
  { tariff }: Config,
): Answer | null {
  const { data: running } = answerSchema.safeParse(parseJson(topics.get("simulation") ?? ""));
  const { color, date, until } = startSimulation(wish, systemClock.now(), tariff);
  const isSame = running?.color === color && running.date === date && running.until === isoInstant(until);
  return isSame ? running : null;
}

/** Resolves with what the running vigie pretends then; null: nothing. */
async function command(
  wish: SimulationRequest | null,
  { connection, topics, url }: Visit,
  base: string,
  signal: AbortSignal,
): Promise<Answer | null> {
  const before = topics.get("simulation");
  const limit = deadline(ANSWER_LIMIT, signal, () => new CommandFailed(noAnswer(base, url)));
  const answered = settleable<Answer | null>();
  const stop = connection.listen(({ topic, payload }) => {
    if (topic !== "simulation" || payload === before) return;
    const said = parseJson(payload);
    const answer = answerSchema.safeParse(said).data;
    if (answer && answer.color === wish?.color) answered.settle(answer);
    if (wish === null && valueAt(said, ["color"]) === "auto") answered.settle(null);
  });
  const lost = connection.closed.then((why) => {
    throw new CommandFailed(`The connection to the broker was lost: ${why}`);
  });
  const late = aborted(limit.signal).then(() => {
    throw limit.signal.reason;
  });
  const send = async () => {
    const payload = wish ? JSON.stringify({ ...wish, for: writeLength(wish.for) }) : "auto";
    await connection.publish({ topic: "simulation/set", payload, retain: false });
    return answered.promise;
  };
  try {
    return await Promise.race([send(), lost, late]);
  } finally {
    stop();
    limit.clear();
  }
}

type Answer = z.output<typeof answerSchema>;
const answerSchema = z.object({
  color: z.enum(COLORS),
  from: z.enum(["now", "next"]),
  // An older vigie does not say it.
  date: dateSchema.optional(),
  until: z.iso.datetime(),
});

function noAnswer(base: string, url: string): string {
  return `The running vigie has not answered on ${base}/simulation within ${ANSWER_LIMIT / 1000} s. Check by vigie health that it runs, and that the broker at ${url} lets this user write ${base}/simulation/set`;
}

function describeSimulation(
  answer: Answer,
  topics: ReadonlyMap<string, string>,
  { outputs, tariff }: Config,
): string[] {
  const { color, from, date, until } = answer;
  const which = from === "next" ? "the next tariff day" : "the tariff day in force";
  const end = localTime(Date.parse(until), systemClock.now(), tariff.time_zone);
  return [
    `${color} is pretended for ${date === undefined ? "" : `${dayInWords(date, "en")}, `}${which}, until ${end}`,
    ...(staysRouge(answer, topics) ? [STAYS_ROUGE] : []),
    ...(from === "now" && topics.get("now/period") === "hc" ? [waitsForPeak(topics, tariff.time_zone)] : []),
    ...(outputs.dry_when_simulated ? [DRY] : []),
    "vigie show tells what follows from it, vigie simulate auto ends it",
  ];
}

const STAYS_ROUGE = "But this day is officially rouge, and stays so: a simulation never hides a rouge day";
const DRY = "Devices get nothing of it: outputs.dry_when_simulated is true";

/** The rule of a boiler asks for peak hours, too: who tries it in the evening sees no command. */
function waitsForPeak(topics: ReadonlyMap<string, string>, zone: string): string {
  const end = Date.parse(topics.get("now/period_until") ?? "");
  const until = Number.isNaN(end) ? "" : ` until ${localTime(end, systemClock.now(), zone)}`;
  return `It is off-peak (hc)${until}: a rule that also asks for peak hours (period: hp), as for a boiler, waits for them`;
}

/** By what was published before. */
function staysRouge({ color, from }: Answer, topics: ReadonlyMap<string, string>): boolean {
  const read = (part: string) => topics.get(`${from}/${part}`);
  const isRouge = read("color") === "rouge" && read("official") === "ON" && read("source") !== "simulation";
  return color !== "rouge" && isRouge;
}

/** Milliseconds. vigie saves a command before it is in force, or waits two seconds for the disk. */
const ANSWER_LIMIT = 10_000;
