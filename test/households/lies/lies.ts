import type { Lie } from "./lie.ts";
import { LIES_OF_DAYS } from "./lies-of-days.ts";

export const LIES: readonly Lie[] = [...LIES_OF_DAYS];
