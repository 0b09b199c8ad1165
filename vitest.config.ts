import { defineConfig } from "vitest/config";

const SEASON = "test/season.test.ts";
const shared = { include: [], environment: "node", restoreMocks: true } as const;

export default defineConfig({
  test: {
    // Most of the time of the end-to-end tests is waiting: two at once, on two cores as well.
    maxWorkers: 2,
    reporters: ["default", "./test/support/closing-line.ts"],
    projects: [
      // Pure files: quick, one process for all.
      {
        test: {
          ...shared,
          name: "rooms",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", SEASON],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      // Real processes, brokers and sockets; and the year on a clock of its own, which heeds what others leave waiting.
      {
        test: {
          ...shared,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", SEASON],
          // What is waited for has a limit of its own, and says what it was.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
