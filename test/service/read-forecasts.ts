import { readAnswer } from "../../src/service/read-answer.ts";
import { type ReadSettings, spellingsOf } from "../../src/service/read-values.ts";

export const SETTINGS: ReadSettings = {
  operation: "GET /v1/public",
  spellings: spellingsOf({}),
  confidence: "auto",
  percent: false,
  rate_unit: "EUR/kWh",
};

/** The reading of an answer of the forecasts endpoint. */
export function readForecasts(json: unknown, settings: Partial<ReadSettings> = {}) {
  const reading = readAnswer({ kind: "forecasts" }, json, { ...SETTINGS, ...settings });
  if (reading.answer.kind !== "forecasts") throw new Error("Expected forecasts");
  return { ...reading, answer: reading.answer };
}
