import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type FakeTime, MINUTE, SPEED, startFakeTime } from "../support/fake-time.ts";
import { type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { answerDays, type PlainDays } from "../support/plain-days.ts";
import { type PlainAnswer, startPlainService } from "../support/plain-service.ts";
import { vigieConfig } from "../support/running-vigie.ts";
import { type TopicValues, watchTopicValues } from "../support/topic-values.ts";
import { type Cleanup, type Vigie, writeConfig } from "../support/vigie.ts";

export interface RepeatedRunsOptions {
  days: PlainDays;
  config: Record<string, unknown>;
}

/** One broker, one service and one state folder, with which vigie runs again and again; the observer records all messages. */
export interface RepeatedRuns extends TopicValues {
  folder: string;
  broker: Mosquitto;
  observer: Observer;
  /** All requests to the service. */
  requests: string[];
  days: PlainDays;
  /** Whether the service answers 503. */
  serviceDown: boolean;
  /** All payloads that were sent to a topic so far. */
  payloadsSentTo: (topic: string) => string[];
  configure: (more: Record<string, unknown>) => Promise<void>;
  /** The environment of a command that runs at this instant. */
  env: (at: string) => Record<string, string>;
  /** Starts vigie at this instant. */
  startRun: (at: number, speed: number) => Promise<Run>;
  /** Starts vigie at this instant and kills it that many minutes later: loading takes most of the first minute. */
  runFor: (at: number, minutes: number) => Promise<void>;
  /** Waits until the state file has this verdict: what is published is on the disk some milliseconds later. */
  untilSaved: (rule: string, state: boolean) => Promise<void>;
  /** Until the state file says that the broker has this payload: whoever kills vigie before has it sent once more. */
  untilSent: (topic: string, payload: string) => Promise<void>;
  /** Starts vigie so that it is connected shortly before this instant, unless the machine has become slower. */
  runBefore: (at: string, speed?: number) => Promise<Run>;
}

interface Run {
  vigie: Vigie;
  time: FakeTime;
  /** Waits until this instant is past. */
  waitUntilPast: (at: string | number) => Promise<void>;
  kill: () => Promise<unknown>;
}

export async function prepareRuns(
  cleanup: Cleanup,
  { days, config }: RepeatedRunsOptions,
): Promise<RepeatedRuns> {
  const folder = await cleanup.createFolder();
  const broker = await startMosquitto();
  cleanup.add(broker.remove);
  const observer = await observe(broker.url);
  cleanup.add(observer.disconnect);
  let now = () => 0;
  let output = () => "";
  const answer = (path: string): PlainAnswer =>
    runs.serviceDown ? { status: 503, body: "away" } : answerDays(path, now(), days);
  const service = await startPlainService(answer);
  cleanup.add(service.stop);
  const configure = (more: Record<string, unknown>) =>
    writeConfig(folder, vigieConfig(service.url, broker.url, more));
  await configure(config);
  // How long this machine takes to load vigie, measured at the newest run.
  const loading = { took: 2_500 };
  const startRun = async (at: number, speed: number) => {
    // A program starts at a whole second: rounded up, or its time would begin before the end of the previous run.
    const start = Math.ceil(at / 1_000) * 1_000;
    const time = startFakeTime(new Date(start).toISOString(), speed);
    now = time.clock.now;
    const started = performance.now();
    const vigie = await cleanup.startVigie({ folder, env: time.env() });
    output = vigie.output;
    vigie.says(/^Connected to the broker/).then(
      () => {
        loading.took = performance.now() - started;
      },
      () => {
        loading.took *= 1.5;
      },
    );
    return trackRun(vigie, folder, time, speed);
  };
  const runs: RepeatedRuns = {
    folder,
    broker,
    observer,
    requests: service.asked,
    days,
    serviceDown: false,
    configure,
    startRun,
    payloadsSentTo: (topic) =>
      observer.received.filter((one) => one.topic === topic).map(({ payload }) => payload),
    ...watchTopicValues(observer, "vigie", () => output()),
    env: (at) => {
      const time = startFakeTime(at, 1);
      now = time.clock.now;
      return time.env();
    },
    runFor: async (at, minutes) => {
      const run = await startRun(at, MINUTE / (MARGIN * loading.took));
      await run.waitUntilPast(at + minutes * MINUTE);
      await run.kill();
    },
    untilSaved: (rule, state) =>
      vi.waitFor(
        async () => expect((await readState(folder)).rules.rules[rule]?.state).toBe(state),
        PATIENCE,
      ),
    untilSent: (topic, payload) =>
      vi.waitFor(async () => {
        const { outputs } = await readState(folder);
        expect(outputs?.[topic]).toMatchObject({ payload, acknowledged: true });
      }, PATIENCE),
    runBefore: async (at, speed = SPEED) => {
      const run = await startRun(Date.parse(at) - MARGIN * loading.took * speed, speed);
      await run.vigie.says(/^Connected to the broker/);
      return run;
    },
  };
  return runs;
}

function trackRun(vigie: Vigie, folder: string, time: FakeTime, speed: number): Run {
  return {
    vigie,
    time,
    waitUntilPast: (at) => {
      const left = (typeof at === "number" ? at : Date.parse(at)) - time.clock.now();
      return new Promise((resolve) => setTimeout(resolve, Math.max(0, left / speed)));
    },
    kill: async () => {
      // A kill between a message and its record repeats the message: outputs-killed.test.ts covers that. A vigie that is stopped
      // sends nothing between the look and the kill.
      process.kill(vigie.pid, "SIGSTOP");
      while (await isSending(folder)) {
        process.kill(vigie.pid, "SIGCONT");
        await new Promise((resolve) => setTimeout(resolve, 10));
        process.kill(vigie.pid, "SIGSTOP");
      }
      return vigie.end("SIGKILL");
    },
  };
}

/** Whether a payload is not acknowledged by the state file. */
async function isSending(folder: string): Promise<boolean> {
  const { outputs = {} } = await readState(folder);
  return Object.values(outputs).some(({ acknowledged }) => !acknowledged);
}

interface SavedState {
  rules: { rules: Record<string, { state: boolean | null }> };
  outputs?: Record<string, { acknowledged: boolean }>;
}

async function readState(folder: string): Promise<SavedState> {
  return JSON.parse(await readFile(join(folder, "state", "state.json"), "utf8"));
}

/** How many times longer than the previous run the loading may take. */
const MARGIN = 2.5;
