import { COLORS, type Instant, PERIODS } from "../core/calendar/tariff.ts";
import { OFFICIAL_STATUSES, PROBLEM_CODES, SERVICE_STATUSES } from "../core/facts/facts.ts";
import { text } from "../core/facts/format-value.ts";
import { SOURCE_IDS } from "../core/facts/source-record.ts";
import { OUTPUT_STATES } from "../core/outputs/output-status.ts";
import { NO_POLLS, POLL_RESULTS } from "../core/sources/poll-outcome.ts";
import type { PageView } from "./page-view.ts";

/** The text format of Prometheus, which others read as well. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Metric {
  name: string;
  type: "gauge" | "counter";
  help: string;
  samples: readonly Sample[];
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: Value];

/** null: not known. */
type Value = number | boolean | null;

/** Never a colour that is pretended. What is not known is NaN, or in a set of words the word `unknown`. */
export function renderMetrics(view: PageView): string {
  return [...dayMetrics(view), ...stateMetrics(view), ...houseMetrics(view)]
    .filter(({ samples }) => samples.length > 0)
    .map(renderMetric)
    .join("");
}

function dayMetrics({ factsInput, real }: PageView): Metric[] {
  const { moment, dated } = real.facts;
  const days = { now: moment?.now ?? null, next: moment?.next ?? null };
  const names = ["now", "next"] as const;
  return [
    gauge(
      "vigie_color",
      "1 for the colour of the tariff day in force (now) and of the one after it (next).",
      names.flatMap((day) => oneHot({ day }, "color", [...COLORS, "unknown"], days[day]?.color ?? "unknown")),
    ),
    gauge(
      "vigie_color_official",
      "Whether that colour is official.",
      names.map((day) => [{ day }, days[day]?.official ?? null]),
    ),
    gauge(
      "vigie_color_confidence_ratio",
      "How sure that colour is; 1 where it is official.",
      names.map((day) => [{ day }, days[day]?.confidence ?? null]),
    ),
    gauge("vigie_color_until_timestamp_seconds", "When the tariff day in force ends.", [
      [{}, seconds(days.now?.color_until ?? null)],
    ]),
    gauge(
      "vigie_period",
      "1 for the period in force: peak (hp) or off-peak (hc).",
      oneHot({}, "period", [...PERIODS, "unknown"], days.now?.period ?? "unknown"),
    ),
    gauge("vigie_price_euros_per_kwh", "The price in force.", [[{}, days.now?.rate ?? null]]),
    gauge(
      "vigie_season_left",
      "Days of each colour that are left in the season.",
      COLORS.map((color) => [{ color }, moment && (dated.left?.[color] ?? null)]),
    ),
    gauge("vigie_invented", "Whether the days are invented by the simulator.", [[{}, factsInput.isInvented]]),
  ];
}

function stateMetrics(view: PageView): Metric[] {
  const { factsInput, real, pollCounts } = view;
  const { service, official } = real.facts;
  const statuses = { service: service.status, official: official.status };
  const sources = SOURCE_IDS.filter((source) => statuses[source] !== "off");
  return [
    gauge("vigie_info", "Always 1.", [[{ name: view.instance, version: view.version }, 1]]),
    gauge(
      "vigie_source_status",
      "1 for how well a source answers.",
      sources.flatMap((source) =>
        oneHot({ source }, "status", STATUSES[source].filter(isNotOff), statuses[source]),
      ),
    ),
    gauge(
      "vigie_source_last_answer_timestamp_seconds",
      "When a source last answered; after a start it may have been later, until it answers.",
      sources.map((source) => [{ source }, seconds(factsInput[source]?.answered_at ?? null)]),
    ),
    {
      name: "vigie_source_polls_total",
      type: "counter",
      help: "Polls since the start, by what came of them.",
      samples: sources.flatMap((source) =>
        POLL_RESULTS.map((result): Sample => [{ source, result }, (pollCounts[source] ?? NO_POLLS)[result]]),
      ),
    },
    gauge(
      "vigie_problem",
      "1 for the most important problem.",
      oneHot({}, "code", PROBLEM_CODES, service.problem_code),
    ),
    gauge("vigie_clock_right", "Whether the clock of the machine is right.", [[{}, factsInput.clock.right]]),
    gauge("vigie_broker_connected", "Whether the MQTT broker is connected.", [[{}, view.broker.connected]]),
    gauge("vigie_home_assistant_online", "What Home Assistant last said of itself on the broker.", [
      [{}, view.homeAssistant && view.homeAssistant === "online"],
    ]),
  ];
}

function houseMetrics({ real, outputs }: PageView): Metric[] {
  return [
    gauge(
      "vigie_rule_on",
      "Whether a rule is ON; no rule is here while the clock is wrong.",
      real.verdicts.map(({ rule, state }) => [{ rule: rule.id, name: rule.name.en }, state]),
    ),
    gauge(
      "vigie_output_state",
      "1 for the state of an output.",
      outputs.flatMap(({ output, state }) =>
        oneHot({ output: output.id, name: output.name.en }, "state", OUTPUT_STATES, state),
      ),
    ),
  ];
}

const STATUSES = { service: SERVICE_STATUSES, official: OFFICIAL_STATUSES };
const isNotOff = (status: string) => status !== "off";

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "gauge", help, samples };
}

/** A sample for each word, of which one is 1. */
function oneHot(labels: Sample[0], label: string, words: readonly string[], is: string): Sample[] {
  return words.map((word) => [{ ...labels, [label]: word }, word === is]);
}

function seconds(at: Instant | null): number | null {
  return at === null ? null : at / 1000;
}

function renderMetric({ name, type, help, samples }: Metric): string {
  const lines = samples.map(([labels, value]) => `${name}${renderLabels(labels)} ${renderValue(value)}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function renderLabels(labels: Sample[0]): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A name may hold anything. `text` leaves no control character in it, and so no line end. */
function escapeLabel(value: string): string {
  return (text(value) ?? "").replaceAll(/[\\"]/g, "\\$&");
}

function renderValue(value: Value): string {
  return value === null ? "NaN" : String(Number(value));
}
