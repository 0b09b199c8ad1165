import type { Facts, OfficialFacts, ServiceFacts } from "../facts/facts.ts";
import { instant, payloadOf, text } from "../facts/format-value.ts";
import { datedTopics, parts, partsAndParent } from "./dated-topics.ts";
import { type MomentOptions, momentTopics } from "./moment-topics.ts";
import type { Topic, Topics } from "./topic.ts";
import { renderAll, type TopicGroup } from "./topic-group.ts";

/** Every retained topic but those of the rules and the outputs, by its name below the base. */
export function renderTopics(facts: Facts, options: MomentOptions): Topics {
  return new Map(renderAll(factGroups(facts, options)));
}

export function factGroups(facts: Facts, options: MomentOptions): TopicGroup[] {
  return [
    {
      name: "topics of the moment",
      render: () => momentTopics(facts.moment, options),
      unknown: () => momentTopics(null, options),
    },
    { name: "topics of the days", render: () => unexpiring(datedTopics(facts.dated)) },
    { name: "topics of the service", render: () => unexpiring(serviceTopics(facts.service)) },
    { name: "topics of RTE", render: () => unexpiring(officialTopics(facts.official)) },
    { name: "topics of the simulation", render: () => unexpiring(simulationTopics(facts)) },
  ];
}

function unexpiring(payloads: [string, string][]): [string, Topic][] {
  return payloads.map(([name, payload]) => [name, { payload }]);
}

function simulationTopics({ simulation }: Facts): [string, string][] {
  const { color = "auto", from = null, date = null } = simulation ?? {};
  const until = instant(simulation?.until ?? null);
  return [
    ["simulation/color", color],
    ["simulation/until", payloadOf(until)],
    ["simulation", JSON.stringify({ color, from, date, until })],
  ];
}

export function serviceTopics(service: ServiceFacts): [string, string][] {
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
