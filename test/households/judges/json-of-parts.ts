import type { Judge } from "./judge.ts";
import { judgeSnapshots, type Snapshot } from "./snapshots.ts";

/** "A topic with ◆ is also published as a whole, as one JSON object on the parent topic": it says the same as its parts. */
export const jsonJudge: Judge = judgeSnapshots("JSON of the parts", (snapshot) =>
  PARENTS.map(({ parent, parts }) => compare(snapshot, parent, parts)),
);

function compare({ read }: Snapshot, parent: string, parts: readonly string[]): string {
  const text = read(parent);
  if (text === null) return "skipped";
  const whole = parse(text);
  if (whole === undefined) return `${parent} is no JSON object: ${text}`;
  for (const part of parts) {
    const payload = read(`${parent}/${part}`);
    if (payload === null) return "skipped";
    const said = payloadOf(valueAt(whole, part));
    if (said !== payload)
      return `the JSON on ${parent} says ${said} as ${part}, and ${parent}/${part} is ${payload}`;
  }
  return "right";
}

function parse(text: string): object | undefined {
  try {
    const given: unknown = JSON.parse(text);
    return typeof given === "object" && given !== null ? given : undefined;
  } catch {
    return undefined;
  }
}

/** undefined: it is missing. */
function valueAt(whole: unknown, path: string): unknown {
  return path
    .split("/")
    .reduce<unknown>((given, key) => (given as Record<string, unknown> | null)?.[key], whole);
}

function payloadOf(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "ON" : "OFF";
  return value === undefined ? "nothing" : String(value);
}

const DAY = ["date", "color", "confidence", "official", "stage", "source"];
const CIVIL_DAY = [...DAY, "explanation", "rate_hp", "rate_hc"];
const COUNTS = ["remaining", "total", "used", "left"];

const PARENTS: readonly { parent: string; parts: readonly string[] }[] = [
  { parent: "now", parts: [...DAY, "period", "slot", "rate", "color_until", "period_until"] },
  { parent: "next", parts: [...DAY, "at"] },
  ...["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"].map((parent) => ({
    parent,
    parts: CIVIL_DAY,
  })),
  { parent: "yesterday", parts: ["date", "color", "predicted_color", "prediction_confidence"] },
  {
    parent: "season",
    parts: [
      "label",
      "start",
      "end",
      "days_elapsed",
      "days_remaining",
      ...COUNTS.flatMap((count) => ["rouge", "blanc", "bleu"].map((color) => `${count}/${color}`)),
    ],
  },
  { parent: "simulation", parts: ["color", "until"] },
  {
    parent: "service",
    parts: [
      "status",
      "last_success",
      "last_error",
      "updated_at",
      "problem",
      "problem_code",
      "failed_outputs",
    ],
  },
];
