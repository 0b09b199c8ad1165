import { givenHealthPath, healthPath, readHealth } from "../app/health-file.ts";
import { describeHealth, judgeHealth } from "../app/judge-health.ts";
import type { Config } from "../config/config.ts";
import type { FileRequest } from "../config/config-file.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Io } from "./io.ts";
import { readArgs } from "./usage.ts";

/** Is the running vigie well? One line, and an exit code for whoever watches it. */
export async function health(args: string[], io: Io): Promise<number> {
  try {
    const { values } = readArgs({ args, options: { config: { type: "string" } } });
    const path = await findHealth(values.config, io);
    const found = await readHealth(path);
    const verdict = judgeHealth(found, systemClock.now());
    const words = `${describeHealth(verdict)}${found ? "" : ` (looked for ${path})`}`;
    if (verdict.healthy) io.stdout.write(`${words}\n`);
    else io.stderr.write(`vigie health: ${words}\n`);
    return verdict.healthy ? 0 : 1;
  } catch (error) {
    // What every command knows of errors takes long to load, and is seldom needed here.
    const { toExitCode } = await import("./exit-code.ts");
    return toExitCode("health", io, () => Promise.reject(error));
  }
}

async function findHealth(file: string | undefined, { env, cwd, signal }: Io): Promise<string> {
  const given = givenHealthPath(env);
  if (given !== undefined) return given;
  const request = { file, env, cwd, signal };
  const { readStateFolder } = await import("../config/config-file.ts");
  return healthPath((await readStateFolder(request)) ?? (await readWhole(request)).state, env);
}

async function readWhole(request: FileRequest): Promise<Config> {
  const { loadConfig } = await import("../config/load-config.ts");
  return (await loadConfig(request)).config;
}
