import { configSchema } from "../config/config-schema.ts";
import { describeExpectation, describeIssues } from "../config/problems.ts";
import { showPath } from "../config/shown-value.ts";

/** The configuration with these options, where all that has not been answered yet is right. */
export function parsePart(part: object) {
  const values = {
    service: { base_url: "none" },
    official: { source: "rte" },
    mqtt: { url: "mqtt://broker" },
    ...part,
  };
  const { data, error } = configSchema.safeParse(values, { error: describeExpectation });
  /** What it would be refused for, in its words. */
  const problems = describeIssues(error?.issues ?? [], values).map(
    ({ path, expected, got, advice }) =>
      `${showPath(path)}: expected ${expected}, got ${got}${advice === undefined ? "" : `. ${advice}`}`,
  );
  return { config: data, problems };
}
