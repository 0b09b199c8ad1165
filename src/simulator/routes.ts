import type { Instant } from "../core/calendar/tariff.ts";
import { type Endpoint, endpoints } from "../core/contract/endpoints.ts";
import { dateAnswer, forecastsAnswer, historyAnswer } from "./answers.ts";
import { askedDate, askedRange, askedSeason, type Query } from "./asked.ts";
import type { Json } from "./damage.ts";
import type { FaultName } from "./faults.ts";
import { seasonAnswer } from "./quotas.ts";
import type { World } from "./world.ts";

/** One request as the answers need it. */
interface Ask {
  /** The last part of the path, where it is a date. */
  target: string;
  query: Query;
  at: Instant;
  world: World;
  active: (fault: FaultName) => boolean;
}

/** What each endpoint answers; throws a Refusal where it cannot. */
export const routes: Record<Endpoint, (ask: Ask) => Json> = {
  forecasts: ({ at, world, active }) => forecastsAnswer(at, world, active("wrong-today") ? 1 : 0),
  season: ({ query, at, world }) => seasonAnswer(askedSeason(query, at), at, world),
  history: ({ query, at, world, active }) => {
    const names = active("history-names") ? OTHER_NAMES : endpoints.history.parameters;
    const { start, end } = askedRange(query, names, at);
    return historyAnswer(start, end, at, world);
  },
  date: ({ target, at, world }) => dateAnswer(askedDate(target, at), at, world),
};

/** The interface leaves the names of the history's parameters open (4.4): another service may have these. */
const OTHER_NAMES = { start: "from", end: "to" };
