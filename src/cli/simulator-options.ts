import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { wallTime } from "../config/value-schemas.ts";
import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import { DaysUnreadable, parseDays } from "../simulator/days-file.ts";
import { TEMPO } from "../simulator/tempo.ts";
import { readNumber } from "./read-number.ts";
import { parseTime } from "./read-time.ts";
import { readArgs, WrongUsage } from "./usage.ts";

export interface SimulatorPlan {
  port: number;
  seed: number;
  /** A clock of its own, which starts at `from` (default: now); undefined: the clock of this machine. */
  time: { from: Instant | undefined; speed: number } | undefined;
  days: ReadonlyMap<IsoDate, Color>;
  officialAt: string;
}

/** The command line of `vigie simulator`; throws WrongUsage with the first thing that is wrong in it. */
export function readSimulatorPlan(args: string[], cwd: string): SimulatorPlan {
  const { values } = readArgs({ args, options: OPTIONS });
  return {
    port: readNumber("--port", values.port, "a port from 0 to 65535", isPort),
    seed: readNumber("--seed", values.seed, "a whole number", Number.isSafeInteger),
    time: readClock(values.from, values.speed),
    days: values.days === undefined ? new Map() : readDays(values.days, cwd),
    officialAt: readWallTime("--official-at", values["official-at"]),
  };
}

/** `--config` is understood everywhere; the simulator needs none. */
const OPTIONS = {
  config: { type: "string" },
  port: { type: "string", default: "8787" },
  seed: { type: "string", default: "1" },
  from: { type: "string" },
  speed: { type: "string" },
  days: { type: "string" },
  "official-at": { type: "string", default: "10:30" },
} as const;

function isPort(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= 65_535;
}

function readClock(from: string | undefined, speed: string | undefined): SimulatorPlan["time"] {
  if (from === undefined && speed === undefined) return undefined;
  return { from: from === undefined ? undefined : readTime(from), speed: readSpeed(speed ?? "1") };
}

function readTime(text: string): Instant {
  const at = parseTime(text, TEMPO.time_zone);
  if (at !== undefined) return at;
  const expected = "a time like 2026-01-04T23:00 (Paris time) or 2026-01-04T22:00:00Z";
  throw new WrongUsage(`Expected --from to be ${expected}, got ${text}`);
}

function readSpeed(text: string): number {
  const fits = (number: number) => number > 0 && number <= FASTEST;
  return readNumber("--speed", text, `a number above 0, at most ${FASTEST}`, fits);
}

function readDays(file: string, cwd: string): ReadonlyMap<IsoDate, Color> {
  try {
    return parseDays(readFileSync(resolve(cwd, file), "utf8"));
  } catch (error) {
    if (error instanceof DaysUnreadable) throw new WrongUsage(`${file} ${error.message}`, { cause: error });
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new WrongUsage(`Expected --days to be a file that can be read: ${error.message}`, { cause: error });
  }
}

function readWallTime(option: string, text: string): string {
  if (wallTime.safeParse(text).success) return text;
  throw new WrongUsage(`Expected ${option} to be a time like 10:30, got ${text}`);
}

const FASTEST = 100_000;
