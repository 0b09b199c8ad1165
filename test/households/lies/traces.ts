import { generateScenario } from "../generate-scenario.ts";
import { runHousehold } from "../household.ts";
import { liveFound } from "../live.ts";
import type { Trace } from "../trace.ts";
import { AWAY_IN_THE_NIGHT, FIRST_DAYS, ROUGE_DAY, SPOILT_FILES, TROUBLED_MORNING } from "./scenes.ts";
import { OTHER_NAMES, OTHER_TARIFF, OTHER_UNITS } from "./scenes-of-options.ts";
import { OTHERS_ON_THE_BROKER } from "./scenes-of-others.ts";
import { EVENING_OF_DEVICES, NIGHT_OF_MESSAGES } from "./scenes-of-outputs.ts";
import { SOURCES_AWAY } from "./scenes-of-sources.ts";

/** A household to lie about. */
export interface Told {
  name: string;
  live: () => Promise<Trace>;
}

/** Days. */
const HALF_A_DAY = 0.5;

/** Together they have a place for each lie; in the random ones much happens. */
export const TRACES: readonly Told[] = [
  { name: "a rouge day", live: () => runHousehold(ROUGE_DAY) },
  { name: "vigie away in the night", live: () => runHousehold(AWAY_IN_THE_NIGHT) },
  { name: "spoilt files", live: () => runHousehold(SPOILT_FILES) },
  { name: "a troubled morning", live: () => runHousehold(TROUBLED_MORNING) },
  { name: "the first days of a season", live: () => runHousehold(FIRST_DAYS) },
  { name: "an evening of devices", live: () => runHousehold(EVENING_OF_DEVICES) },
  { name: "a night of messages", live: () => runHousehold(NIGHT_OF_MESSAGES) },
  { name: "others on the broker", live: () => runHousehold(OTHERS_ON_THE_BROKER) },
  { name: "a relay that is unplugged", live: () => liveFound("a relay that was unplugged after a press") },
  { name: "a device that comes back", live: () => liveFound("a device that was silent for ten minutes") },
  { name: "other names", live: () => runHousehold(OTHER_NAMES) },
  { name: "other units", live: () => runHousehold(OTHER_UNITS) },
  { name: "sources away", live: () => runHousehold(SOURCES_AWAY) },
  { name: "another tariff", live: () => runHousehold(OTHER_TARIFF) },
  {
    name: "a start without the broker",
    live: () => liveFound("a device over HTTP follows a value that is older than its max_age"),
  },
  ...[25, 3, 4, 7, 8, 10, 11, 19, 63, 68].map(randomHousehold),
];

function randomHousehold(seed: number): Told {
  return {
    name: `random household ${seed}`,
    live: async () => runHousehold(await generateScenario(seed, { days: HALF_A_DAY })),
  };
}
