import { defineConfig } from "vitest/config";
import { PATIENCE } from "./test/support/patience.ts";

/** `npm test` runs the quick suites; the others have commands of their own (`npm run test:clock` is `--mode clock`). */
export default defineConfig(({ mode }) => ({
  test: {
    // Most of the time of the tests with real programs is waiting: two files at once, on two cores as well.
    maxWorkers: 2,
    reporters: ["default", "./test/support/closing-line.ts"],
    projects: suites[mode] ?? [unit, e2e],
  },
}));

const shared = {
  include: [],
  environment: "node",
  restoreMocks: true,
  expect: { poll: { timeout: PATIENCE } },
} as const;
const files = (folder: string) => `test/${folder}/**/*.test.ts`;
const OWN_COMMAND = [
  ...["clock", "season", "kills", "guides", "homeassistant", "systemd", "docker", "page"],
  "home-assistant-app",
];

/** Quick files, one process for all. */
const unit = {
  test: {
    ...shared,
    name: "unit",
    include: ["test/**/*.test.ts"],
    exclude: ["e2e", ...OWN_COMMAND].map(files),
    isolate: false,
    // More than a wait inside may take, whose error says what it waited for.
    testTimeout: 90_000,
  },
};

/** Real programs, brokers and sockets. What a test waits for has a limit of its own, and its error says what it was. */
const e2e = withPrograms("e2e");

function withPrograms(name: string) {
  return { test: { ...shared, name, include: [files(name)], testTimeout: 180_000, hookTimeout: 180_000 } };
}

/** A year on a clock of its own. */
const season = { test: { ...shared, name: "season", include: [files("season")], testTimeout: 1_800_000 } };

/** A real Home Assistant, one for all files of a process. */
const homeAssistant = {
  test: {
    ...shared,
    name: "homeassistant",
    include: [files("homeassistant")],
    globalSetup: "test/homeassistant/setup.ts",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

/** Real machines that start, freeze, lose their power and start again: one at a time, on one file tree. */
const systemd = {
  test: {
    ...shared,
    name: "systemd",
    include: [files("systemd")],
    globalSetup: "test/systemd/setup.ts",
    fileParallelism: false,
    hookTimeout: 400_000,
  },
};

/** The image, built once for all files and run. */
const docker = {
  test: {
    ...shared,
    name: "docker",
    include: [files("docker")],
    globalSetup: "test/docker/setup.ts",
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
};

/** The image of the Home Assistant app, in a network of its own that has each address and port once: one file at a time. */
const app = {
  test: {
    ...shared,
    name: "home-assistant-app",
    include: [files("home-assistant-app")],
    globalSetup: "test/homeassistant/setup.ts",
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};

/** The page in a real browser. */
const page = withPrograms("page");

const suites: Record<string, object[]> = {
  clock: [withPrograms("clock")],
  kills: [withPrograms("kills")],
  guides: [withPrograms("guides")],
  season: [season],
  homeassistant: [homeAssistant],
  systemd: [systemd],
  docker: [docker],
  app: [app],
  page: [page],
};
