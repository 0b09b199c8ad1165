import { createProblemLog } from "../app/create-problem-log.ts";
import { openSources } from "../app/open-sources.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { civilDate } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Answer, ColorOfDate, OfficialRequest, Request } from "../core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { learn, learnOfficial } from "../core/days/learn.ts";
import { describeUnusable } from "../core/days/official-answer.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import type { Source } from "../core/sources/source.ts";
import { EMPTY_MEMORY } from "../core/sources/source-kept.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { deadline } from "../runtime/wait.ts";
import { keepMemory } from "../service/memory-keeper.ts";
import type { OfficialClient, OfficialReply } from "../service/official-client.ts";
import { readWordsNow } from "../service/read-official.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { RequestRefused, ServiceError, ServiceUnreachable } from "../service/service-errors.ts";
import type { Reply, RequestOptions, TriedEvent } from "../service/service-request.ts";
import type { MovedDays } from "../simulator/official-colors.ts";
import { NewerState } from "../state/state-format.ts";
import { CommandFailed } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readKnownDays } from "./read-known-days.ts";

/** The clients for one command. */
export interface Session {
  /** null with `service.base_url: none`. */
  service: ServiceClient | null;
  /** null with `official.source: off`. */
  official: OfficialClient | null;
  /** The civil date where the tariff holds. */
  today: IsoDate;
  /** What is known after the answers of this command, and of these known days before them. */
  learnt: (before?: KnownDays) => KnownDays;
  /** Prints each failure once. */
  post: (event: TriedEvent) => void;
  stop(): Promise<void>;
}

export async function openSession(config: Config, io: Io): Promise<Session> {
  const log = logTo(io);
  const { tariff } = config;
  const { service, official, isInvented, stop } = await openSources(config, {
    clock: systemClock,
    random: Math.random,
    memories: { service: keepMemory(EMPTY_MEMORY), official: keepMemory(EMPTY_MEMORY) },
    movedDays: { get: () => readMovedDays(config) },
    log,
    patience: OF_A_PERSON,
  });
  if (isInvented) {
    log.info("the simulator invents these days (service.base_url or official.source is simulator)");
  }
  const problemLog = createProblemLog(log, systemClock);
  const post = ({ failure, isPause }: TriedEvent) => {
    if (!isPause) problemLog.starts("service", `${failure}; trying again`);
  };
  const today = civilDate(systemClock.now(), tariff.time_zone);
  const lessons: ((known: KnownDays) => KnownDays)[] = [];
  const keepReply = (reply: Reply) => {
    const now = systemClock.now();
    lessons.push((known) => learn(known, reply.answer, now, tariff, reply.made_at ?? now));
    return reply;
  };
  const keepOfficialReply = (reply: OfficialReply) => {
    const now = systemClock.now();
    for (const sentence of describeUnusable(reply.answer, now, tariff)) log.warn(sentence);
    lessons.push((known) => learnOfficial(known, reply.answer, now, tariff, reply.made_at ?? now));
    return reply;
  };
  return {
    service: service && {
      ...service,
      ask: async (request, options) => keepReply(await service.ask(request, options)),
    },
    official: official && {
      ...official,
      ask: async (request, options) => keepOfficialReply(await official.ask(request, options)),
    },
    today,
    learnt: (before = NO_KNOWN_DAYS) => lessons.reduce((known, lesson) => lesson(known), before),
    post,
    stop,
  };
}

/** As the vigie with this state folder has moved them. A state that cannot be read is told where its days are used. */
async function readMovedDays(config: Config): Promise<MovedDays> {
  const { state } = await readKnownDays(config).catch(() => ({ state: undefined }));
  return state?.moved_days ?? {};
}

/** A person waits for the command. */
const OF_A_PERSON = { retries: 2, longestWait: 2_000 };

/** What a command may ask. A request throws `ServiceUnreachable` where nobody answers for ten seconds. */
export interface Sources {
  /** null with `service.base_url: none`. */
  ask: ((request: Request) => Promise<Answer>) | null;
  /** The words of RTE that count now; null with `official.source: off`. */
  askOfficial: ((request: OfficialRequest) => Promise<ColorOfDate[]>) | null;
  /**
   * What vigie itself has learnt, where there is no service (null) or it has failed: `find` looks there for the answer, and it
   * is said from where it comes. Where nothing is found (null), or the state cannot be read, a failure is thrown.
   */
  findKnown: <Found>(
    failure: Error | null,
    find: (known: KnownDays) => Found | null,
  ) => Promise<Found | null>;
  /** What vigie knows after these answers. Where the state cannot be read, it is said, and only these answers count. */
  learnt: () => Promise<KnownDays>;
  config: Config;
  /** The civil date where the tariff holds. */
  today: IsoDate;
}

/** Reads the configuration, and asks its sources what `question` asks. */
export async function askSources<Result>(
  file: string | undefined,
  io: Io,
  question: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  const { config } = await loadConfig({ file, env: io.env, cwd: io.cwd, signal: io.signal });
  const { service, official, today, learnt, post, stop } = await openSession(config, io);
  const withinLimit = async <Said>(
    source: Source,
    address: string,
    ask: (options: RequestOptions) => Promise<Said>,
  ) => {
    const limit = deadline(LIMIT, io.signal, () => {
      const reason = `no answer within ${LIMIT / 1000} s`;
      return new ServiceUnreachable(source, "this command", address, reason);
    });
    return ask({ signal: limit.signal, essential: true, post }).finally(limit.clear);
  };
  const { base_url } = config.service;
  const sources: Sources = {
    ask:
      service &&
      (async (request) =>
        (await withinLimit(FORECAST_SERVICE, base_url, (options) => service.ask(request, options))).answer),
    askOfficial:
      official &&
      (async (request) => {
        const { answer } = await withinLimit(RTE, config.official.source, (options) =>
          official.ask(request, options),
        );
        return readWordsNow(answer, systemClock.now(), config.tariff);
      }),
    findKnown: async (failure, find) => {
      const { knownDays } = await readKnownDays(config).catch((error: unknown) => {
        if (!failure || !(error instanceof Error)) throw error;
        io.stderr.write(`vigie: ${error.message}\n`);
        throw failure;
      });
      const found = find(knownDays);
      if (found === null && failure) throw failure;
      io.stderr.write(failure ? `vigie: ${failure.message}${FROM_STATE}\n` : NO_SERVICE);
      return found;
    },
    learnt: async () => {
      const { knownDays } = await readKnownDays(config).catch((error: unknown) => {
        if (!(error instanceof CommandFailed || error instanceof NewerState)) throw error;
        io.stderr.write(`vigie: ${error.message}\n`);
        return { knownDays: NO_KNOWN_DAYS };
      });
      return learnt(knownDays);
    },
    config,
    today,
  };
  try {
    return await question(sources);
  } finally {
    await stop();
  }
}

const LIMIT = 10_000;
/** Behind the message of a failure. */
export const FROM_STATE = ". This is what vigie itself has learnt";

const NO_SERVICE =
  "vigie: there is no forecast service (service.base_url: none): this is what vigie itself has learnt\n";

/** Of a service that has failed; one that refuses a request has answered. */
export function isFailure(error: unknown): error is Error {
  return error instanceof ServiceError && !(error instanceof RequestRefused);
}

/** For a person, who is not told details. */
function logTo({ stderr }: Io): Log {
  const say = (sentence: string) => void stderr.write(`vigie: ${sentence}\n`);
  return { debug: () => undefined, info: say, warn: say, error: say };
}
