import type { z } from "zod";

/** What may not stand together in one condition. Parts of it may be wrong in themselves, so each is read with care. */
export function checkCondition(given: unknown, context: z.core.$RefinementCtx): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return;
  const say = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  const has = (key: string) => Reflect.get(given, key) !== undefined;
  const day: unknown = Reflect.get(given, "day");
  if (day === undefined) {
    for (const key of [...ASKED, ...COUNTED].filter(has))
      say(key, `day beside it, such as { day: next, ${key}: … }`);
    return;
  }
  if (!ASKED.some(has))
    say("day", `${ASKED.slice(0, -1).join(", ")} or ${ASKED.at(-1)} beside it: what is asked of the day`);
  const length = rangeLength(day);
  if (length === undefined) return;
  if (length === null) {
    for (const key of COUNTED.filter(has))
      say(key, "a range of days beside it, such as { day: next_7_days }");
    return;
  }
  const least: unknown = Reflect.get(given, "at_least");
  if (has("at_least") && has("every")) say("every", "at_least or every, not both");
  if (typeof least === "number" && least > length)
    say("at_least", `at most ${length}, the days of ${String(day)}`);
}

/** How many days a range has; null of a single day, undefined of what is none. */
export function rangeLength(day: unknown): number | null | undefined {
  if (typeof day !== "string") return undefined;
  const [, length] = /^next_(\d)_days$/.exec(day) ?? [];
  return length === undefined ? null : Number(length);
}

const ASKED = ["color", "confidence", "official", "stage", "known"];
const COUNTED = ["at_least", "every"];
