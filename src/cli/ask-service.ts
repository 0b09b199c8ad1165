import { openSources } from "../app/open-sources.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { civilDate } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { deadline, sleep } from "../runtime/wait.ts";
import { EMPTY_MEMORY } from "../service/client-memory.ts";
import type { OfficialClient } from "../service/official-client.ts";
import { PER_MINUTE } from "../service/request-limits.ts";
import { keepMemory, NOTHING_SENT } from "../service/request-memory.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { ServiceUnreachable } from "../service/service-errors.ts";
import { FORECAST_SERVICE } from "../service/sources.ts";
import { CommandFailed } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readKnownDays } from "./read-known-days.ts";

/** The clients for one command. */
export interface Session {
  /** null with `service.base_url: none`. */
  service: ServiceClient | null;
  /** null with `official.source: off`. */
  official: OfficialClient | null;
  config: Config;
  /** The civil date where the tariff holds. */
  today: IsoDate;
  stop(): Promise<void>;
}

export async function openSession(config: Config, io: Io): Promise<Session> {
  const { service, official, serviceKind, stop } = await openSources(config, {
    clock: systemClock,
    random: Math.random,
    memory: keepMemory(EMPTY_MEMORY),
    officialMemory: keepMemory(NOTHING_SENT),
    log: logTo(io),
    wait: waitFor(A_PERSON),
  });
  if (serviceKind === "invented")
    io.stderr.write(
      "vigie: the simulator invents these days (service.base_url or official.source is simulator)\n",
    );
  return { service, official, config, today: civilDate(systemClock.now(), config.tariff.time_zone), stop };
}

/** How a command gets an answer of the service, and what stands for it where there is no service. */
interface Question<Said> {
  request: (session: Session) => Request;
  fromKnownDays: (session: Session, knownDays: KnownDays) => Said;
}

/** Reads the configuration and asks the service; without a service, the state file. Prints warnings on stderr. */
export async function askOnce<Said>(
  file: string | undefined,
  io: Io,
  { request, fromKnownDays }: Question<Said>,
): Promise<Answer | Said> {
  return withSession(file, io, async (session, signal) => {
    const { service, config } = session;
    if (service) return (await service.ask(request(session), { signal, essential: true })).answer;
    io.stderr.write(NO_SERVICE);
    return fromKnownDays(session, (await readKnownDays(config)).knownDays);
  });
}

/** Reads the configuration and opens both sources for a minute; prints warnings on stderr. */
export async function withSession<Result>(
  file: string | undefined,
  io: Io,
  use: (session: Session, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { config, warnings } = await loadConfig({ file, env: io.env, cwd: io.cwd, signal: io.signal });
  for (const warning of warnings) io.stderr.write(`vigie: ${warning}\n`);
  const session = await openSession(config, io);
  const limit = deadline(LIMIT, io.signal, () => {
    const reason = `no answer within ${LIMIT / 1000} s`;
    return new ServiceUnreachable(FORECAST_SERVICE, "this command", config.service.base_url, reason);
  });
  try {
    return await use(session, limit.signal);
  } finally {
    limit.clear();
    await session.stop();
  }
}

const LIMIT = 60_000;
const NO_SERVICE =
  "vigie: there is no forecast service (service.base_url: none): this is what vigie itself has learnt\n";

/** A person waits for the command: few retries, and soon. */
function waitFor({ tries, longest }: typeof A_PERSON) {
  let left = tries;
  return (milliseconds: number, signal: AbortSignal): Promise<void> => {
    left -= 1;
    // Seen only where the request itself has to wait: a retry that is refused fails with the reason for it.
    if (left < 0) return Promise.reject(new CommandFailed(TOO_MUCH));
    return sleep(Math.min(milliseconds, longest), signal);
  };
}

const TOO_MUCH = `vigie sends the service at most ${PER_MINUTE} requests a minute, and this takes more of them: ask for less at once`;
const A_PERSON = { tries: 2, longest: 2_000 };

/** A person reads this: every line is printed. */
function logTo({ stderr }: Io): Log {
  const say = (sentence: string) => void stderr.write(`vigie: ${sentence}\n`);
  return { debug: say, info: say, warn: say, error: say };
}
