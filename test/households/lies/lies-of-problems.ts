import { MINUTE } from "../calendar.ts";
import { houseAt } from "../judges/topics.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { withOther } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";

type Quiet = EventOf<"quiet"> & TraceEvent;

const NAMES = "`service/problem_code` names the most important problem";
const SHOWS = "A topic with ◆ is also published as a whole";

/** What vigie says is wrong with its sources and devices, and with itself. */
export const LIES_OF_PROBLEMS: readonly Lie[] = [
  problemLie("the service is down, and no problem is named", NAMES, isWell, {
    "service/status": "down",
  }),
  problemLie("a device failed, and no problem is named", NAMES, isWell, {
    "service/failed_outputs": "boiler",
  }),
  problemLie("the announcement is late, and no problem is named", NAMES, isWell, {
    "announcement/late": "ON",
  }),
  ...["service", "official", "output", "contradiction", "late"].map((code) =>
    problemLie(`the problem is ${code}, without a cause`, NAMES, isWell, {
      "service/problem": "ON",
      "service/problem_code": code,
    }),
  ),
  problemLie("there is a problem, and its code is none", NAMES, isWell, { "service/problem": "ON" }),
  problemLie("the official source is off although it is configured", "the official source: `ok`", hasRte, {
    "official/status": "off",
  }),
  problemLie("the service is off although it is configured", "`off` (no service is configured)", hasService, {
    "service/status": "off",
  }),
  problemLie("the JSON on service has another error than its topic", SHOWS, isWell, {
    "service/last_error": "The service is gone",
  }),
];

/** These topics hold these payloads at a quiet point. The JSON on `service` says the same, except of the error. */
function problemLie(
  name: string,
  sentence: string,
  isPlace: (quiet: Quiet, trace: Trace) => boolean,
  payloads: Readonly<Record<string, string>>,
): Lie {
  return {
    name,
    breaks: { document: "docs/topics.md", sentence },
    judge: "problems",
    tell: tellAtOne(
      (trace) =>
        trace.events.filter(
          (event): event is Quiet =>
            isKind(event, "quiet") && event.steady - event.since > 6 * MINUTE && isPlace(event, trace),
        ),
      (trace, quiet) => withOther(trace, quiet, holding(quiet, payloads)),
    ),
  };
}

function holding(quiet: Quiet, payloads: Readonly<Record<string, string>>): Quiet {
  const retained = new Map(quiet.retained);
  for (const [topic, payload] of Object.entries(payloads)) retained.set(`vigie/${topic}`, payload);
  const json = JSON.parse(retained.get("vigie/service")!) as Record<string, unknown>;
  const said = {
    ...json,
    status: retained.get("vigie/service/status"),
    problem: retained.get("vigie/service/problem") === "ON",
    problem_code: retained.get("vigie/service/problem_code"),
    failed_outputs: retained.get("vigie/service/failed_outputs")?.split(", ").filter(isNamed),
  };
  retained.set("vigie/service", JSON.stringify(said));
  return { ...quiet, retained };
}

function isNamed(output: string): boolean {
  return output !== "None";
}

function isWell({ retained }: Quiet): boolean {
  return retained.get("vigie/service/problem_code") === "none";
}

function hasRte(quiet: Quiet, trace: Trace): boolean {
  return isWell(quiet) && houseAt(trace, quiet.steady)?.hasRte === true;
}

function hasService(quiet: Quiet, trace: Trace): boolean {
  return isWell(quiet) && houseAt(trace, quiet.steady)?.hasService === true;
}
