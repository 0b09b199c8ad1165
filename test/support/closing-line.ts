import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Closes a run with its slowest tests and one plain line, which any log reader understands. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      const states = testsOf(module).map((test) => test.result().state);
      for (const state of states) if (state !== "pending") count[state] += 1;
      if (module.state() === "failed" && !states.includes("failed")) count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    process.stdout.write(
      `\n${slowest(modules)}\n\n${count.passed} passed, ${count.failed} failed${skipped}\n`,
    );
  }
}

function testsOf(module: TestModule): TestCase[] {
  return [...module.children.allTests()];
}

function slowest(modules: readonly TestModule[]): string {
  const secondsOf = (test: TestCase) => (test.diagnostic()?.duration ?? 0) / 1_000;
  return modules
    .flatMap(testsOf)
    .toSorted((one, other) => secondsOf(other) - secondsOf(one))
    .slice(0, 10)
    .map((test) => `${secondsOf(test).toFixed(1)} s  ${test.module.relativeModuleId}  ${test.fullName}`)
    .join("\n");
}
