import { z } from "zod";

/** An object whose keys are topics. `z.record` leaves out the key `__proto__`, and a topic may have any name. */
export function byTopic<Read, Kept>(value: z.ZodType<Read, Kept>) {
  return z
    .custom<Record<string, Kept>>((json) => typeof json === "object" && json !== null && !Array.isArray(json))
    .transform((json) => Object.entries(json))
    .pipe(z.array(z.tuple([z.string(), value])))
    .transform((entries) => Object.fromEntries(entries));
}
