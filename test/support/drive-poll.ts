import type { Sink } from "../../src/app/loop-state.ts";
import type { SourceId } from "../../src/core/facts/source-record.ts";
import { SELDOM } from "../../src/core/facts/source-record.ts";
import type { View } from "../../src/core/loop/view.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import type { DueRequest, Source, SourceContext, SourcePart } from "../../src/core/sources/source.ts";

type Plan = (part: SourcePart, context: SourceContext) => readonly DueRequest[];

/**
 * Polls that begin when the test says so, and not when they are due: the loop is given sources of which nothing else is
 * due.
 */
export function createPollsByHand(look: () => void) {
  const plans = new Map<SourceId, Plan>();
  const waiting = new Map<SourceId, () => void>();
  let shown: Pick<View, "requests" | "factsInput"> | undefined;
  const isUnderWay = (id: SourceId) => Boolean(shown?.requests[id]);

  const sourceOf = (source: Source): Source => ({
    ...source,
    times: () => [],
    plan: (due, part, context) => {
      const plan = plans.get(source.id);
      plans.delete(source.id);
      // Only a command asks for anything else.
      return plan ? plan(part, context) : source.plan(due, part, context);
    },
  });
  const sink: Sink = {
    name: "polls of a test",
    show: (view) => {
      shown = view;
      for (const [id, end] of waiting) if (!isUnderWay(id)) end();
    },
  };
  /** Resolves with what fails after it. */
  const poll = async (id: SourceId, plan: Plan): Promise<{ failures: string[] }> => {
    plans.set(id, plan);
    look();
    if (isUnderWay(id)) await new Promise<void>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
    const { failing = null, failures = {} } = shown?.factsInput[id] ?? {};
    return {
      failures: [failing, ...SELDOM.map((kind) => failures[kind])].flatMap((one) => one?.sentence ?? []),
    };
  };
  return {
    sourceOf,
    sink,
    /** `recheck` asks once more for days whose colour is final already, and for history that has left days out. */
    pollService: ({ essential, recheck }: { essential: boolean; recheck: boolean }) => {
      const due = { asks: "forecasts", isEssential: essential, isRecheck: recheck } as const;
      return poll("service", (part, context) => FORECAST_SERVICE.plan([due], part, context));
    },
    /** The most important first. */
    pollOfficial: (due: readonly DueRequest[]) => poll("official", () => due),
  };
}
