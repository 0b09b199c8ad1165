import type { Config } from "../config/config.ts";
import { didYouMean } from "../config/nearest-word.ts";
import { addDays, dayStart, isoInstant } from "../core/calendar/dates.ts";
import { COLORS, type Instant, type Tariff } from "../core/calendar/tariff.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import { officialColor } from "../core/days/official-color.ts";
import { deriveFacts } from "../core/facts/derive-facts.ts";
import type { Simulation } from "../core/facts/facts.ts";
import { readPretendedDay, startSimulation } from "../core/facts/simulation.ts";
import { NEVER_ASKED } from "../core/facts/source-record.ts";
import { describeOutput } from "../core/outputs/output.ts";
import type { OutputsKept } from "../core/outputs/outputs-kept.ts";
import { planSends } from "../core/outputs/plan-sends.ts";
import type { Timeline } from "../core/rules/condition-types.ts";
import type { Explanation } from "../core/rules/explain-rule.ts";
import type { Future } from "../core/rules/futures.ts";
import { nameTruth, type Truth } from "../core/rules/truth.ts";
import { formatExplanation } from "./format-explanation.ts";
import { WrongUsage } from "./usage.ts";

/** `rouge`, `rouge:now` or `rouge:next`: a simulation of that tariff day that is in force whenever a rule looks at it. */
export function readPretended(given: string, at: Instant, tariff: Tariff): Simulation {
  const day = readPretendedDay(given);
  if (!day)
    throw new WrongUsage(`Expected --pretend to be ${A_PRETENDED_DAY}, got ${given}${meantDay(given)}`);
  return { ...startSimulation({ ...day, for: LONG }, at, tariff), begun: at - LONG, until: at + LONG };
}

export const A_PRETENDED_DAY = `${COLORS.join(", ")}, alone or with :now or :next, such as rouge:next`;

/** ` (did you mean next?)` */
export function meantDay(given: string): string {
  const [word = "", day = ""] = given.split(":");
  const isColor = COLORS.some((color) => color === word.toLowerCase());
  return isColor ? didYouMean(day, ["now", "next"]) : didYouMean(word, COLORS);
}

export const NO_RULES = "There are no rules in the configuration.\n";

/** Longer than any rule looks back, and than the days are known. */
const LONG = 30 * 24 * 3_600_000;

/** A rule with its verdict and its plan. */
export interface ExplainedRule {
  explanation: Explanation;
  future: Future;
  timeline: Timeline;
}

interface PretendedDay {
  simulation: Simulation;
  config: Config;
  knownDays: KnownDays;
  /** What was sent before. */
  sent: OutputsKept;
  at: Instant;
  /** All rules; outputs follow also those that are not shown. */
  rules: readonly ExplainedRule[];
  shown: readonly ExplainedRule[];
}

/** What would be if that day were that colour. Plain data. */
interface Preview {
  pretended: Pick<Simulation, "color" | "from" | "date">;
  /** Until when the plans of rules and outputs are shown. */
  until: string;
  rules: (Explanation & { plan: { at: string; state: Truth }[] })[];
  outputs: {
    id: string;
    /** null of one that is reached over HTTP. */
    topic: string | null;
    device: string;
    sends: { at: string; payload: string; because: string }[];
    /** Why it sends nothing at first; null where it sends something. */
    nothing: string | null;
  }[];
  notes: string[];
}

export function previewDay({ simulation, config, knownDays, sent, at, rules, shown }: PretendedDay): Preview {
  const { outputs, service, tariff } = config;
  const { color, from, date } = simulation;
  // One day after the pretended one, so that its end is seen and what a lag makes of it; at most as far as days are known.
  const until = Math.min(dayStart(addDays(date, 2), tariff), ...rules.map(({ future }) => future.until));
  const record = service.base_url === "none" ? null : NEVER_ASKED;
  const isInvented = service.base_url === "simulator";
  const factsAt = (instant: Instant) => {
    const clock = { at: instant, right: true };
    const { late_after } = service;
    const days = { knownDays, service: record, official: null, isInvented, clock, simulation };
    return deriveFacts({ ...days, late_after, failed_outputs: [], vigie_failed: false }, tariff);
  };
  const timelines = new Map(rules.map(({ explanation, timeline }) => [explanation.id, timeline]));
  const plan = { timelines, factsAt, kept: sent, from: at, to: until };
  const shownIds = shown.map(({ explanation }) => explanation.id);
  const shownOutputs = outputs.list.filter(({ choose }) =>
    choose.some(({ when }) => shownIds.includes(when)),
  );
  return {
    pretended: { color, from, date },
    until: isoInstant(until),
    rules: shown.map(({ explanation, future }) => ({
      ...explanation,
      plan: changesOf(future, at, until),
    })),
    outputs: shownOutputs.map((output) => {
      const { sends, nothing } = planSends(output, plan);
      return {
        id: output.id,
        topic: output.to.kind === "mqtt" ? output.to.topic : null,
        device: describeOutput(output),
        sends: sends.map((send) => ({ ...send, at: isoInstant(send.at) })),
        nothing,
      };
    }),
    notes: isAnnouncedRouge(knownDays, simulation)
      ? [`${date} is announced rouge, and stays so: a simulation never hides a rouge day`]
      : [],
  };
}

function changesOf({ spans }: Future, after: Instant, until: Instant) {
  return spans
    .filter(({ start, state }, index) => start > after && start < until && state !== spans[index - 1]?.state)
    .map(({ start, state }) => ({ at: isoInstant(start), state }));
}

function isAnnouncedRouge({ days }: KnownDays, { date, color }: Simulation): boolean {
  return color !== "rouge" && officialColor(days[date], false)?.color === "rouge";
}

export function formatPreview(preview: Preview, local: (instant: string) => string): string {
  const { color, date } = preview.pretended;
  const heading = [
    `If the tariff day ${date} were ${color} (shown until ${local(preview.until)})`,
    ...preview.notes,
  ];
  const rules = preview.rules.map(({ plan, ...explanation }) => {
    const changes = plan.map((change) => `  → ${local(change.at)}  ${nameTruth(change.state)}\n`);
    return `${formatExplanation(explanation, local)}${changes.join("")}`;
  });
  const outputs = preview.outputs.map(({ device, sends, nothing }) => {
    const lines = sends.map(({ at, payload, because }) => `  → ${local(at)}  sends ${payload}: ${because}\n`);
    const none =
      nothing === null ? "" : `  sends nothing${sends.length === 0 ? "" : " at first"}: ${nothing}\n`;
    return `output ${device}\n${none}${lines.join("")}`;
  });
  const none = rules.length === 0 ? [NO_RULES] : [];
  return [heading.map((line) => `${line}\n`).join(""), ...none, ...rules, ...outputs].join("\n");
}
