import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Request } from "../core/contract/answer.ts";
import { dateForecastSchema, seasonSchema } from "../core/contract/endpoints.ts";
import { describeValue } from "./clean-text.ts";
import { readForecasts } from "./read-forecasts.ts";
import { readHistory } from "./read-history.ts";
import { createValueReader, type Reading, type ReadSettings } from "./read-values.ts";
import { AnswerUnreadable } from "./service-errors.ts";

/** The answer to a request, from its JSON; throws `AnswerUnreadable` for JSON that does not answer it. */
export function readAnswer(request: Request, json: unknown, settings: ReadSettings): Reading {
  switch (request.kind) {
    case "forecasts":
      return readForecasts(json, settings);
    case "date":
      return readDateForecast(request.date, json, settings);
    case "season":
      return readSeason(request.label, json, settings);
    case "history":
      return readHistory(request, json, settings);
  }
}

/** `GET /v1/public/{target_date}`: the requested day, and whether its colour is official. */
function readDateForecast(date: IsoDate, json: unknown, settings: ReadSettings): Reading {
  const parsed = dateForecastSchema.safeParse(json);
  if (!parsed.success) {
    const why = `Expected an object with the date ${date}, got ${describeValue(json)}`;
    throw new AnswerUnreadable(settings.operation, why, { cause: parsed.error });
  }
  const sent = parsed.data;
  if (sent.date !== date) {
    throw new AnswerUnreadable(settings.operation, `Expected the date ${date}, got ${sent.date}`);
  }
  const values = createValueReader(settings, [sent.confidence]);
  const day = {
    date,
    ...values.color(sent.color),
    confidence: values.confidence(sent.confidence),
    source: null,
    explanation: null,
    rates: values.rates(sent.hp_rate, sent.hc_rate),
  };
  // Only a plain true makes a colour official: what "true" or 1 mean would be a guess.
  const is_official = typeof sent.is_official === "boolean" ? sent.is_official : null;
  const reading = values.finish({ kind: "date", day, is_official });
  const official = is_official === null ? "not said by the service" : "said by the service";
  reading.assumptions.push(`whether the colour is official: ${official} (is_official)`);
  return reading;
}

/** `GET /v1/public/season`. Every field is required here: a count that is missing cannot be made up. */
function readSeason(label: string | undefined, json: unknown, { operation }: ReadSettings): Reading {
  const parsed = seasonSchema.safeParse(json);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const problems = issues
      .slice(0, 3)
      .map(({ path, message }) => `${path.join(".") || "answer"}: ${message}`);
    const why = `Expected a season with its counts, got something else: ${problems.join("; ")}`;
    throw new AnswerUnreadable(operation, why, { cause: parsed.error });
  }
  const { season, start_date, end_date, ...counts } = parsed.data;
  if (label !== undefined && season !== label) {
    throw new AnswerUnreadable(operation, `Expected the season ${label}, got ${describeValue(season)}`);
  }
  if (start_date > end_date) {
    throw new AnswerUnreadable(operation, `Expected a start before ${end_date}, got ${start_date}`);
  }
  return {
    answer: { kind: "season", season: { label: season, start: start_date, end: end_date, ...counts } },
    warnings: [],
    assumptions: [],
    isPercent: false,
  };
}
