import type { Facts, OfficialFacts, ServiceFacts } from "../facts/facts.ts";
import { instant, payloadOf, text } from "../facts/format-value.ts";
import { datedTopics, parts, partsAndParent } from "./dated-topics.ts";
import { type MomentOptions, momentTopics } from "./moment-topics.ts";
import type { Topic, Topics } from "./topic.ts";

/** Every retained topic but those of the rules, by its name below the base. */
export function renderTopics(facts: Facts, options: MomentOptions): Topics {
  const unexpiring = [
    ...datedTopics(facts.dated),
    ...serviceTopics(facts.service),
    ...officialTopics(facts.official),
    ...simulationTopics(facts),
  ];
  return new Map([
    ...momentTopics(facts.moment, options),
    ...unexpiring.map(([name, payload]): [string, Topic] => [name, { payload }]),
  ]);
}

function simulationTopics({ simulation }: Facts): [string, string][] {
  const { color = "auto", from = null } = simulation ?? {};
  const until = instant(simulation?.until ?? null);
  return [
    ["simulation/color", color],
    ["simulation/until", payloadOf(until)],
    ["simulation", JSON.stringify({ color, from, until })],
  ];
}

function serviceTopics(service: ServiceFacts): [string, string][] {
  return partsAndParent("service", {
    status: service.status,
    last_success: instant(service.last_success),
    last_error: text(service.last_error),
    updated_at: instant(service.updated_at),
    problem: service.problem_code !== "none",
    problem_code: service.problem_code,
    failed_outputs: text(service.failed_outputs.join(", ") || null),
  });
}

function officialTopics({ status, last_success, last_error }: OfficialFacts): [string, string][] {
  return parts("official", {
    status,
    last_success: instant(last_success),
    last_error: text(last_error),
  });
}
