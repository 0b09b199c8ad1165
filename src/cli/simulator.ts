import { isoInstant } from "../core/calendar/dates.ts";
import { endpoints, officialEndpoints } from "../core/contract/endpoints.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { fastClock } from "../runtime/fast-clock.ts";
import type { RunningSimulator, SimulatorOptions } from "../simulator/server.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readSimulatorPlan, type SimulatorPlan } from "./simulator-options.ts";

/** `vigie simulator`: both sources on their own, until it is told to end: to try any client against. */
export function simulator(args: string[], io: Io): Promise<number> {
  return toExitCode("simulator", io, () => serve(readSimulatorPlan(args, io.cwd), io));
}

async function serve(plan: SimulatorPlan, io: Io): Promise<void> {
  const { time } = plan;
  const clock = time ? fastClock(time.from ?? systemClock.now(), time.speed, systemClock) : systemClock;
  const running = await start({ ...plan, clock, sendDate: !time });
  io.stderr.write(describe(plan, clock, running));
  if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener("abort", resolve));
  await running.stop();
}

async function start(options: SimulatorOptions): Promise<RunningSimulator> {
  const { startSimulator } = await import("../simulator/server.ts");
  try {
    return await startSimulator(options);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
    const sentence = `could not listen on port ${options.port}: ${why} (--port 0 takes a free one)`;
    throw new CommandFailed(sentence, { cause: error });
  }
}

function describe(plan: SimulatorPlan, clock: Pick<Clock, "now">, { url }: RunningSimulator): string {
  const { seed, days, time, officialAt } = plan;
  const invented = `invented from seed ${seed}; they are not the days of a real tariff`;
  const given = days.size === 1 ? "1 day from the file" : `${days.size} days from the file`;
  const pace = time
    ? `, ${time.speed} times as fast as real time (vigie goes on by the clock of its machine)`
    : ", the time of this machine";
  return `
vigie simulator: ${url}

  days      ${days.size > 0 ? `${given}, the others ${invented}` : invented}
  clock     ${isoInstant(clock.now())}${pace}
  official  from ${officialAt} of the day before (Europe/Paris)

  try it    curl ${url}${endpoints.forecasts.path}
            curl ${url}${officialEndpoints.light.path}

`;
}
