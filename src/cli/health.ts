import { loadConfig } from "../config/load.ts";
import { systemClock } from "../runtime/clock.ts";
import { describeHealth, judgeHealth } from "../runtime/health.ts";
import { healthPath, readHealth } from "../runtime/health-file.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readArgs } from "./usage.ts";

/** Is the running vigie well? One line, and an exit code for whoever watches it. */
export function health(args: string[], io: Io): Promise<number> {
  return toExitCode("health", io, async () => {
    const { values } = readArgs({ args, options: { config: { type: "string" } } });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd });
    const verdict = judgeHealth(await readHealth(healthPath(config.instance, io.env)), systemClock.now());
    if (!verdict.healthy) throw new CommandFailed(describeHealth(verdict));
    io.stdout.write(`${describeHealth(verdict)}\n`);
  });
}
