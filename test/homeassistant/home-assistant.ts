import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fetch } from "undici";
import { freePort } from "../support/ports.ts";
import { type Api, openApi } from "./api.ts";
import { writeConfiguration } from "./configuration.ts";
import { becomeOwner, joinBroker } from "./onboarding.ts";
import { type HassProcess, type LogLine, startHass } from "./process.ts";
import { pause, type State, untilStates, type Wanted } from "./states.ts";

/*
 * A real Home Assistant, joined with a broker, and what a test asks of it:
 *
 *   const home = await startHomeAssistant({ broker: mosquitto.port });
 *   const mark = await home.mark();
 *   await home.until({ "sensor.vigie_now_color": "rouge" });
 *   await home.call("switch", "turn_on", { entity_id: "switch.vigie_rules_rouge_peak_enabled" });
 *   await home.restart(async () => { … what happens meanwhile … });
 *   await expectNoComplaints(home, mark); // complaints.ts: nothing in the log since then, and nothing to repair
 *
 * It ends with the process that started it. Tests share one: see shared-home.ts.
 */

/** Says why where it is missing; empty where it is there. */
export const withoutHomeAssistant = process.env["HASS"]
  ? ""
  : "needs HASS, the command that runs Home Assistant (npm run test:homeassistant)";

export interface HomeAssistantOptions {
  /** The port of its broker on 127.0.0.1. */
  broker: number;
  /** At the broker, if that asks for one. */
  user?: { username: string; password: string };
  /** More lines of configuration.yaml, and more files beside it. */
  lines?: string[];
  files?: Record<string, string>;
  timeZone?: string;
}

export interface HomeAssistant {
  url: string;
  folder: string;
  lines: LogLine[];
  states: () => Promise<State[]>;
  state: (id: string) => Promise<State | undefined>;
  /** Waits until these entities are so; null: until there is none of that id. */
  until: (wanted: Record<string, Wanted>) => Promise<void>;
  call: (domain: string, service: string, data?: Record<string, unknown>) => Promise<void>;
  /** A command of the WebSocket. */
  ask: Api["ask"];
  post: Api["post"];
  text: Api["text"];
  discard: Api["discard"];
  registry: () => Promise<Record<string, unknown>[]>;
  devices: () => Promise<Record<string, unknown>[]>;
  repairs: () => Promise<Record<string, unknown>[]>;
  /** All that was said so far is in `lines`; how many those are. */
  mark: () => Promise<number>;
  writeFile: (path: string, text: string) => Promise<void>;
  stop: (signal?: NodeJS.Signals) => Promise<void>;
  start: () => Promise<void>;
  /** Stops it, does what happens meanwhile, starts it. */
  restart: (meanwhile?: () => Promise<unknown>, signal?: NodeJS.Signals) => Promise<void>;
  /** Ends it and removes its folder. */
  remove: () => Promise<void>;
}

export async function startHomeAssistant(options: HomeAssistantOptions): Promise<HomeAssistant> {
  const folder = await mkdtemp(join(tmpdir(), "vigie-homeassistant-"));
  const url = `http://127.0.0.1:${await writeConfiguration(folder, await freePort(), options)}`;
  const lines: LogLine[] = [];
  let hass: HassProcess | undefined;
  let api: Api | undefined;
  let token = "";
  const now = () => {
    if (!api) throw new Error("Home Assistant is stopped");
    return api;
  };
  const start = async () => {
    hass = startHass(process.env["HASS"] ?? "hass", folder, lines);
    await answering(`${url}/api/onboarding`, hass);
    const isNew = token === "";
    if (isNew) token = await becomeOwner(url);
    api = await openApi(url, token);
    await running(api);
    if (isNew) await joinBroker(api, options.broker, options.user);
  };
  const stop = async (signal?: NodeJS.Signals) => {
    api?.close();
    api = undefined;
    await hass?.end(signal);
  };
  const remove = async () => {
    await stop("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  await start().catch(async (error: unknown) => {
    await remove();
    throw new Error(`Home Assistant does not start:\n${lines.map(({ text }) => text).join("\n")}`, {
      cause: error,
    });
  });
  return {
    url,
    folder,
    lines,
    start,
    stop,
    remove,
    ...questions(now, lines, () => hass),
    writeFile: (path, text) => writeBeside(folder, path, text),
    restart: async (meanwhile, signal) => {
      await stop(signal);
      await meanwhile?.();
      await start();
    },
  };
}

async function writeBeside(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

function questions(now: () => Api, lines: LogLine[], hass: () => HassProcess | undefined) {
  const states = async () => (await now().get("/api/states")) as State[];
  const call: HomeAssistant["call"] = async (domain, service, data = {}) => {
    await now().post(`/api/services/${domain}/${service}`, data);
  };
  const list = async (type: string) => (await now().ask(type)) as Record<string, unknown>[];
  let marks = 0;
  return {
    states,
    call,
    ask: (type: string, more?: Record<string, unknown>) => now().ask(type, more),
    post: (path: string, body: unknown) => now().post(path, body),
    text: (path: string, body: unknown) => now().text(path, body),
    discard: (path: string) => now().discard(path),
    state: async (id: string) => (await states()).find(({ entity_id }) => entity_id === id),
    until: (wanted: Record<string, Wanted>) => untilStates(states, wanted),
    registry: () => list("config/entity_registry/list"),
    devices: () => list("config/device_registry/list"),
    repairs: async () => {
      const { issues } = (await now().ask("repairs/list_issues")) as { issues: Record<string, unknown>[] };
      return issues;
    },
    mark: async () => {
      marks += 1;
      const from = lines.length;
      const message = `mark ${marks}.`;
      await call("system_log", "write", { message, level: "warning", logger: MARKER });
      const line = await hass()?.heard(new RegExp(`^${message}$`), from);
      return line ? lines.indexOf(line) + 1 : lines.length;
    },
  };
}

export const MARKER = "vigie.mark";

async function answering(url: string, hass: HassProcess): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      async (answer) => {
        await answer.text();
        return answer.status;
      },
      () => 0,
    );
    if (status === 200) return;
    if (hass.hasEnded()) throw new Error("hass ended");
    await pause(100);
  }
}

async function running(api: Api): Promise<void> {
  while (((await api.get("/api/config")) as { state: string }).state !== "RUNNING") await pause(50);
}
