import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { withOther, without } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { calmTimes, shownFor } from "./read-trace.ts";

const LISTED = "An entity's id is its topic with `_` for `/`";
const UNIQUE = "keeps every entity and its history";

/** A quiet point, and a discovery message that the broker holds at it. */
interface Place {
  quiet: EventOf<"quiet"> & TraceEvent;
  topic: string;
  message: Message;
}

interface Message extends Record<string, unknown> {
  components?: Record<string, Record<string, unknown>>;
}

/** What Home Assistant is told of the entities, and topics that end while vigie runs. */
export const LIES_OF_DISCOVERY: readonly Lie[] = [
  discoveryLie("a discovery message is gone", LISTED, ({ quiet, topic }) => leftOut(quiet, topic)),
  discoveryLie("an entity is left out of a discovery message", LISTED, (place) =>
    changed(place, ({ rules_rule1_state: _, now_color: __, ...others }) => others),
  ),
  discoveryLie("the entity of a rule that is no longer configured stays", LISTED, (place) =>
    changed(place, (components) => ({
      ...components,
      rules_gone_state: { ...components["now_official"], unique_id: "vigie_rules_gone_state" },
    })),
  ),
  discoveryLie("two entities have the same unique id", UNIQUE, (place) =>
    changed(place, (components) => ({
      ...components,
      now_color: { ...components["now_color"], unique_id: "vigie_next_color" },
    })),
  ),
  discoveryLie("a discovery message is cut", LISTED, ({ quiet, topic, message }) =>
    held(quiet, topic, JSON.stringify(message).slice(0, -20)),
  ),
  {
    name: "a message for one entity stays beside the message for all",
    breaks: {
      document: "docs/entities.md",
      sentence: "`homeassistant.discovery: components` publishes one message for each entity",
    },
    judge: "discovery",
    tell: tellAtOne(placesIn, (trace, { quiet, message }) => {
      const entity = JSON.stringify({ ...message.components!["now_color"], device: message["device"] });
      return withOther(trace, quiet, held(quiet, "homeassistant/sensor/vigie/now_color/config", entity));
    }),
  },
  ...[
    ["state_topic", "vigie/now/colour"],
    ["json_attributes_topic", "vigie/now/attributes"],
    ["availability_topic", "vigie/status"],
    ["command_topic", "vigie/now/color/set"],
  ].map(
    ([name, topic]): Lie => ({
      name: `an entity has another ${name}`,
      breaks: { document: "docs/entities.md", sentence: LISTED },
      judge: "topics of entities",
      tell: tellAtOne(placesIn, (trace, place) =>
        withOther(
          trace,
          place.quiet,
          changed(place, (components) => ({
            ...components,
            now_color: { ...components["now_color"], [name!]: topic },
          })),
        ),
      ),
    }),
  ),
  {
    name: "what follows on a topic is not sent",
    breaks: {
      document: "docs/topics.md",
      sentence: "A value of the *moment* is true until its next boundary",
    },
    judge: "no topic expires while vigie runs",
    tell: tellAtOne(endingInCalm, (trace, { topic, steady, expiry }) =>
      without(
        trace,
        (event) =>
          isKind(event, "published", "message") &&
          event.topic === topic &&
          event.steady > steady &&
          event.steady <= steady + expiry! * SECOND + MINUTE,
      ),
    ),
  },
  {
    name: "a topic of the moment expires after a second",
    breaks: {
      document: "docs/topics.md",
      sentence: "on MQTT 5 it expires at that boundary plus `mqtt.grace` (10 minutes)",
    },
    judge: "no topic expires while vigie runs",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/(now|next|today)\//, MINUTE).flatMap(({ event, from }) =>
          event.expiry !== undefined && from === event.steady ? [event] : [],
        ),
      (trace, event) => withOther(trace, event, { ...event, expiry: 1 }),
    ),
  },
];

function discoveryLie(name: string, sentence: string, change: (place: Place) => Place["quiet"]): Lie {
  return {
    name,
    breaks: { document: "docs/entities.md", sentence },
    judge: "discovery",
    tell: tellAtOne(placesIn, (trace, place) => withOther(trace, place.quiet, change(place))),
  };
}

/** With one message for all entities, long enough after what happened. */
function placesIn({ events }: Trace): Place[] {
  return events.flatMap((quiet) => {
    if (!isKind(quiet, "quiet") || quiet.steady - quiet.since < 6 * MINUTE) return [];
    const topic = "homeassistant/device/vigie/config";
    const payload = quiet.retained.get(topic);
    return payload === undefined ? [] : [{ quiet, topic, message: JSON.parse(payload) as Message }];
  });
}

function held(quiet: Place["quiet"], topic: string, payload: string): Place["quiet"] {
  return { ...quiet, retained: new Map(quiet.retained).set(topic, payload) };
}

function leftOut(quiet: Place["quiet"], topic: string): Place["quiet"] {
  return { ...quiet, retained: new Map([...quiet.retained].filter(([one]) => one !== topic)) };
}

function changed(
  { quiet, topic, message }: Place,
  change: (components: Record<string, Record<string, unknown>>) => object,
): Place["quiet"] {
  return held(quiet, topic, JSON.stringify({ ...message, components: change(message.components ?? {}) }));
}

/** Publications that would expire while vigie is calm. */
function endingInCalm(trace: Trace): EventOf<"published">[] {
  const calm = calmTimes(trace);
  return trace.events.filter((event): event is EventOf<"published"> & TraceEvent => {
    if (event.kind !== "published" || event.expiry === undefined) return false;
    const end = event.steady + event.expiry * SECOND + MINUTE;
    return calm.some(({ from, to }) => event.steady > from && end < to);
  });
}
