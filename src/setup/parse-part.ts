import { configSchema } from "../config/config-schema.ts";
import { describeExpectation, describeIssues, sayProblem } from "../config/problems.ts";
import { showPath } from "../config/shown-value.ts";

/** The configuration with these options, or what it would be refused for; all that has not been answered yet is right. */
export function parsePart(part: object) {
  const values = {
    service: { base_url: "none" },
    official: { source: "rte" },
    mqtt: { url: "mqtt://broker" },
    ...part,
  };
  const { data, error } = configSchema.safeParse(values, { error: describeExpectation });
  const problems = describeIssues(error?.issues ?? [], values);
  return { config: data, problems: problems.map((problem) => sayProblem(showPath(problem.path), problem)) };
}
