import { HOUR, MINUTE } from "../calendar.ts";
import { houseAt } from "../judges/topics.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { later, withOther, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { type Shown, shownFor, turnsIn } from "./read-trace.ts";

/** What follows from options that few owners set. */
export const LIES_OF_OPTIONS: readonly Lie[] = [
  {
    name: "a topic of vigie is not below the base topic",
    breaks: { document: "config/vigie.yaml", sentence: "All topics of vigie are below this topic." },
    judge: "own names",
    isOfNames: true,
    tell: tellAtOne(
      ({ events }) => events.filter((event) => isKind(event, "published")),
      (trace, event) => withOther(trace, event, { ...event, topic: `other/${event.topic}` }),
    ),
  },
  {
    name: "vigie publishes below `vigie`, which is not its base topic",
    breaks: { document: "config/vigie.yaml", sentence: "All topics of vigie are below this topic." },
    judge: "own names",
    isOfNames: true,
    tell: tellAtOne(inOtherBase, (trace, event) =>
      withOther(trace, event, { ...event, topic: event.topic.replace(/^house\/tempo\//, "vigie/") }),
    ),
  },
  {
    name: "an entity that is to be left out is there",
    breaks: {
      document: "docs/entities.md",
      sentence: "To leave it out, set `homeassistant.exclude: [now_slot]`",
    },
    judge: "discovery",
    tell: tellAtOne(quietWithoutSlot, (trace, quiet) => {
      const [topic, payload] = [...quiet.retained].find(([one]) => one.endsWith("/device/vigie/config"))!;
      const message = JSON.parse(payload);
      const { now_color: color } = message.components;
      const more = {
        now_slot: { ...color, unique_id: "vigie_now_slot", default_entity_id: "sensor.vigie_now_slot" },
      };
      const changed = JSON.stringify({ ...message, components: { ...message.components, ...more } });
      return withOther(trace, quiet, { ...quiet, retained: new Map(quiet.retained).set(topic, changed) });
    }),
  },
  {
    name: "the discovery message has the usual prefix in place of the owner's",
    breaks: {
      document: "config/vigie.yaml",
      sentence: "The topic below which Home Assistant expects discovery messages.",
    },
    judge: "discovery",
    isOfNames: true,
    tell: tellAtOne(quietWithoutSlot, (trace, quiet) => {
      const retained = [...quiet.retained].map(([topic, payload]): [string, string] => [
        topic.replace(/^ha\//, "homeassistant/"),
        payload,
      ]);
      return withOther(trace, quiet, { ...quiet, retained: new Map(retained) });
    }),
  },
  {
    name: "the day begins an hour after day_starts_at",
    breaks: {
      document: "config/vigie.yaml",
      sentence: "When the colour of a date begins. It holds until the same time of the next date.",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => turnsIn(trace, /^vigie\/now\/date$/, HOUR).filter(isOfLateDay(trace)),
      (trace, event) => withOther(trace, event, later(event, HOUR)),
    ),
  },
  {
    name: "a Saturday that nobody has named is no rouge day in a tariff without laws",
    breaks: { document: "docs/rules.md", sentence: "`tariff.laws: off` switches all of this off" },
    judge: "truth",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/rouge_(tomorrow|next)$/, HOUR).filter(
          ({ event, from }) => event.payload === "None" && houseAt(trace, from)?.hasLaws === false,
        ),
      (trace, { event }) => withPayload(trace, event, "OFF"),
    ),
  },
  {
    name: "a confidence in percent is taken for a fraction of one",
    breaks: {
      document: "docs/service.md",
      sentence: "one value over 1 shows that the service sends percent",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/d[2-7]\/confidence$/, 40 * MINUTE).filter(isInPercent(trace)),
      (trace, { event }) => withPayload(trace, event, "1"),
    ),
  },
  {
    name: "a price in cents is taken for one in euros",
    breaks: { document: "docs/service.md", sentence: "A price below 0.01 or over 5 EUR/kWh is not used." },
    judge: "prices",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/d[2-7]\/rate_hp$/, HOUR).filter(isOfOwner),
      (trace, { event }) => withPayload(trace, event, "16.12"),
    ),
  },
  {
    name: "a price that is not used has no owner's price in its place",
    breaks: {
      document: "docs/service.md",
      sentence: "Without them `tariff.rates` of the household counts",
    },
    judge: "prices",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/d[2-7]\/rate_hp$/, HOUR).filter(isOfOwner),
      (trace, { event }) => withPayload(trace, event, "None"),
    ),
  },
  announcementLie("late", (payload) => (payload === "ON" ? "OFF" : "ON"), {
    document: "config/vigie.yaml",
    sentence: "From this time on, the announcement is late if tomorrow's colour is not official",
  }),
  announcementLie("stage", (payload) => (payload === "announced" ? "forecast" : "announced"), {
    document: "docs/topics.md",
    sentence: "the stage of tomorrow's colour (`None` while it is not even forecast)",
  }),
  announcementLie("date", () => "2026-01-01", {
    document: "docs/topics.md",
    sentence: "the stage of tomorrow's colour (`None` while it is not even forecast)",
  }),
];

function announcementLie(part: string, change: (payload: string) => string, breaks: Lie["breaks"]): Lie {
  return {
    name: `announcement/${part} says something else`,
    breaks,
    judge: "announcement",
    tell: tellAtOne(
      (trace) => shownFor(trace, new RegExp(`^vigie/announcement/${part}$`), HOUR),
      (trace, { event }) => withPayload(trace, event, change(event.payload)),
    ),
  };
}

/** It was published while the service sent percent. */
function isInPercent({ events }: Trace): (shown: Shown) => boolean {
  return ({ event, from, to }) => {
    const answers = events.filter(
      (one) => isKind(one, "answer") && one.path.endsWith("/v1/public") && one.steady < to - MINUTE,
    );
    const inForce = [
      answers.findLast((one) => one.steady <= from),
      ...answers.filter((one) => one.steady > from),
    ];
    const arePercent = inForce.every(
      (one) => one && isKind(one, "answer") && /"confidence":[1-9]\d/.test(one.body),
    );
    return Number(event.payload) > 10 && arePercent;
  };
}

/** No household has other prices that begin so. */
function isOfOwner({ event }: Shown): boolean {
  return /^0\.1[123]11$/.test(event.payload);
}

/** After the time at which days begin in most houses. */
function isOfLateDay(trace: Trace): (event: EventOf<"published">) => boolean {
  return (event) => {
    const dayStarts = houseAt(trace, event.steady)?.dayStarts ?? 0;
    return dayStarts > 7 * 60;
  };
}

function inOtherBase({ events }: Trace): EventOf<"published">[] {
  return events.filter(
    (event): event is EventOf<"published"> & TraceEvent =>
      isKind(event, "published") && event.topic.startsWith("house/tempo/"),
  );
}

/** With one message for all entities, and without the entity of the slot. */
function quietWithoutSlot(trace: Trace): EventOf<"quiet">[] {
  return trace.events.filter((event): event is EventOf<"quiet"> & TraceEvent => {
    if (!isKind(event, "quiet") || event.steady - event.since < 6 * MINUTE) return false;
    const { excluded, discovery } = houseAt(trace, event.steady) ?? {};
    return discovery === "device" && excluded?.includes("now_slot") === true;
  });
}
