import { openService } from "../app/open-service.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { civilDate } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { createProblemLog } from "../runtime/problem-log.ts";
import { deadline } from "../runtime/wait.ts";
import { keepMemory } from "../service/client-memory.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { ServiceUnreachable } from "../service/service-errors.ts";
import type { Io } from "./io.ts";

/** A client for one command. */
interface Session {
  client: ServiceClient;
  /** The civil date where the tariff holds. */
  today: IsoDate;
  /** Prints the failure after which a request is tried again, each one once. */
  onRetry: (failure: string) => void;
  stop(): Promise<void>;
}

export async function openClient(config: Config, io: Io): Promise<Session> {
  const log = logTo(io);
  const { client, invented, stop } = await openService(config.service, {
    clock: systemClock,
    random: Math.random,
    memory: keepMemory(),
    log,
    patience: OF_A_PERSON,
  });
  if (invented) log.info("the simulator invents these days (service.base_url: simulator)");
  const problemLog = createProblemLog(log, systemClock);
  const onRetry = (failure: string) => problemLog.starts("service", `${failure}; trying again`);
  return { client, today: civilDate(systemClock.now(), config.tariff.time_zone), onRetry, stop };
}

/** A person waits for the command. */
const OF_A_PERSON = { retries: 2, longestWait: 2_000 };

/** What a command may ask the service. */
export interface Service {
  /** The answer to one request; throws `ServiceUnreachable` where nobody answers for ten seconds. */
  ask: (request: Request) => Promise<Answer>;
  /** The civil date where the tariff holds. */
  today: IsoDate;
}

/** Reads the configuration, and asks its service what `question` asks. */
export async function askService<Result>(
  file: string | undefined,
  io: Io,
  question: (service: Service) => Promise<Result>,
): Promise<Result> {
  const { config } = await loadConfig({ file, env: io.env, cwd: io.cwd, signal: io.signal });
  const { client, today, onRetry, stop } = await openClient(config, io);
  const ask = async (request: Request) => {
    const limit = deadline(LIMIT, io.signal, () => {
      const reason = `no answer within ${LIMIT / 1000} s`;
      return new ServiceUnreachable("this command", config.service.base_url, reason);
    });
    const options = { signal: limit.signal, essential: true, onRetry };
    return (await client.ask(request, options).finally(limit.clear)).answer;
  };
  try {
    return await question({ ask, today });
  } finally {
    await stop();
  }
}

const LIMIT = 10_000;

/** For a person, who is not told details. */
function logTo({ stderr }: Io): Log {
  const say = (sentence: string) => void stderr.write(`vigie: ${sentence}\n`);
  return { debug: () => undefined, info: say, warn: say, error: say };
}
