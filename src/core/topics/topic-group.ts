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
  before: TopicGroups;
  protect: Protect;
}

/** A group that throws is unknown; if nothing in it changes with time, it stays as it was. */
export function renderGroups(groups: readonly TopicGroup[], context: RenderContext): TopicGroups {
  const rendered = new Map<string, NamedTopics>();
  const renderOne = ({ name, render, unknown }: TopicGroup) => {
    try {
      rendered.set(name, render());
    } catch (error) {
      rendered.set(name, unknown?.() ?? context.before.get(name) ?? []);
      throw error;
    }
  };
  for (const group of groups) context.protect(group.name, () => renderOne(group));
  return rendered;
}

export function topicsOf(groups: TopicGroups): Topics {
  return new Map([...groups.values()].flat());
}

/** All of them, as they are now. */
export function renderAll(groups: readonly TopicGroup[]): NamedTopics {
  return [...renderGroups(groups, { before: new Map(), protect: UNPROTECTED }).values()].flat();
}
