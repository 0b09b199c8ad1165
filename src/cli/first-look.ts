import type { DaemonStatus } from "../app/daemon.ts";
import { SIMULATED_DEVICES } from "../config/first-look-outputs.ts";
import type { Tariff } from "../core/calendar/tariff.ts";
import { isColorAllowed } from "../core/calendar/tariff-laws.ts";
import type { CivilDay, DayFacts } from "../core/facts/facts.ts";
import { placeOf } from "../core/outputs/output.ts";
import { reasonsOf } from "../core/rules/reasons.ts";

/**
 * What a newcomer is shown once, on the embedded broker: where the page is, what today and tomorrow are, which rules are ON, where the broker
 * listens, and what to type next. With a broker of one's own there is the log, and this text is empty.
 */
export function describeFirstLook(status: DaemonStatus | undefined, pages: readonly string[]): string {
  if (!status || status.embeddedPort === null) return "";
  const { config, view, embeddedPort } = status;
  const { moment } = view.facts;
  const isInvented = view.factsInput.isInvented;
  const invented = isInvented
    ? "These days are INVENTED by the built-in simulator: they are not those of your electricity tariff."
    : `The days come from ${describeOrigin(config)}.`;
  const days = moment
    ? `${describeDays(moment.days)}${isInvented ? describeRouge(moment.days) : ""}`
    : "  The clock of this machine is wrong: vigie does not know which day it is.";
  const devices = config.outputs.list.some((output) =>
    SIMULATED_DEVICES.some((one) => one.topic === placeOf(output)),
  )
    ? "  Two simulated devices are connected to it, and obey: a boiler and a heating setpoint.\n"
    : "";
  const page = pages.map((address) => `  Open in a browser: ${address}\n\n`).join("");
  return `
${page}  ${invented}

${days}
${describeRules(view, config.tariff)}
  vigie runs a small broker of its own, on 127.0.0.1 port ${embeddedPort} only: for a first look, not for daily use.
${devices}  Ctrl-C ends both. In a second terminal:

    npx vigie show --watch
    npx vigie explain
    npx vigie simulate rouge
    npx vigie demo
    mosquitto_sub -h 127.0.0.1 -p ${embeddedPort} -v -t '${config.mqtt.base_topic}/#'

  To use your own service and broker: npx vigie setup, or config/vigie.yaml by hand; see also the README.

`;
}

interface SourceOptions {
  service: { base_url: string };
  official: { source: string };
}

/** From where real days come. */
export function describeOrigin({ service: { base_url }, official: { source } }: SourceOptions): string {
  const official = source === "rte" ? "RTE" : source;
  if (base_url === "none") return `${official}, which names official colours only: there are no forecasts`;
  return source === "off" ? base_url : `${base_url} and ${official}`;
}

/** The rules that are ON, and why. */
function describeRules({ verdicts, facts: { at } }: DaemonStatus["view"], tariff: Tariff): string {
  if (verdicts.length === 0) return "";
  const lines = verdicts
    .filter(({ state }) => state === true)
    .map(
      (verdict) =>
        `  rule ${verdict.rule.id} is ON: ${reasonsOf(verdict, { at, tariff }).because.join("; ")}\n`,
    );
  const rest = lines.length === 0 ? `  none of the ${verdicts.length} rules is ON\n` : "";
  return `\n${lines.join("")}${rest}`;
}

function describeDays({ today, tomorrow }: Days): string {
  return `  today     ${describeDay(today)}\n  tomorrow  ${describeDay(tomorrow)}`;
}

type Days = Record<CivilDay, DayFacts>;

/** The next invented rouge day, if it comes after tomorrow; or why there is none. */
function describeRouge({ today, ...ahead }: Days): string {
  const days = Object.values(ahead);
  const rouge = [today, ...days].find(({ color }) => color === "rouge");
  if (rouge === today || rouge === ahead.tomorrow) return "";
  if (rouge) return `\n  later     ${describeDay(rouge)}`;
  const why = days.some(({ date }) => isColorAllowed(date, "rouge", "tempo"))
    ? "No rouge day is invented for the next week"
    : "No rouge day can come within a week: the tariff has them from November to March only";
  return `\n\n  ${why}.\n  Winter days with rouge ones: npx vigie demo`;
}

/** A day in one line: date, colour, how sure. */
function describeDay({ date, color, stage, confidence }: DayFacts): string {
  return `${date}  ${(color ?? "unknown").padEnd(7)}  ${describeStage(stage, confidence)}`.trimEnd();
}

function describeStage(stage: DayFacts["stage"], confidence: number | null): string {
  switch (stage) {
    case null:
      return "";
    case "forecast":
      return confidence === null ? "forecast" : `forecast, ${Math.round(confidence * 100)} %`;
    case "announced":
      return "announced; it may still be corrected";
    case "final":
      return "final";
  }
}
