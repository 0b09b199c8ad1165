import { defineConfig } from "vitest/config";

const SEASON = "test/season.test.ts";
const HOME_ASSISTANT = "test/homeassistant/**/*.test.ts";
const SYSTEMD = "test/systemd/**/*.test.ts";
const DOCKER = "test/docker/**/*.test.ts";
const shared = { include: [], environment: "node", restoreMocks: true } as const;

export default defineConfig(({ mode }) => ({
  test: {
    // Most of the time of the end-to-end tests is waiting: two at once, on two cores as well.
    maxWorkers: 2,
    reporters: ["default", "./test/support/closing-line.ts"],
    projects: suites[mode] ?? [rooms, e2e],
  },
}));

// Pure files: quick, one process for all.
const rooms = {
  test: {
    ...shared,
    name: "rooms",
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", HOME_ASSISTANT, SYSTEMD, DOCKER, SEASON],
    isolate: false,
    testTimeout: 60_000,
  },
};

// Real processes, brokers and sockets; and the year on a clock of its own, which heeds what others leave waiting.
const e2e = {
  test: {
    ...shared,
    name: "e2e",
    include: ["test/e2e/**/*.test.ts", SEASON],
    // What is waited for has a limit of its own, and says what it was.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

// A real Home Assistant, one for all files of a process. Most of their time is waiting: two at once.
const homeAssistant = {
  test: {
    ...shared,
    name: "homeassistant",
    include: [HOME_ASSISTANT],
    globalSetup: "test/homeassistant/setup.ts",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

// Real machines, which start, freeze, lose their power and start again: one at a time, on one tree.
const systemd = {
  test: {
    ...shared,
    name: "systemd",
    include: [SYSTEMD],
    globalSetup: "test/systemd/setup.ts",
    fileParallelism: false,
    hookTimeout: 400_000,
  },
};

// The image, built and run as it will be: one build for all files.
const docker = {
  test: {
    ...shared,
    name: "docker",
    include: [DOCKER],
    globalSetup: "test/docker/setup.ts",
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
};

// Asked for by `--mode`: they need more than a checkout.
const suites: Record<string, object[]> = {
  homeassistant: [homeAssistant],
  systemd: [systemd],
  docker: [docker],
};
