import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The folders whose files take longest, the slowest first: what is long and begins last makes all wait. */
const SLOWEST = ["households", "long", "e2e", "setup", "app"].map((folder) => `/test/${folder}/`);

/** One folder after the other, and in each the largest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = SLOWEST.findIndex((folder) => moduleId.includes(folder));
      return found === -1 ? SLOWEST.length : found;
    };
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => rank(one) - rank(other));
  }
}
