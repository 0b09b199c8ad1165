import { isoInstant } from "../calendar/day.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { endpoints } from "../service/contract.ts";
import { fastClock } from "../simulator/clock.ts";
import type { RunningSimulator } from "../simulator/server.ts";
import type { Io } from "./io.ts";
import { readSimulatorPlan, type SimulatorPlan, WrongUsage } from "./simulator-plan.ts";

/** The forecast service on its own, until the signal comes: something to try any client against. */
export async function simulator(args: string[], io: Io): Promise<number> {
  try {
    return await serve(readSimulatorPlan(args, io.cwd), io);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    io.stderr.write(`vigie simulator: ${failure.sentence}\n`);
    return failure.code;
  }
}

async function serve(plan: SimulatorPlan, io: Io): Promise<number> {
  const { startSimulator } = await import("../simulator/server.ts");
  const { port, seed, days, officialAt, faults, time } = plan;
  const clock = time ? fastClock(time.from ?? systemClock.now(), time.speed, systemClock) : systemClock;
  const running = await startSimulator({ port, seed, clock, sendDate: !time, officialAt, days, faults });
  io.stderr.write(greeting(plan, clock, running));
  if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener("abort", resolve));
  await running.stop();
  return 0;
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

function failureOf(error: unknown): { sentence: string; code: number } | undefined {
  if (error instanceof WrongUsage) return { sentence: error.message, code: 2 };
  if (!(error instanceof Error && "code" in error && "port" in error)) return undefined;
  const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
  return { sentence: `could not listen on port ${error.port}: ${why} (--port 0 takes a free one)`, code: 1 };
}
