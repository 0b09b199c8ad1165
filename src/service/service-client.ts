import type { ServiceConfig } from "../config/config.ts";
import type { Request } from "../core/contract/answer.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { sleep } from "../runtime/wait.ts";
import { askHistory } from "./ask-history.ts";
import type { AskOnce, AskOptions, Reply } from "./asking.ts";
import { type MemoryKeeper, noteOfficial } from "./client-memory.ts";
import type { RangeNames } from "./history-names.ts";
import type { Transport } from "./http-transport.ts";
import { readAnswer } from "./read-answer.ts";
import { type Reading, type ReadSettings, spellingsOf } from "./read-values.ts";
import { requestPath } from "./request-path.ts";
import { createRequester } from "./requester.ts";

export interface ServiceClient {
  /** The answer in vigie's words. Tries again while that is of use, until the signal ends it. */
  ask(request: Request, options: AskOptions): Promise<Reply>;
  close(): Promise<void>;
}

interface ClientOptions {
  config: Pick<ServiceConfig, "colors" | "confidence" | "rate_unit" | "history_parameters">;
  /** Where the service really is; `simulator` has become an address. */
  base: string;
  version: string;
  clock: Clock;
  random: () => number;
  memory: MemoryKeeper;
  log: Log;
  /** Of one request; how waits are waited; what carries requests. For tests. */
  timeout?: number;
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  transport?: Transport;
}

export function createServiceClient(options: ClientOptions): ServiceClient {
  const { config, memory, clock } = options;
  const requester = createRequester({ ...options, wait: options.wait ?? sleep });
  const spellings = spellingsOf(config.colors);
  const tell = sayOnce(options.log);

  const askOnce: AskOnce = async (request, names, ways) => {
    const path = requestPath(request, names);
    const { json, date, keep } = await requester.get(path, ways);
    const settings: ReadSettings = {
      ...config,
      operation: `GET ${path}`,
      spellings,
      percent: memory.get().percent,
    };
    const reading = readAnswer(request, json, settings);
    keep();
    learn(reading);
    return { answer: reading.answer, date, observed: reading.observed, path };
  };
  const learn = ({ answer, observed, warnings }: Reading) => {
    for (const warning of warnings) tell(warning);
    if (config.confidence === "auto" && observed.confidence?.scale === "percent" && !memory.get().percent) {
      options.log.info("The service counts confidence in percent");
      memory.set({ ...memory.get(), percent: true });
    }
    if (answer.kind === "date") memory.set(noteOfficial(memory.get(), answer.is_official, clock.now()));
  };
  const ask: ServiceClient["ask"] = (request, ways) => {
    if (request.kind !== "history") return askOnce(request, NO_NAMES, ways);
    return askHistory(request, ways, { ...options, setting: config.history_parameters, askOnce });
  };
  return { ask, close: requester.close };
}

const NO_NAMES: RangeNames = { start: "", end: "" };

/** Each new value is said once; a service that invents words without end is not repeated without end. */
function sayOnce(log: Log): (notice: string) => void {
  const said = new Set<string>();
  return (notice) => {
    if (said.has(notice) || said.size >= MOST_NOTICES) return;
    said.add(notice);
    log.warn(notice);
  };
}

const MOST_NOTICES = 200;
