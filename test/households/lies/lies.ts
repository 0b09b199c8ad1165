import type { Lie } from "./lie.ts";
import { LIES_OF_ABSENCE } from "./lies-of-absence.ts";
import { LIES_OF_AWAY_DEVICES } from "./lies-of-away-devices.ts";
import { LIES_OF_DAYS } from "./lies-of-days.ts";
import { LIES_OF_DERIVED_TOPICS } from "./lies-of-derived-topics.ts";
import { LIES_OF_DEVICE_REQUESTS } from "./lies-of-device-requests.ts";
import { LIES_OF_DEVICE_STATES } from "./lies-of-device-states.ts";
import { LIES_OF_DISCOVERY } from "./lies-of-discovery.ts";
import { LIES_OF_LIMITS } from "./lies-of-limits.ts";
import { LIES_OF_MESSAGES } from "./lies-of-messages.ts";
import { LIES_OF_OPTIONS } from "./lies-of-options.ts";
import { LIES_OF_OTHERS } from "./lies-of-others.ts";
import { LIES_OF_PAYLOADS } from "./lies-of-payloads.ts";
import { LIES_OF_PROBLEMS } from "./lies-of-problems.ts";
import { LIES_OF_RULES } from "./lies-of-rules.ts";
import { LIES_OF_SOURCES } from "./lies-of-sources.ts";
import { LIES_OF_STATE_FILES } from "./lies-of-state-files.ts";
import { LIES_OF_TELLINGS } from "./lies-of-tellings.ts";
import { LIES_OF_THE_PROCESS } from "./lies-of-the-process.ts";
import { LIES_OF_VIEWS } from "./lies-of-views.ts";

export const LIES: readonly Lie[] = [
  ...LIES_OF_DAYS,
  ...LIES_OF_RULES,
  ...LIES_OF_DERIVED_TOPICS,
  ...LIES_OF_ABSENCE,
  ...LIES_OF_LIMITS,
  ...LIES_OF_THE_PROCESS,
  ...LIES_OF_STATE_FILES,
  ...LIES_OF_OPTIONS,
  ...LIES_OF_SOURCES,
  ...LIES_OF_OTHERS,
  ...LIES_OF_PAYLOADS,
  ...LIES_OF_DEVICE_STATES,
  ...LIES_OF_AWAY_DEVICES,
  ...LIES_OF_TELLINGS,
  ...LIES_OF_DEVICE_REQUESTS,
  ...LIES_OF_MESSAGES,
  ...LIES_OF_DISCOVERY,
  ...LIES_OF_PROBLEMS,
  ...LIES_OF_VIEWS,
];
