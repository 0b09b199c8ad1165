import { MINUTE } from "../calendar.ts";
import { isKind, type Trace, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";
import { BASE, houseAt } from "./topics.ts";

/** At a quiet point the problem that vigie names has its cause in the other topics, and no more important one is there. */
export const problemsJudge: Judge = {
  name: "problems",
  find: (trace) => trace.events.flatMap((event) => judgeAt(event, trace)),
};

function judgeAt(event: TraceEvent, trace: Trace): Finding[] {
  if (!isKind(event, "quiet")) return [];
  const house = houseAt(trace, event.steady);
  const read = (topic: string) => event.retained.get(`${BASE}/${topic}`);
  const code = read("service/problem_code");
  // The judge of topics says that they are missing.
  if (!house || code === undefined || event.steady - event.since < SETTLES) return ["skipped"];
  const status = read("service/status") ?? "";
  const official = read("official/status") ?? "";
  // With a service it is a problem after a day only; and where only past days fail, nothing is said.
  const mustNameOfficial = !house.hasService && official === "down";
  const checks: [isRight: boolean, sentence: string][] = [
    [
      (official === "off") === !house.hasRte,
      `official/status is ${official}, and the house has ${house.hasRte ? "an" : "no"} official source`,
    ],
    [
      code === "official"
        ? official === "degraded" || official === "down"
        : !mustNameOfficial || isAtLeast(code, "official"),
      `the problem is ${code}, and official/status is ${official}`,
    ],
    [ORDER.includes(code), `the problem is ${code}`],
    [
      read("service/problem") === (code === "none" ? "OFF" : "ON"),
      `service/problem is ${read("service/problem")}, and its code ${code}`,
    ],
    [
      (status === "off") === !house.hasService,
      `service/status is ${status}, and the house has ${house.hasService ? "a" : "no"} service`,
    ],
    ...causesOf(read, status).map(([problem, isThere]): [boolean, string] => [
      isThere ? isAtLeast(code, problem) : code !== problem,
      `the problem is ${code}, and that of ${problem} is ${isThere ? "" : "not "}there`,
    ]),
    ...LEAVES.map((name): [boolean, string] => [
      isSame(read("service"), name, read(`service/${name}`)),
      `service has another ${name} than service/${name}, which is ${read(`service/${name}`)}`,
    ]),
  ];
  return checks.map(([isRight, sentence]) => (isRight ? "right" : { at: event.steady, sentence }));
}

type Read = (topic: string) => string | undefined;

/** The problems whose cause is on another topic, and whether it is. */
function causesOf(read: Read, status: string): [problem: string, isThere: boolean][] {
  const isContradicted = ["now", "next", "tomorrow"].some((day) => hasTwoColors(read(day)));
  return [
    ["service", status === "degraded" || status === "down"],
    ["output", read("service/failed_outputs") !== "None"],
    ["contradiction", isContradicted],
    ["late", read("announcement/late") === "ON"],
  ];
}

function hasTwoColors(day: string | undefined): boolean {
  return Boolean(day && JSON.parse(day)?.official_by);
}

/** The code is this problem, or a more important one. */
function isAtLeast(code: string, problem: string): boolean {
  return ORDER.indexOf(code) <= ORDER.indexOf(problem);
}

function isSame(json: string | undefined, name: string, leaf: string | undefined): boolean {
  if (json === undefined || leaf === undefined) return false;
  const value: unknown = JSON.parse(json)[name];
  if (value === null || (Array.isArray(value) && value.length === 0)) return leaf === "None";
  if (typeof value === "boolean") return leaf === (value ? "ON" : "OFF");
  return leaf === (Array.isArray(value) ? value.join(", ") : String(value));
}

const LEAVES = [
  "status",
  "problem",
  "problem_code",
  "failed_outputs",
  "last_error",
  "last_success",
  "updated_at",
];

/** The most important one first. No topic says that the broker is away. */
const ORDER = ["vigie", "clock", "service", "official", "output", "contradiction", "late", "revised", "none"];

const SETTLES = 5 * MINUTE;
