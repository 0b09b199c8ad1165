import { expect, test } from "vitest";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import { OWN_LEVELS } from "../../src/core/topics/topic.ts";
import { rougeFacts } from "../support/facts.ts";

test("the first levels of vigie's own topics are those that it publishes", () => {
  const published = [
    ...renderTopics(rougeFacts(), { grace: 0, laws: "off" }).keys(),
    ...["availability", "owner", "event", "refresh/set", "rules/week", "outputs/boiler"],
  ];
  expect([...OWN_LEVELS].sort()).toEqual([...new Set(published.map((topic) => topic.split("/")[0]))].sort());
});
