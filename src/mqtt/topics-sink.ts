import type { View } from "../core/loop/view.ts";
import type { Publisher } from "./publisher.ts";

/** Keeps the retained topics. After a jump of the clock all are sent again: the broker counts their expiry by a clock of its own. */
export function createTopicsSink({
  setTopics,
  republishAll,
}: Pick<Publisher, "setTopics" | "republishAll">): { show: (view: Pick<View, "topics" | "jumps">) => void } {
  let shown: View["topics"] | undefined;
  let jumpsBefore = 0;
  return {
    show: ({ topics, jumps }) => {
      if (topics !== shown) setTopics(topics);
      shown = topics;
      if (jumps !== jumpsBefore) republishAll();
      jumpsBefore = jumps;
    },
  };
}
