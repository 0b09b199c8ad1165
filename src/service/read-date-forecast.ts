import type { IsoDate } from "../core/calendar/tariff.ts";
import { dateForecastSchema } from "../core/contract/endpoints.ts";
import { describeValue } from "./clean-text.ts";
import { observe } from "./observe-answer.ts";
import { readColor } from "./read-color.ts";
import { readConfidence, scaleOf } from "./read-confidence.ts";
import { readRates } from "./read-rates.ts";
import type { Reading, Terms } from "./reading-terms.ts";
import { AnswerUnreadable } from "./service-errors.ts";

/** `GET /v1/public/{target_date}`: the one day asked for, and whether its colour is official. */
export function readDateForecast(asked: IsoDate, json: unknown, terms: Terms): Reading {
  const parsed = dateForecastSchema.safeParse(json);
  if (!parsed.success) {
    const why = `Expected an object with the date ${asked}, got ${describeValue(json)}`;
    throw new AnswerUnreadable(terms.asked, why, { cause: parsed.error });
  }
  const said = parsed.data;
  if (said.date !== asked)
    throw new AnswerUnreadable(terms.asked, `Expected the date ${asked}, got ${said.date}`);
  const sent = { colors: [said.color], confidences: [said.confidence], rates: [said.hp_rate, said.hc_rate] };
  const { observed, notices } = observe(sent, terms);
  const day = {
    date: said.date,
    ...readColor(said.color, terms.spellings),
    confidence: readConfidence(said.confidence, scaleOf(sent.confidences, terms.confidence, terms.percent)),
    source: null,
    explanation: null,
    rates: readRates(said.hp_rate, said.hc_rate, terms.rate_unit),
  };
  // Only a plain true makes a colour official: "true" and 1 are somebody's guess.
  const is_official = typeof said.is_official === "boolean" ? said.is_official : null;
  const answer = { kind: "date", day, is_official } as const;
  return { answer, notices, observed: { ...observed, official: is_official !== null } };
}
