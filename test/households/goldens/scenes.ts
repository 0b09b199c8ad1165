import type { Scene } from "./scene.ts";
import { SCENES_OF_CLOCKS } from "./scenes-of-clocks.ts";
import { SCENES_OF_DAYS } from "./scenes-of-days.ts";
import { SCENES_OF_DEVICES } from "./scenes-of-devices.ts";
import { SCENES_OF_MESSAGES } from "./scenes-of-messages.ts";
import { SCENES_OF_RULES } from "./scenes-of-rules.ts";
import { SCENES_OF_SEASONS } from "./scenes-of-seasons.ts";
import { SCENES_OF_SOURCES } from "./scenes-of-sources.ts";
import { SCENES_OF_THE_HOUSE } from "./scenes-of-the-house.ts";

/** What is seen of them is kept in the folder `kept`. */
export const SCENES: readonly Scene[] = [
  ...SCENES_OF_CLOCKS,
  ...SCENES_OF_DAYS,
  ...SCENES_OF_DEVICES,
  ...SCENES_OF_MESSAGES,
  ...SCENES_OF_RULES,
  ...SCENES_OF_SEASONS,
  ...SCENES_OF_SOURCES,
  ...SCENES_OF_THE_HOUSE,
];
