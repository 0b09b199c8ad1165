import { addDays, possibleColors, tariffDay } from "./calendar.ts";
import type { Draw } from "./draw.ts";
import type { ScriptEvent } from "./scenario.ts";
import type { SourceFault } from "./sources.ts";

/** A source answers in time, and odd things. `now`: as an instant. Returns how many seconds it takes. */
export function answerOddly(
  { one, whole, chance }: Draw,
  events: ScriptEvent[],
  at: number,
  length: number,
  now: number,
): number {
  const put = (source: "service" | "rte", fault: SourceFault, seconds: number) =>
    void events.push({ at, kind: "source", source, fault, for: seconds });
  const either = one(["service", "rte"] as const);
  switch (
    one([
      "other color",
      "other color",
      "spellings",
      "of RTE",
      "type",
      "status",
      "fields",
      "fields",
      "units",
    ] as const)
  ) {
    case "other color": {
      // The running day, the next one, or one that is over. One source may go on saying so until the day is over.
      const date = addDays(tariffDay(now), one([-1, 0, 0, 0, 1]));
      const color = one(possibleColors(date) as ["bleu"]);
      const seconds = one([length, length, whole(1, 2) * 43_200]);
      put(either, { kind: "other color", date, color }, seconds);
      if (chance(0.4))
        put(either === "rte" ? "service" : "rte", { kind: "other color", date, color }, length);
      return length;
    }
    case "spellings":
      put(either, { kind: "spellings" }, length);
      return length;
    case "of RTE":
      put("rte", { kind: one(["strange keys", "wrong season"]) }, length);
      return length;
    case "type":
      put(either, { kind: "wrong type" }, length);
      return length;
    case "fields":
      put(either, { kind: one(["missing", "nulls"]) }, length);
      return length;
    case "units":
      put("service", { kind: one(["percent", "cents", "history names"]) }, length);
      return length;
    case "status":
      put(either, { kind: "status", status: one([302, 400, 422]) }, length);
      return length;
  }
}
