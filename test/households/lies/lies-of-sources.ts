import { MINUTE } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent, within } from "../trace.ts";
import { withOther, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { shownFor } from "./read-trace.ts";

const NOT_REACHED = "vigie health: vigie runs; broker not reached at mqtt://192.0.2.10:1883";

/** How soon vigie says that a source is away or there, and what it says of its health while the broker is away. */
export const LIES_OF_SOURCES: readonly Lie[] = [
  statusLie(
    "service",
    "down",
    "degraded",
    "After three hours of failures without an answer `service/status` is `down`",
  ),
  statusLie(
    "service",
    "degraded",
    "down",
    "After three hours of failures without an answer `service/status` is `down`",
  ),
  statusLie(
    "service",
    "degraded",
    "ok",
    "Once a poll has failed, which takes up to four minutes as vigie tries again, `service/status` is `degraded`",
  ),
  statusLie(
    "service",
    "ok",
    "down",
    "After three hours of failures without an answer `service/status` is `down`",
  ),
  statusLie("official", "down", "degraded", "`down` after three hours of failures"),
  statusLie("official", "degraded", "down", "`down` after three hours of failures"),
  statusLie(
    "official",
    "degraded",
    "ok",
    "`degraded` once a poll has failed, `down` after three hours of failures",
  ),
  statusLie("official", "ok", "down", "`down` after three hours of failures"),
  healthLie("/health says that the broker is there while it is away", (event) => ({
    ...event,
    health: event.health.replace("broker not reached", "broker reached"),
  })),
  healthLie("/health is 200 while the broker is away", (event) => ({ ...event, isHealthy: true })),
];

function statusLie(source: "service" | "official", from: string, to: string, sentence: string): Lie {
  return {
    name: `${source}/status is ${to} in place of ${from}`,
    breaks: { document: "docs/what-if.md", sentence },
    judge: "status of sources",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, new RegExp(`^vigie/${source}/status$`), 30 * MINUTE).filter(
          ({ event }) => event.payload === from && (to !== "ok" || isOfToday(event, trace)),
        ),
      (trace, { event }) => withPayload(trace, event, to),
    ),
  };
}

/** A request for today and tomorrow has failed just before, not one for the season alone. */
function isOfToday({ steady }: EventOf<"published">, { events }: Trace): boolean {
  return within(events, steady - 5 * MINUTE, steady).some((event) => {
    if (!isKind(event, "answer", "no answer") || !/\/v1\/public$|\/tempoLight$/.test(event.path))
      return false;
    return isKind(event, "no answer") || event.status >= 400;
  });
}

function healthLie(name: string, change: (event: EventOf<"health">) => EventOf<"health">): Lie {
  return {
    name,
    breaks: { document: "docs/what-if.md", sentence: NOT_REACHED },
    judge: "health without the broker",
    tell: tellAtOne(askedInVain, (trace, event) => withOther(trace, event, change(event))),
  };
}

function askedInVain({ events }: Trace): EventOf<"health">[] {
  return events.filter(
    (event): event is EventOf<"health"> & TraceEvent =>
      isKind(event, "health") && event.health.includes("broker not reached"),
  );
}
