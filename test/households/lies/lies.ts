import type { Lie } from "./lie.ts";
import { LIES_OF_DAYS } from "./lies-of-days.ts";
import { LIES_OF_RULES } from "./lies-of-rules.ts";

export const LIES: readonly Lie[] = [...LIES_OF_DAYS, ...LIES_OF_RULES];
