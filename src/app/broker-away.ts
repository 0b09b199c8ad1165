import type { Facts } from "../core/facts/facts.ts";
import { withBrokerAway } from "../core/facts/service-facts.ts";
import type { View } from "../core/loop/view.ts";
import { serviceTopics } from "../core/topics/render-topics.ts";

/** The view for those who do not read it on the broker: it says so if that is away. */
export function tellBrokerAway(view: View): View {
  if (view.broker.away_since === undefined) return view;
  const tell = (facts: Facts): Facts => {
    const problem_code = withBrokerAway(facts.service.problem_code);
    return { ...facts, service: { ...facts.service, problem_code } };
  };
  const facts = tell(view.facts);
  const topics = new Map(view.topics);
  for (const [name, payload] of serviceTopics(facts.service)) topics.set(name, { payload });
  return { ...view, facts, real: { ...view.real, facts: tell(view.real.facts) }, topics };
}
