import { HealthUnreadable } from "../app/health-file.ts";
import { ConfigError } from "../config/problems.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import { isReadByJournal, journalPriority } from "../runtime/log-lines.ts";
import { ServiceError } from "../service/service-errors.ts";
import { NewerState } from "../state/state-format.ts";
import type { Io } from "./io.ts";
import { WrongUsage } from "./usage.ts";

/** Another vigie owns the state folder or the base topic. */
export class Yielded extends Error {
  override readonly name = "Yielded";
  /** Whether the log has it already: whatever starts vigie again does so all day. */
  readonly isSaid: boolean;

  constructor(message: string, { isSaid = false } = {}) {
    super(message);
    this.isSaid = isSaid;
  }
}

/** The command cannot do what was asked, and says why. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

/** Runs a command and returns its exit code. Expected errors are printed as sentences on stderr. */
export async function toExitCode(command: string, io: Io, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return 0;
  } catch (error) {
    if (io.signal.aborted) return 1;
    const sentences = sentencesOf(error, `vigie ${command}: `);
    const code = exitCodeOf(error);
    if (!sentences || code === undefined) throw error;
    if (error instanceof Yielded && error.isSaid && io.stderr.isTTY !== true) return code;
    const forJournal = isReadByJournal({ terminal: io.stderr.isTTY === true, env: io.env });
    const prefix = forJournal ? journalPriority("error") : "";
    for (const sentence of sentences) io.stderr.write(`${prefix}${sentence}\n`);
    return code;
  }
}

/** What a person is told of an expected error; undefined of any other. */
export function sentencesOf(error: unknown, prefix = ""): string[] | undefined {
  if (error instanceof ConfigError) return error.problems;
  return error instanceof Error && exitCodeOf(error) !== undefined ? [prefix + error.message] : undefined;
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof WrongUsage || error instanceof ConfigError) return 2;
  if (error instanceof Yielded) return 3;
  if (error instanceof NewerState || error instanceof CommandFailed) return 1;
  if (error instanceof HealthUnreadable) return 1;
  return error instanceof ServiceError || error instanceof BrokerError ? 1 : undefined;
}
