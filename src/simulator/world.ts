import type { Color, IsoDate } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import { inventSeason } from "./invented-season.ts";

/** What is so in the simulator's world, whoever asks and whenever. */
export interface World {
  seed: number;
  /** Days given by hand; every other day is invented from the seed. */
  days: ReadonlyMap<IsoDate, Color>;
  /** Wall-clock time of the day before at which a colour becomes official. */
  official_at: string;
  /** The fault `revised`: rouge and blanc days are announced as bleu early in the morning, and corrected later. */
  revised: boolean;
}

/** The colour a day really has in the end. */
export function trueColor(date: IsoDate, world: World): Color {
  return world.days.get(date) ?? inventSeason(seasonOf(date).label, world.seed).get(date) ?? "bleu";
}
