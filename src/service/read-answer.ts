import type { Request } from "../core/contract/answer.ts";
import { seasonSchema } from "../core/contract/endpoints.ts";
import { describeValue } from "./clean-text.ts";
import { readDateForecast } from "./read-date-forecast.ts";
import { readForecasts } from "./read-forecasts.ts";
import { readHistory } from "./read-history.ts";
import type { Reading, Terms } from "./reading-terms.ts";
import { AnswerUnreadable } from "./service-errors.ts";

/** The answer to a request in vigie's own words; throws `AnswerUnreadable` where it is none. */
export function readAnswer(request: Request, json: unknown, terms: Terms): Reading {
  switch (request.kind) {
    case "forecasts":
      return readForecasts(json, terms);
    case "date":
      return readDateForecast(request.date, json, terms);
    case "season":
      return readSeason(request.label, json, terms);
    case "history":
      return readHistory(request, json, terms);
  }
}

/** Here every field is required: a count that is not there cannot be made up. */
function readSeason(label: string | undefined, json: unknown, terms: Terms): Reading {
  const parsed = seasonSchema.safeParse(json);
  if (!parsed.success)
    throw new AnswerUnreadable(terms.asked, seasonProblem(parsed.error.issues), { cause: parsed.error });
  const said = parsed.data;
  if (label !== undefined && said.season !== label) {
    throw new AnswerUnreadable(
      terms.asked,
      `Expected the season ${label}, got ${describeValue(said.season)}`,
    );
  }
  if (said.start_date > said.end_date) {
    throw new AnswerUnreadable(
      terms.asked,
      `Expected a start before ${said.end_date}, got ${said.start_date}`,
    );
  }
  const { season, start_date, end_date, remaining, total, days_elapsed, days_remaining } = said;
  const read = {
    label: season,
    start: start_date,
    end: end_date,
    remaining,
    total,
    days_elapsed,
    days_remaining,
  };
  const observed = { colors: [], confidence: null, rates: null, official: null };
  return { answer: { kind: "season", season: read }, notices: [], observed };
}

function seasonProblem(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const problems = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "answer"}: ${message}`);
  return `Expected a season with its counts, got one with ${issues.length} faults: ${problems.join("; ")}`;
}
