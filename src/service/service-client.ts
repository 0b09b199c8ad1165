import type { ServiceConfig } from "../config/config.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import { askHistory } from "./ask-history.ts";
import { describeOtherTime } from "./other-time.ts";
import { createPoliteClient, type PoliteOptions } from "./polite-client.ts";
import { readAnswer } from "./read-answer.ts";
import { sourceTimes } from "./read-response.ts";
import { type Reading, spellingsOf } from "./read-values.ts";
import { type RangeNames, type Reply, type RequestOptions, requestPath } from "./service-request.ts";
import { createWarnOnce } from "./warn-once.ts";

export interface ServiceClient {
  /** The answer to a request. Tries again while that is of use, until the signal aborts. */
  ask(request: Request, options: RequestOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface ClientOptions extends PoliteOptions {
  config: Pick<ServiceConfig, "colors" | "confidence" | "rate_unit" | "history_parameters">;
}

/** From a request to its answer: `requestPath`, the polite client (a GET that gives JSON), `readAnswer`. */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { config, memory, clock, log } = options;
  const client = createPoliteClient(FORECAST_SERVICE, options);
  const spellings = spellingsOf(config.colors);
  const warnOnce = createWarnOnce(log);
  let hasOtherTime = false;

  function ask(request: Request, names: RangeNames, limits: RequestOptions): Promise<Reply> {
    const path = requestPath(request, names);
    return client.get(path, limits, (json, response) => {
      const { percent } = memory.get();
      const reading = readAnswer(request, json, { ...config, operation: `GET ${path}`, spellings, percent });
      learn(reading);
      const { answer, assumptions } = reading;
      return { answer, assumptions, ...sourceTimes(response, clock.now()) };
    });
  }

  function learn({ answer, warnings, isPercent }: Reading): void {
    for (const warning of warnings) warnOnce(warning);
    warnOfOtherTime(answer);
    if (config.confidence === "auto" && isPercent && !memory.get().percent) {
      log.info("The service sends confidence in percent: from now on 1 means 1 %");
      memory.set({ ...memory.get(), percent: true });
    }
  }

  /** Once: the days move on with each poll, and with them the words. */
  function warnOfOtherTime(answer: Answer): void {
    const warning = hasOtherTime ? null : describeOtherTime(answer, clock.now());
    if (warning === null) return;
    hasOtherTime = true;
    log.warn(warning);
  }

  return {
    ask: (request, limits) => {
      if (request.kind !== "history") return ask(request, NO_NAMES, limits);
      return askHistory(request, limits, { setting: config.history_parameters, memory, log, ask });
    },
    close: client.close,
  };
}

const NO_NAMES: RangeNames = { start: "", end: "" };
