import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Kind, type Trace, type TraceEvent, within } from "../trace.ts";
import { eventAt, withMore, withOther, without } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { calmTimes, isIn } from "./read-trace.ts";

const SENT_AGAIN = "vigie logs it once, and sends its own value again.";

/** What vigie does while others write on its topics, and while another vigie has its base topic. */
export const LIES_OF_OTHERS: readonly Lie[] = [
  ...["vigie/now/color", "vigie/season/left/rouge"].map(
    (topic): Lie => ({
      name: `the broker still holds what another program wrote: ${topic}`,
      breaks: { document: "docs/what-if.md", sentence: SENT_AGAIN },
      judge: "own topics",
      tell: tellAtOne(quietPoints, (trace, quiet) => withRetained(trace, quiet, topic, "of a stranger")),
    }),
  ),
  {
    name: "a topic that vigie never had stays below its base topic",
    breaks: { document: "docs/what-if.md", sentence: "It clears retained topics that it does not publish" },
    judge: "own topics",
    tell: tellAtOne(quietPoints, (trace, quiet) => withRetained(trace, quiet, "vigie/heating/color", "bleu")),
  },
  {
    name: "vigie does not answer what another program writes",
    breaks: { document: "docs/what-if.md", sentence: SENT_AGAIN },
    judge: "own topics within seconds",
    tell: tellAtOne(answered, (trace, { topic, steady }) =>
      without(
        trace,
        (event) =>
          isKind(event, "published") &&
          event.topic === topic &&
          event.steady >= steady &&
          event.steady < steady + MINUTE,
      ),
    ),
  },
  {
    name: "vigie goes on publishing while another vigie has the base topic",
    breaks: { document: "docs/what-if.md", sentence: "While the other one answers, it ends again." },
    judge: "leaves the base topic",
    tell: tellAtOne(timesOfOther, (trace, { from, to }) => {
      const message = { topic: "vigie/now/color", payload: "bleu", retain: true, qos: 1 } as const;
      const published = { kind: "published", id: 0, expiry: undefined, ...message } as const;
      return withMore(trace, [eventAt(trace, (from + to) / 2, published)]);
    }),
  },
  {
    name: "vigie does not answer a second vigie",
    breaks: {
      document: "docs/what-if.md",
      sentence: "the second vigie finds that the first one runs, says so and ends.",
    },
    judge: "answers a second vigie",
    tell: tellAtOne(pings, (trace, { steady }) =>
      without(
        trace,
        (event) =>
          isKind(event, "published") &&
          event.topic === "vigie/owner/pong" &&
          Math.abs(event.steady - steady) < 5 * SECOND,
      ),
    ),
  },
  {
    name: "vigie does not take the base topic when the other vigie has gone",
    breaks: {
      document: "docs/what-if.md",
      sentence: "So vigie waits for `mqtt.grace` (10 minutes) of silence, says so, and takes over then",
    },
    judge: "takes the base topic",
    tell: tellAtOne(takenAfter, (trace, { to }) =>
      without(trace, (event) => event.kind === "connected" && event.steady > to),
    ),
  },
  {
    name: "no line says that the broker refuses the login",
    breaks: {
      document: "docs/what-if.md",
      sentence: "vigie stays connected. At the next connection, it logs:",
    },
    judge: "refused login",
    tell: tellAtOne(refusals, (trace) => without(trace, isAboutLogin)),
  },
];

function quietPoints({ events }: Trace): EventOf<"quiet">[] {
  return events.filter((event) => event.kind === "quiet");
}

function withRetained(trace: Trace, quiet: EventOf<"quiet">, topic: string, payload: string): Trace {
  return withOther(trace, quiet, { ...quiet, retained: new Map(quiet.retained).set(topic, payload) });
}

/** What another program wrote on vigie's topics, and what vigie answered at once. */
function answered(trace: Trace): EventOf<"message">[] {
  const isCalm = isIn(calmTimes(trace));
  const yields = trace.events.filter(({ kind }) => kind === "yield");
  // A broker of MQTT 3.1.1 does not tell that a new message is retained.
  if (trace.events.some((event) => isKind(event, "connected") && event.version === 4)) return [];
  return trace.events.filter((event): event is typeof event & EventOf<"message"> => {
    if (!isKind(event, "message") || event.by !== "house" || !event.retain || !isCalm(event)) return false;
    if (within(yields, event.steady, event.steady + MINUTE).length > 0) return false;
    return trace.events.some(
      (one) =>
        isKind(one, "published") &&
        one.topic === event.topic &&
        one.payload !== event.payload &&
        one.steady > event.steady &&
        one.steady < event.steady + SECOND,
    );
  });
}

/** Those of a second vigie that asks. */
function pings(trace: Trace): EventOf<"message">[] {
  const isCalm = isIn(calmTimes(trace));
  return trace.events.filter(
    (event): event is typeof event & EventOf<"message"> =>
      isKind(event, "message") && event.topic === "vigie/owner/ping" && isCalm(event),
  );
}

/** From when another vigie has the base topic to its end, if that takes a while. */
function timesOfOther({ events }: Trace): { from: number; to: number }[] {
  const edges = events.filter((event) => event.kind === "other vigie");
  return edges.flatMap(({ steady: from }, index) => {
    const to = edges[index + 1]?.steady ?? from;
    return index % 2 === 0 && to - from > 10 * MINUTE ? [{ from, to }] : [];
  });
}

/** Those after which nothing disturbed vigie until it had the base topic again, by the grace that it has if nothing is configured. */
function takenAfter(trace: Trace): { to: number }[] {
  const end = trace.events.at(-1)?.steady ?? 0;
  return timesOfOther(trace).filter(({ to }) => {
    if (to + 15 * MINUTE > end) return false;
    const [start, ...after] = within(trace.events, to - 1, to + 15 * MINUTE).filter(({ kind }) =>
      CALM_AFTER.has(kind),
    );
    const ofVigie = after.filter(({ kind }) => kind !== "started");
    return start?.kind === "start" && ofVigie.length === 1 && ofVigie[0]?.kind === "connected";
  });
}

const CALM_AFTER: ReadonlySet<Kind> = new Set([
  "start",
  "started",
  "connected",
  "disconnected",
  "stop",
  "kill",
  "reload",
  "broker down",
  "broker up",
  "latency",
  "suspend",
  "resume",
  "jump",
  "login refused",
]);

/** Those after which vigie said so at once. */
function refusals({ events }: Trace): EventOf<"login refused">[] {
  return events.filter((event): event is TraceEvent & EventOf<"login refused"> => {
    if (!isKind(event, "login refused")) return false;
    return within(events, event.steady - 1, event.steady + 10 * SECOND).some(isAboutLogin);
  });
}

function isAboutLogin(event: TraceEvent): boolean {
  return isKind(event, "log") && event.sentence.includes("see mqtt.username and mqtt.password");
}
