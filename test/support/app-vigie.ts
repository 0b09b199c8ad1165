import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type Mosquitto, type MosquittoOptions, passwordLine, startMosquitto } from "./mosquitto.ts";
import { type Observer, observe } from "./observer.ts";
import { PATIENCE } from "./patience.ts";
import { freePort } from "./ports.ts";
import { type Supervisor, startSupervisor, TOKEN } from "./supervisor.ts";
import { type TopicValues, watchTopicValues } from "./topic-values.ts";
import type { Cleanup, Vigie } from "./vigie.ts";

export const BROKER_PASSWORD = "password-of-the-broker-0815";

/** What the form holds where nothing was filled in. */
export const FORM = { language: "fr", official_colors: true, rules: [], outputs: [], rates: [] };

/** The built program as the container of the Home Assistant app runs it, with a Supervisor, and a folder for /data and /config. */
export interface AppHouse {
  folder: string;
  supervisor: Supervisor;
  port: number;
  writeForm: (form: object | string) => Promise<void>;
  writeFile: (text: string) => Promise<void>;
  start: (env?: Record<string, string>) => Promise<Vigie>;
  /** Of the page, or of another path. */
  get: (path?: string) => Promise<{ status: number; text: string }>;
  /** The page; empty while nobody serves it. */
  page: () => Promise<string>;
  /** Waits until the page shows this. */
  shows: (words: string | RegExp) => Promise<void>;
}

/** `official`: the address that stands for RTE's. */
export async function openAppHouse(cleanup: Cleanup, official: string): Promise<AppHouse> {
  const folder = await cleanup.createFolder();
  for (const name of ["data", "config"]) await mkdir(join(folder, name));
  const supervisor = await startSupervisor();
  cleanup.add(supervisor.stop);
  const port = await freePort();
  const get = async (path = "/") => {
    // On a clock that is ten times as fast vigie ends an idle connection sooner than it said: each request has one of its own.
    const headers = { connection: "close" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  const page = async () => (await get().catch(() => ({ text: "" }))).text;
  return {
    folder,
    supervisor,
    port,
    writeForm: (form) =>
      writeFile(
        join(folder, "data", "options.json"),
        typeof form === "string" ? form : JSON.stringify({ ...FORM, ...form }),
      ),
    writeFile: (text) => writeFile(join(folder, "config", "vigie.yaml"), text),
    start: (env) =>
      cleanup.startVigie({
        folder,
        args: ["home-assistant-app"],
        env: {
          ...{ VIGIE_CONFIG: "", VIGIE_STATE: join(folder, "data"), RUNTIME_DIRECTORY: join(folder, "tmp") },
          ...{ SUPERVISOR_URL: supervisor.url, SUPERVISOR_TOKEN: TOKEN },
          ...{ VIGIE_OFFICIAL_SOURCE: official, VIGIE_HTTP_LISTEN: `127.0.0.1:${port}` },
          ...env,
        },
      }),
    get,
    page,
    shows: (words) =>
      vi.waitFor(async () => expect(await page()).toMatch(words), { timeout: PATIENCE, interval: 50 }),
  };
}

/** A broker that asks for a password, as Home Assistant's own does. */
export async function startGuardedBroker(
  cleanup: Cleanup,
  { password = BROKER_PASSWORD, ...options }: MosquittoOptions & { password?: string } = {},
): Promise<Mosquitto> {
  const broker = await startMosquitto({
    ...options,
    lines: ["allow_anonymous false", "password_file FOLDER/passwords"],
    files: { passwords: passwordsFor(password) },
  });
  cleanup.add(broker.remove);
  return broker;
}

/** The user of vigie, that of Home Assistant, and that of the test. */
export function passwordsFor(password: string): string {
  const users = { addons: password, homeassistant: OBSERVER, observer: OBSERVER };
  return Object.entries(users)
    .map(([user, word]) => passwordLine(user, word))
    .join("");
}

export const OBSERVER = "observer-password";

/** Sees what is on a guarded broker. */
export async function watchGuardedBroker(
  cleanup: Cleanup,
  broker: Mosquitto,
  output: () => string,
): Promise<TopicValues & { observer: Observer }> {
  const url = broker.url.replace("://", `://observer:${OBSERVER}@`);
  const observer = await observe(url, "#", 5, { reconnectPeriod: 100 });
  cleanup.add(observer.disconnect);
  return { observer, ...watchTopicValues(observer, "vigie", output) };
}

/** The app with this form, beside a guarded broker that the Supervisor names. */
export async function startApp(
  cleanup: Cleanup,
  house: AppHouse,
  form: object,
  env?: Record<string, string>,
): Promise<TopicValues & { observer: Observer; broker: Mosquitto; vigie: Vigie }> {
  const broker = await startGuardedBroker(cleanup);
  house.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
  await house.writeForm(form);
  const vigie = await house.start(env);
  return { broker, vigie, ...(await watchGuardedBroker(cleanup, broker, vigie.output)) };
}
