import { HOUR, SECOND } from "../calendar.ts";
import { isKind, type Trace, type TraceEvent, within } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/** "At the next connection, it logs" that the broker refuses the login (docs/what-if.md, "The broker's password is changed"). */
export const loginJudge: Judge = {
  name: "refused login",
  find: (trace) => firstRefusals(trace).map((refused) => isSaid(refused, trace)),
};

type Refused = TraceEvent & { kind: "login refused" };

/** The first one since vigie was connected, or has started. */
function firstRefusals({ events }: Trace): Refused[] {
  let isFirst = true;
  return events.flatMap((event) => {
    if (isKind(event, "start", "connected")) isFirst = true;
    if (!isKind(event, "login refused")) return [];
    const found = isFirst ? [event] : [];
    isFirst = false;
    return found;
  });
}

function isSaid({ steady, code }: Refused, { events }: Trace): Finding {
  const after = within(events, steady - 1, steady + SOON);
  const words = SENTENCES[code];
  if (after.some((event) => isKind(event, "log") && event.sentence.includes(words))) return "right";
  // A problem that comes back is said six times an hour, and the last line says so.
  const isSilent = within(events, steady - HOUR, steady + SOON).some(
    (event) => isKind(event, "log") && event.sentence.includes("not logged again for up to an hour"),
  );
  if (isSilent) return "skipped";
  // The process, or the fault, was over before that.
  const isOver =
    after.some((event) => isKind(event, ...ENDS)) || (events.at(-1)?.steady ?? 0) < steady + SOON;
  return isOver ? "skipped" : { at: steady + SOON, sentence: `no line says that the broker ${words}` };
}

const SENTENCES = {
  "bad password": "refuses the user name or password: see mqtt.username and mqtt.password",
  "not authorised": "refuses the login (not authorised): see mqtt.username and mqtt.password",
} as const;
const ENDS = ["stop", "kill", "crash", "reload", "connected", "suspend", "latency", "broker down"] as const;
const SOON = 10 * SECOND;
