import { MINUTE } from "../calendar.ts";
import { type EventOf, isKind, type Trace } from "../trace.ts";
import { withOther, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { type CalmOutput, isAway, type Shown } from "./read-outputs.ts";
import { statesFor, withState } from "./read-states.ts";

const OUTPUTS = "docs/outputs.md";

/** What vigie shows of a device that says that it is away. */
export const LIES_OF_AWAY_DEVICES: readonly Lie[] = [
  {
    name: "a device that is away is confirmed",
    breaks: { document: OUTPUTS, sentence: "the state is never `confirmed`, whatever is reported meanwhile" },
    judge: "confirmed while away",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "sent").filter(({ shown }) => shown.every(isAway)),
      (trace, stated) => withState(trace, stated, "confirmed"),
    ),
  },
  {
    name: "since when a device is away begins anew at a reload or a restart",
    breaks: { document: OUTPUTS, sentence: "That goes on over reloads and restarts." },
    judge: "away since another time",
    tell: tellAtOne(awayOverRestarts, awayAnew),
  },
  {
    name: "a device that is away has a tick on the page",
    breaks: { document: OUTPUTS, sentence: "the state is never `confirmed`, whatever is reported meanwhile" },
    judge: "tick while away",
    tell: tellAtOne(awayOnPage, (trace, { quiet, place }) => {
      const page = quiet.page.replace(place, place.replace(AWAY, `✓ ${AWAY}`));
      return withOther(trace, quiet, { ...quiet, page });
    }),
  },
  {
    name: "nothing says that a device is away",
    breaks: { document: OUTPUTS, sentence: "It counts at once; what the broker held from before, after 5 s" },
    judge: "away and not shown as away",
    tell: tellAtOne(
      (trace) => statesFor(trace, MINUTE, "sent").filter(({ shown }) => shown.every(isAway)),
      (trace, { shown }) => withAwaySince(trace, shown, null),
    ),
  },
  {
    name: "a device that is back is shown as away",
    breaks: { document: "docs/devices.md", sentence: "until it is back and is told again" },
    judge: "there and shown as away",
    tell: tellAtOne(
      (trace) =>
        statesFor(trace, 0, "waiting").flatMap(({ output, from, before }) =>
          before && isAway(before)
            ? [{ since: before.json["away_since"], shown: shownUntilAway(output, from) }]
            : [],
        ),
      (trace, { since, shown }) => withAwaySince(trace, shown, since),
    ),
  },
  {
    name: "the page does not say that a device is away",
    breaks: { document: OUTPUTS, sentence: "say since when it is away, as far as vigie heard" },
    judge: "away and not on the page",
    tell: tellAtOne(awayOnPage, (trace, { quiet, place }) => {
      const page = quiet.page.replace(place, place.replace(AWAY, "envoyé"));
      return withOther(trace, quiet, { ...quiet, page });
    }),
  },
  {
    name: "the page says of a device that is not away that it is",
    breaks: { document: OUTPUTS, sentence: "say since when it is away, as far as vigie heard" },
    judge: "there and on the page as away",
    tell: tellAtOne(
      (trace) => cardsOf(trace).filter(({ place }) => !place.includes(AWAY)),
      (trace, { quiet, place }) => {
        const page = quiet.page.replace(place, place.replace("</h3>", `</h3> ${AWAY} 12:00`));
        return withOther(trace, quiet, { ...quiet, page });
      },
    ),
  },
];

function shownUntilAway({ shown }: CalmOutput, from: number): Shown[] {
  const following = shown.filter(({ steady }) => steady >= from);
  const next = following.findIndex(isAway);
  return next < 0 ? following : following.slice(0, next);
}

function withAwaySince(trace: Trace, shown: readonly Shown[], away_since: unknown): Trace {
  return shown
    .flatMap(({ events }) => events)
    .reduce((changed, event) => {
      if (!event.payload.startsWith("{")) return changed;
      return withPayload(changed, event, JSON.stringify({ ...JSON.parse(event.payload), away_since }));
    }, trace);
}

/** What was published first of a device after a reload or a restart in order, if it was away before and still was. */
function awayOverRestarts(trace: Trace): EventOf<"published">[] {
  const last = new Map<string, EventOf<"published">>();
  const found: EventOf<"published">[] = [];
  let restartedAt = 0;
  for (const event of trace.events) {
    if (isKind(event, "kill", "crash", "jump", "state file")) last.clear();
    if (isKind(event, "stop", "reload")) restartedAt = event.steady;
    if (!isKind(event, "published") || !/^vigie\/outputs\/\w+$/.test(event.topic)) continue;
    const before = last.get(event.topic);
    const since = awaySince(event);
    const isSame = before !== undefined && since !== null && awaySince(before) === since;
    if (isSame && before.steady < restartedAt) found.push(event);
    last.set(event.topic, event);
  }
  return found;
}

function awaySince({ payload }: EventOf<"published">): string | null {
  return payload === "" ? null : JSON.parse(payload).away_since;
}

function awayAnew(trace: Trace, first: EventOf<"published">): Trace {
  const since = awaySince(first);
  const away_since = `${new Date(first.at).toISOString().slice(0, 19)}Z`;
  const wrong = trace.events.filter(
    (event) =>
      isKind(event, "published") &&
      event.topic === first.topic &&
      event.steady >= first.steady &&
      awaySince(event) === since,
  ) as EventOf<"published">[];
  return wrong.reduce(
    (changed, event) =>
      withPayload(changed, event, JSON.stringify({ ...JSON.parse(event.payload), away_since })),
    trace,
  );
}

/** Quiet points at which the page shows that a device is away. */
function awayOnPage(trace: Trace): Card[] {
  return cardsOf(trace).filter(({ place }) => place.includes(AWAY));
}

/** What the page shows of a device at a quiet point. */
interface Card {
  quiet: EventOf<"quiet">;
  place: string;
}

function cardsOf(trace: Trace): Card[] {
  return trace.events.flatMap((event) => {
    if (!isKind(event, "quiet")) return [];
    const cards = event.page.split('<li class="card device').slice(1);
    return cards.map((place) => ({ quiet: event, place }));
  });
}

const AWAY = "hors ligne depuis";
