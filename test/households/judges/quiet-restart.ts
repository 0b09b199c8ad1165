import { type EventOf, isKind, type Trace } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";
import { BASE, houseAt } from "./topics.ts";
import { rulesWithoutValues } from "./value-rules.ts";

/** A restart, or a reload of the same configuration, changes nothing if nothing else happens. */
export const quietRestartJudge: Judge = {
  name: "quiet restart",
  find: (trace) => {
    const quiets = trace.events.flatMap((event) => (isKind(event, "quiet") ? [event] : []));
    return quiets.flatMap((after, index) => {
      const before = quiets[index - 1];
      return before && after.steady - before.steady < LONGEST ? compare(before, after, trace) : [];
    });
  },
};

function compare(before: EventOf<"quiet">, after: EventOf<"quiet">, trace: Trace): Finding[] {
  const house = houseAt(trace, before.steady);
  const isSame = (topic: string) => before.retained.get(topic) === after.retained.get(topic);
  // The sources were asked again, or time went by: what follows from that is another judge's.
  if (!house || ![...before.retained.keys()].filter(isFact).every(isSame)) return ["skipped"];
  const rules = rulesWithoutValues(house.rules).map(({ id }) => id);
  const stands = rules.filter((id) => !turnsBetween(before, after, id));
  const outputs = house.outputs.filter(({ choose }) => choose.every(({ when }) => stands.includes(when)));
  const compared = [
    ...stands.flatMap((id) =>
      ["state", "since", "enabled", "threshold"].map((part) => `rules/${id}/${part}`),
    ),
    ...outputs.flatMap(({ id }) => ["payload", "since"].map((part) => `outputs/${id}/${part}`)),
  ]
    .map((topic) => `${BASE}/${topic}`)
    // Most rules have no threshold, and a broker may have lost what it held.
    .filter((topic) => before.retained.has(topic) || after.retained.has(topic));
  return compared.map((topic): Finding => {
    if (isSame(topic)) return "right";
    const sentence = `${topic} was ${before.retained.get(topic)} before a restart or reload, and is ${after.retained.get(topic)}`;
    return { at: after.steady, sentence };
  });
}

/** As the plan says. */
function turnsBetween(before: EventOf<"quiet">, after: EventOf<"quiet">, rule: string): boolean {
  // Until then its owner has disabled it.
  const { enabled_until = null } = JSON.parse(before.retained.get(`${BASE}/rules/${rule}`) ?? "{}");
  if (enabled_until !== null && Date.parse(enabled_until) < after.at + SLACK) return true;
  const { spans = [] } = JSON.parse(before.retained.get(`${BASE}/rules/${rule}/plan`) ?? "{}");
  const starts = (spans as { start: string }[]).map(({ start }) => Date.parse(start));
  return starts.some((start) => start > before.at - SLACK && start < after.at + SLACK);
}

/** What is known of the days. */
function isFact(topic: string): boolean {
  return /^vigie\/(now|next|today|tomorrow|d\d|season|simulation|prices)\b/.test(topic);
}

const LONGEST = 240_000;
const SLACK = 5_000;
