import type { Sink } from "../../src/app/loop-state.ts";
import type { PollOutcome } from "../../src/core/facts/poll-record.ts";
import type { View } from "../../src/core/loop/view.ts";
import { planPoll } from "../../src/core/sources/service-source.ts";
import type {
  DueRequest,
  Source,
  SourceContext,
  SourceId,
  SourcePart,
} from "../../src/core/sources/source.ts";

type Plan = (part: SourcePart, context: SourceContext) => readonly DueRequest[];

/**
 * Polls that begin when the test says so, and not when they are due: the loop is given sources of which nothing else is
 * due.
 */
export function createPollsByHand(look: () => void) {
  const plans = new Map<SourceId, Plan>();
  const outcomes = new Map<SourceId, PollOutcome>();
  const waiting = new Map<SourceId, () => void>();
  let requests: View["requests"] = {};

  const sourceOf = (source: Source): Source => ({
    ...source,
    findDue: (part, _at, context) => {
      const plan = plans.get(source.id);
      plans.delete(source.id);
      return plan ? plan(part, context) : [];
    },
    recordOutcome: (record, outcome, ...more) => {
      outcomes.set(source.id, outcome);
      return source.recordOutcome(record, outcome, ...more);
    },
  });
  const sink: Sink = {
    name: "polls of a test",
    show: (view) => {
      ({ requests } = view);
      for (const [id, end] of waiting) if (!requests[id]) end();
    },
  };
  /** Resolves with what came of it. */
  const poll = async (id: SourceId, plan: Plan): Promise<PollOutcome> => {
    outcomes.delete(id);
    plans.set(id, plan);
    look();
    if (requests[id]) await new Promise<void>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
    return outcomes.get(id) ?? { answers: 0, failures: [] };
  };
  return {
    sourceOf,
    sink,
    /** `recheck` asks once more for days whose colour is final already, and for history that has left days out. */
    pollService: (due: { essential: boolean; recheck: boolean }) =>
      poll("service", (part, context) => planPoll(due, part, context)),
    /** The most important first. */
    pollOfficial: (due: readonly DueRequest[]) => poll("official", () => due),
  };
}
