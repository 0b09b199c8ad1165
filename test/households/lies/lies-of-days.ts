import type { Trace } from "../trace.ts";
import { withPayload } from "./change-trace.ts";
import type { Lie } from "./lie.ts";
import { tellAtOne } from "./lie.ts";
import { HOUR, type Shown, shownFor } from "./read-trace.ts";

const DAY = "(now|next|today|tomorrow|d[2-7])";

export const LIES_OF_DAYS: readonly Lie[] = [
  {
    name: "a known day has another colour",
    breaks: {
      document: "docs/what-if.md",
      sentence: "The days that are known stay right, at every boundary: 00:00, 06:00, 22:00.",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shown(trace, "color").filter(({ event }) => event.payload !== "None"),
      (trace, { event }) => withPayload(trace, event, event.payload === "bleu" ? "rouge" : "bleu"),
    ),
  },
  {
    name: "an unknown day has a colour",
    breaks: { document: "docs/what-if.md", sentence: "A day that is not known is `None`, never a guess." },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shown(trace, "color").filter(({ event }) => event.payload === "None"),
      (trace, { event }) => withPayload(trace, event, "bleu"),
    ),
  },
  {
    name: "a forecast is official",
    breaks: {
      document: "docs/service.md",
      sentence: "only `true` makes the colour official. `false` or nothing: it is a forecast",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shown(trace, "official").filter(({ event }) => event.payload === "OFF"),
      (trace, { event }) => withPayload(trace, event, "ON"),
    ),
  },
];

/** What vigie showed of a day for an hour. */
function shown(trace: Trace, part: string): Shown[] {
  return shownFor(trace, new RegExp(`^vigie/${DAY}/${part}$`), HOUR);
}
