import type { Tariff } from "../calendar/tariff.ts";
import type { Facts, ServiceFacts } from "../facts/facts.ts";
import { datedTopics, family } from "./dated-topics.ts";
import { instant, text } from "./format.ts";
import { momentTopics } from "./moment-topics.ts";
import type { Topic, Topics } from "./topic.ts";

export interface TopicsOptions {
  /** `mqtt.grace`: how long a fact of the moment may outlive its boundary. */
  grace: number;
  /** By its laws an unknown day can be known not to be rouge. */
  tariff?: Pick<Tariff, "laws">;
}

/** Every retained topic as it should be, by its name below the base. */
export function desiredTopics(facts: Facts, { grace, tariff }: TopicsOptions): Topics {
  const lasting = [...datedTopics(facts.dated), ...serviceTopics(facts.service)];
  return new Map([
    ...momentTopics(facts.moment, { grace, laws: tariff?.laws ?? "off" }),
    ...lasting.map(([name, payload]): [string, Topic] => [name, { payload }]),
  ]);
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
