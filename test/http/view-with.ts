import type { Topics } from "../../src/core/topics/topic.ts";
import type { PageView } from "../../src/http/page-view.ts";

/** A view of which only the topics and the names are there. */
export function viewWith(topics: Topics, instance = "vigie"): PageView {
  return { version: "1.2.3", instance, topics } as PageView;
}
