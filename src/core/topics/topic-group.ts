import type { Instant } from "../calendar/tariff.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import type { Topic, Topics } from "./topic.ts";

export type NamedTopics = readonly [name: string, topic: Topic][];

/** Topics that are rendered together: an error of vigie itself in one group leaves the others as they are. */
export interface TopicGroup {
  /** As an error of vigie itself names it. */
  name: string;
  render: () => NamedTopics;
  /** If nothing is known of what can change with time. */
  unknown?: () => NamedTopics;
}

/** By the name of the group. */
export type TopicGroups = ReadonlyMap<string, NamedTopics>;

interface RenderContext {
  /** The true time. */
  at: Instant;
  /** `mqtt.grace`. */
  grace: number;
  before: TopicGroups;
  protect: Protect;
}

/** A group that throws keeps its topics until time alone can change them. Then they are unknown. */
export function renderGroups(groups: readonly TopicGroup[], context: RenderContext): TopicGroups {
  const rendered = new Map<string, NamedTopics>();
  const renderOne = ({ name, render, unknown }: TopicGroup) => {
    try {
      rendered.set(name, render());
    } catch (error) {
      const before = context.before.get(name);
      if (before) {
        const trueStill = before.filter(([, topic]) => isTrueStill(topic, context));
        rendered.set(name, trueStill);
        if (unknown && trueStill.length < before.length) rendered.set(name, unknown());
      }
      throw error;
    }
  };
  for (const group of groups) context.protect(group.name, () => renderOne(group));
  return rendered;
}

function isTrueStill({ expires }: Topic, { at, grace }: RenderContext): boolean {
  return expires === undefined || at < expires - grace;
}

export function topicsOf(groups: TopicGroups): Topics {
  return new Map([...groups.values()].flat());
}

/** All of them, as they are now. */
export function renderAll(groups: readonly TopicGroup[]): NamedTopics {
  const nothing = { at: 0, grace: 0, before: new Map(), protect: UNPROTECTED };
  return [...renderGroups(groups, nothing).values()].flat();
}
