import { isKind, type Judge } from "../trace.ts";

/** Nothing of an address but scheme, host and port, no header and no secret is shown or saved. */
export const judgeLeaks: Judge = ({ events }) =>
  events.flatMap((event) =>
    isKind(event, "leak")
      ? [{ judge: "no leak", at: event.steady, sentence: `In ${event.where} stands: …${event.text}…` }]
      : [],
  );
