import { isoInstant } from "../core/calendar/dates.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { fastClock } from "../simulator/fast-clock.ts";
import type { RunningSimulator, SimulatorOptions } from "../simulator/server.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readSimulatorPlan, type SimulatorPlan } from "./simulator-options.ts";

/** `vigie simulator`: the forecast service on its own, until the signal; something to try any client against. */
export function simulator(args: string[], io: Io): Promise<number> {
  return toExitCode("simulator", io, () => serve(readSimulatorPlan(args, io.cwd), io));
}

async function serve(plan: SimulatorPlan, io: Io): Promise<void> {
  const { time } = plan;
  const clock = time ? fastClock(time.from ?? systemClock.now(), time.speed, systemClock) : systemClock;
  const running = await start({ ...plan, clock, sendDate: !time });
  io.stderr.write(greeting(plan, clock, running));
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

function greeting(plan: SimulatorPlan, clock: Pick<Clock, "now">, { url, faults }: RunningSimulator): string {
  const { seed, days, time, officialAt } = plan;
  const invented = `invented from seed ${seed}: no electricity is sold by them`;
  const given = days.size > 0 ? `${days.size} days from the file, the others ${invented}` : invented;
  const pace = time ? `, ${time.speed} times as fast as the real one` : ", the system's";
  return `
vigie simulator: ${url}

  days    ${given}
  clock   ${isoInstant(clock.now())}${pace}
  colours official at ${officialAt} the day before (Europe/Paris)
  faults  ${faults.get().join(" ") || "none"}

  ask it          curl ${url}${endpoints.forecasts.path}
  switch faults   curl -X PUT -d '["500","slow"]' ${url}/_faults
  end faults      curl -X PUT -d '[]' ${url}/_faults

`;
}
