import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FakeTime, MINUTE, SPEED, startFakeTime } from "./fake-time.ts";
import { type Holdings, watchHoldings } from "./holdings.ts";
import { type Mosquitto, startMosquitto } from "./mosquitto.ts";
import { type Observer, observe } from "./observer.ts";
import { answerDays, type PlainDays } from "./plain-days.ts";
import { type PlainAnswer, startPlainService } from "./plain-service.ts";
import { vigieConfig } from "./running-vigie.ts";
import { type Cleanup, type Vigie, writeConfig } from "./vigie.ts";

export interface StoryOptions {
  days: PlainDays;
  config: Record<string, unknown>;
}

/** One broker, one service and one state folder, in which vigie lives again and again; all that was said stays on record. */
export interface Story extends Holdings {
  folder: string;
  broker: Mosquitto;
  /** Hears everything from the first life on. */
  observer: Observer;
  /** The requests that the service answered or not. */
  asked: string[];
  days: PlainDays;
  /** Whether the service is away. */
  away: boolean;
  /** What a topic was told so far, one after the other. */
  told: (topic: string) => string[];
  configure: (more: Record<string, unknown>) => Promise<void>;
  /** For a command at this instant. */
  env: (at: string) => Record<string, string>;
  /** A life from this instant on. */
  begin: (at: number, speed: number) => Promise<Life>;
  /** A life from this instant on, to a death that many minutes later: loading takes most of the first minute. */
  pass: (at: number, minutes: number) => Promise<void>;
  /** A life that is on the broker shortly before this instant, unless this machine is slower than it was just now. */
  await: (at: string, speed?: number) => Promise<Life>;
}

export interface Life {
  vigie: Vigie;
  time: FakeTime;
  /** Until this instant is over. */
  past: (at: string | number) => Promise<void>;
  kill: () => Promise<unknown>;
}

export async function openStory(cleanup: Cleanup, { days, config }: StoryOptions): Promise<Story> {
  const folder = await cleanup.createFolder();
  const broker = await startMosquitto();
  cleanup.add(broker.remove);
  const observer = await observe(broker.url);
  cleanup.add(observer.leave);
  let now = () => 0;
  let output = () => "";
  const answer = (path: string): PlainAnswer =>
    story.away ? { status: 503, body: "away" } : answerDays(path, now(), days);
  const service = await startPlainService(answer);
  cleanup.add(service.stop);
  const configure = (more: Record<string, unknown>) =>
    writeConfig(folder, vigieConfig(service.url, broker.url, more));
  await configure(config);
  // How long this machine takes to load vigie, by the newest life.
  const loading = { took: 2_500 };
  const begin = async (at: number, speed: number) => {
    // A program starts at a whole second: rounded up, or its time would begin before the last life's end.
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
    return live(vigie, folder, time, speed);
  };
  const story: Story = {
    folder,
    broker,
    observer,
    asked: service.asked,
    days,
    away: false,
    configure,
    begin,
    told: (topic) => observer.seen.filter((one) => one.topic === topic).map(({ payload }) => payload),
    ...watchHoldings(observer, "vigie", () => output()),
    env: (at) => {
      const time = startFakeTime(at, 1);
      now = time.clock.now;
      return time.env();
    },
    pass: async (at, minutes) => {
      const life = await begin(at, MINUTE / (MARGIN * loading.took));
      await life.past(at + minutes * MINUTE);
      await life.kill();
    },
    await: async (at, speed = SPEED) => {
      const life = await begin(Date.parse(at) - MARGIN * loading.took * speed, speed);
      await life.vigie.says(/^Connected to the broker/);
      return life;
    },
  };
  return story;
}

function live(vigie: Vigie, folder: string, time: FakeTime, speed: number): Life {
  return {
    vigie,
    time,
    past: (at) => {
      const left = (typeof at === "number" ? at : Date.parse(at)) - time.clock.now();
      return new Promise((resolve) => setTimeout(resolve, Math.max(0, left / speed)));
    },
    kill: async () => {
      // A death between a message and the note of it repeats the message: that is outputs-killed's.
      while (await isSending(folder)) await new Promise((resolve) => setTimeout(resolve, 10));
      return vigie.end("SIGKILL");
    },
  };
}

/** Whether something is on its way to a device by the state file, or was not written down yet. */
async function isSending(folder: string): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { outputs = {} } = JSON.parse(await readFile(join(folder, "state", "state.json"), "utf8"));
  return Object.values<{ acknowledged: boolean }>(outputs).some(({ acknowledged }) => !acknowledged);
}

/** How much longer than the last one it may take. */
const MARGIN = 1.6;
