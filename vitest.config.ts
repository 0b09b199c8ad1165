import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { PATIENCE } from "./test/support/patience.ts";

/**
 * `npm test` runs the quick suites, `npm run test:long` all of what these take a part of, and `test/long`; the others have
 * commands of their own (`npm run test:clock` is `--mode clock`).
 */
export default defineConfig(({ mode }) => ({
  test: {
    // Tests with real programs wait half of their time: several files at once, on two cores as well.
    maxWorkers: suites[mode] ? 3 : 4,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/support/closing-line.ts"],
    projects: suites[mode] ?? quick,
  },
}));

const shared = {
  include: [],
  environment: "node",
  restoreMocks: true,
  setupFiles: "test/support/seeds.ts",
  expect: { poll: { timeout: PATIENCE } },
} as const;
const files = (folder: string) => `test/${folder}/**/*.test.ts`;
const OWN_COMMAND = [
  ...["long", "clock", "season", "kills", "guides", "homeassistant", "systemd", "docker", "page"],
  "home-assistant-app",
];

/** A household replaces the timers of its process: no other test runs in it. */
const households = (exclude: string[] = []) =>
  withOneProcess("households", { include: [files("households")], exclude });

const others = (exclude: string[] = []) =>
  withOneProcess("others", {
    include: ["test/**/*.test.ts"],
    exclude: [...["households", ...OWN_COMMAND].map(files), ...exclude],
  });

/** What tests judges and other parts of tests says nothing of vigie: the long run has it. */
const OF_TESTS = ["households/judges", "households/lies", "support", "mutations", "bench"].map(files);

/** The quick tests. */
const quick = [households(OF_TESTS), others(OF_TESTS)];

const long = [households(), others(), withPrograms("long")];

/**
 * One process runs many files, one after the other, so that each module is read once. What a test waits for has a limit of its
 * own, whose error says what it was.
 */
function withOneProcess(name: string, which: { include: string[]; exclude: string[] }) {
  return {
    test: {
      ...shared,
      ...which,
      name,
      isolate: false,
      // Of the concurrent tests of a file. They wait most of the time.
      maxConcurrency: 12,
      testTimeout: 180_000,
      hookTimeout: 180_000,
    },
  };
}

/** Real programs, brokers and sockets. */
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
  long,
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
