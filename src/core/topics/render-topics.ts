import type { Tariff } from "../calendar/tariff.ts";
import type { Facts, ServiceFacts } from "../facts/facts.ts";
import { instant, plain, text } from "../facts/format-value.ts";
import { datedTopics, family } from "./dated-topics.ts";
import { momentTopics } from "./moment-topics.ts";
import type { Topic, Topics } from "./topic.ts";

export interface TopicsOptions {
  /** `mqtt.grace`: how long a fact of the moment may outlive its boundary. */
  grace: number;
  /** By its laws an unknown day can be known not to be rouge. */
  tariff?: Pick<Tariff, "laws">;
}

/** Every retained topic as it should be, by its name below the base. */
export function renderTopics(facts: Facts, { grace, tariff }: TopicsOptions): Topics {
  const lasting = [...datedTopics(facts.dated), ...serviceTopics(facts.service), ...simulationTopics(facts)];
  return new Map([
    ...momentTopics(facts.moment, { grace, laws: tariff?.laws ?? "off" }),
    ...lasting.map(([name, payload]): [string, Topic] => [name, { payload }]),
  ]);
}

function simulationTopics({ simulation }: Facts): [string, string][] {
  const { color = "auto", from = null } = simulation ?? {};
  const until = instant(simulation?.until ?? null);
  return [
    ["simulation/color", color],
    ["simulation/until", plain(until)],
    ["simulation", JSON.stringify({ color, from, until })],
  ];
}

function serviceTopics(service: ServiceFacts): [string, string][] {
  return family("service", {
    status: service.status,
    last_success: instant(service.last_success),
    last_error: text(service.last_error),
    updated_at: instant(service.updated_at),
    problem: service.problem_code !== "none",
    problem_code: service.problem_code,
  });
}
