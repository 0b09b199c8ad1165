import type { Daemon } from "../app/daemon.ts";
import type { Lookout } from "../app/lookout.ts";
import type { DayFacts } from "../core/facts/facts.ts";
import { reasonsOf } from "../core/rules/reasons.ts";
import { describeDay } from "./describe-day.ts";

/**
 * What a newcomer is shown once, on the embedded broker: what today and tomorrow are, which rules are ON, where the broker
 * listens, and what to type next. A real house has a log and a broker, and is shown nothing.
 */
export function describeFirstLook({ config, lookout, parts }: Daemon): string {
  const broker = parts.broker?.it;
  const settings = config();
  const moment = lookout()?.facts().moment;
  if (!broker || !settings) return "";
  const { base_topic } = settings.mqtt;
  const invented =
    settings.service.base_url === "simulator"
      ? "These days are INVENTED by the built-in simulator: nothing of this is your electricity tariff."
      : `Days by ${settings.service.base_url}.`;
  const days = moment
    ? describeDays(moment.days.today, moment.days.tomorrow)
    : "  The clock of this machine is wrong: nothing is said of today.";
  return `
  ${invented}

${days}
${describeRules(lookout())}
  The broker is vigie's own, on 127.0.0.1 port ${broker.port} only: for a first look, not for a house.
  Ctrl-C ends both. In a second terminal:

    npx vigie show --watch
    npx vigie explain
    mosquitto_sub -h 127.0.0.1 -p ${broker.port} -v -t '${base_topic}/#'

  Your own service and broker: config/vigie.yaml, explained where each option stands, and the README.

`;
}

/** The rules that are ON, and why. */
function describeRules(lookout: Lookout | undefined): string {
  if (!lookout) return "";
  const { at } = lookout.facts();
  const verdicts = lookout.verdicts();
  if (verdicts.length === 0) return "";
  const lines = verdicts
    .filter(({ state }) => state === true)
    .map(
      (verdict) =>
        `  rule ${verdict.ready.rule.id} is ON: ${reasonsOf(verdict, { at }).because.join("; ")}\n`,
    );
  const off = verdicts.length - lines.length;
  const rest = lines.length === 0 ? `  none of the ${off} rules is ON\n` : "";
  return `\n${lines.join("")}${rest}`;
}

function describeDays(today: DayFacts, tomorrow: DayFacts): string {
  return `  today     ${describeDay(today)}\n  tomorrow  ${describeDay(tomorrow)}`;
}
