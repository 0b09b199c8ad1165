import type { DayFacts } from "../core/facts/facts.ts";

/** A day in one line: date, colour, how sure. */
export function describeDay({ date, color, stage, confidence }: DayFacts): string {
  return `${date}  ${(color ?? "unknown").padEnd(7)}  ${describeStage(stage, confidence)}`.trimEnd();
}

function describeStage(stage: DayFacts["stage"], confidence: number | null): string {
  switch (stage) {
    case null:
      return "";
    case "forecast":
      return confidence === null ? "forecast" : `forecast, ${Math.round(confidence * 100)} %`;
    case "announced":
      return "announced; it may still be corrected";
    case "final":
      return "final";
  }
}
